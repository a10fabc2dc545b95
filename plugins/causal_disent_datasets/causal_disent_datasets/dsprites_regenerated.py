"""`dsprites_regenerated`: dSprites drawn by formula, with no file."""

from __future__ import annotations

import numpy as np

from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import FiniteDataView
from causal_disent.protocols import IntArray
from causal_disent_datasets import sprite_drawing
from causal_disent_datasets.dsprites import IMAGE_SHAPE, VALUES
from causal_disent_datasets.stacked import Factors


class DrawnSprites(Factors):
    """All 737,280 combinations, each drawn when it is asked for."""

    def __init__(self) -> None:
        super().__init__(StateSpace(VALUES), IMAGE_SHAPE)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, 64, 64, 1) of these indices: 255 in the sprite, 0 around it."""
        return sprite_drawing.draw(self.space.to_factors(indices)[:, 1:])[..., None] * np.uint8(255)


class DspritesRegenerated(FiniteDataView):
    """`dsprites_full` drawn by formula: the same factors and draws, and nearly the same images.

    Example:
        >>> data = DspritesRegenerated()
        >>> data.factor_names, data.factors_num_values
        (('shape', 'scale', 'orientation', 'x', 'y'), [3, 6, 40, 32, 32])
        >>> int(data.observations(np.array([0])).sum())
        100
    """

    def __init__(self) -> None:
        super().__init__(DrawnSprites(), ("shape", "scale", "orientation", "x", "y"))
