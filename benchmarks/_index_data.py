"""A finite data set whose images are their numbers, so that only a metric's own work is timed."""

from __future__ import annotations

from typing import Any

import numpy as np


class IndexData:
    """The same draws as a finite data set, its images replaced by their numbers: nothing is drawn or copied."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self.num_factors, self.factors_num_values = data.num_factors, data.factors_num_values
        self.observation_shape = (1,)

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> np.ndarray:
        return self._data.sample_factors(num, random_state)

    def sample_observations_from_factors(
        self, factors: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        return self._data.sample_indices(factors, random_state)[:, None]

    def sample(self, num: int, random_state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        factors = self.sample_factors(num, random_state)
        return factors, self.sample_observations_from_factors(factors, random_state)

    def sample_observations(self, num: int, random_state: np.random.RandomState) -> np.ndarray:
        return self.sample(num, random_state)[1]
