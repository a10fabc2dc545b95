"""dSprites, and its versions with colour, noise and a picture behind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from disentanglement_lib.data.ground_truth.util import NamedData

NAMES = ("color", "shape", "scale", "orientation", "x", "y")
SIZES = [1, 3, 6, 40, 32, 32]
#: Sprites that are read at a time.
CHUNK = 8192


class DSprites(NamedData):
    """dSprites; by default all six factors are ground truth, the colour, which never varies, included."""

    name = "dsprites_full"
    #: What is ground truth unless a program says it.
    usual: Sequence[int] = range(6)

    def __init__(self, latent_factor_indices: Sequence[int] | None = None) -> None:
        latent = list(self.usual if latent_factor_indices is None else latent_factor_indices)
        super().__init__(self.name, SIZES, latent, NAMES)
        self.full_factor_sizes = list(SIZES)

    @cached_property
    def images(self) -> Any:
        """All sprites (737280, 64, 64), uint8, 0 or 1."""
        base = self.ours.base
        sprites = np.empty((np.prod(SIZES), 64, 64), dtype=np.uint8)
        for start in range(0, len(sprites), CHUNK):  # all at once would take several times their size
            rows = np.arange(start, min(start + CHUNK, len(sprites)))
            sprites[rows] = base.pixels(rows)[..., 0] > 0
        return sprites


class _Decorated(DSprites):
    """What is added is drawn with each image. The colour, which never varies, is not a factor."""

    usual = range(1, 6)

    @cached_property
    def images(self) -> Any:
        """The sprites without what is added."""
        return DSprites().images


class ColorDSprites(_Decorated):
    """dSprites in random colours."""

    name = "color_dsprites"


class NoisyDSprites(_Decorated):
    """dSprites before noise."""

    name = "noisy_dsprites"


class ScreamDSprites(_Decorated):
    """dSprites before parts of The Scream."""

    name = "scream_dsprites"
