"""disentanglement_lib's data sets for tests: noise, and factors that are their own observations."""

from __future__ import annotations

import numpy as np

from causal_disent import errors
from causal_disent.data.discrete import SampledData
from causal_disent.data.state_space import check_drawn
from causal_disent.protocols import FloatArray, IntArray


class _TenFactors(SampledData):
    """Ten factors with numbers for names."""

    num_factors = 10

    @property
    def factor_names(self) -> tuple[str, ...]:
        return tuple(f"factor_{i}" for i in range(self.num_factors))

    def _rows(self, factors: IntArray) -> IntArray:
        if factors.ndim != 2 or factors.shape[1] != self.num_factors:
            raise errors.InvalidInput(
                f"Factors must be of shape (points, {self.num_factors}); given: shape {factors.shape}."
            )
        return factors


class DummyData(_TenFactors):
    """10 factors of 5 values; images are uniform noise, 64x64x1, whatever the factors."""

    factors_num_values = [5] * 10
    observation_shape = (64, 64, 1)

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Rows (num, 10) of 0..4."""
        check_drawn(num)
        return random_state.randint(5, size=(num, self.num_factors))

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray:
        """Noise (n, 64, 64, 1)."""
        return random_state.random_sample(size=(len(self._rows(factors)), *self.observation_shape))


class IdentityData(_TenFactors):
    """10 factors of 10 values, 1 to 10, which are the observations too.

    disentanglement_lib declares one value per factor here; the number that is drawn is declared instead.
    """

    factors_num_values = [10] * 10
    observation_shape = (10,)

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Rows (num, 10) of 1..10: what the deprecated ``random_integers(10)`` drew."""
        check_drawn(num)
        return random_state.randint(1, 11, size=(num, self.num_factors))

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray:
        """A copy of the factors."""
        return np.array(self._rows(factors))
