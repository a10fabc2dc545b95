"""A finite data set with one image for each combination of its factors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_disent.data.counterfactual import IndependentFactors
from causal_disent.data.discrete import IndexedData
from causal_disent.data.factor_table import make_factor_table
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd


class FactorialData(IndependentFactors, IndexedData):
    """Base of data sets whose images are numbered like the combinations of `space`.

    A subclass gives the pixels in `pixels`; everything else follows from the state space. Its factors do not cause
    each other, so that there is a true counterfactual of every image.
    """

    def __init__(self, space: StateSpace, observation_shape: tuple[int, int, int]) -> None:
        self.space = space
        self.observation_shape = observation_shape

    @property
    def num_images(self) -> int:
        return self.space.num_combinations

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, h, w, c) of these indices, uint8."""
        raise NotImplementedError

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Independent rows of factors (num, factors)."""
        return self.space.sample(num, random_state)

    def sample_indices(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """The image of each row of factors; nothing is left to chance."""
        return self.space.to_index(factors)

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, h, w, c) of these indices, float32 in [0, 1]."""
        return self.pixels(self.space.known(indices)).astype(np.float32) / np.float32(255)

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, factors) float64: the numbers behind the values; their places where these are no numbers."""
        return self.space.to_numbers(self.rows_of(indices))

    def rows_of(self, indices: IntArray) -> IntArray:
        """The value indices (n, factors) of these images."""
        return self.space.to_factors(indices)

    def _show_instead(self, indices: IntArray, rows: IntArray) -> FloatArray:
        """The images of these factors (n, factors)."""
        return self.observations(self.space.to_index(rows))

    @cached_property
    def factor_table(self) -> pd.DataFrame:
        """One row per image, one categorical column per factor."""
        images = np.arange(self.space.num_combinations)
        return make_factor_table(self.space, self.space.to_factors(images), images)
