"""Base class of data sets that are two-step generative models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class GroundTruthData:
    """Factors first, then observations given the factors; a subclass says how each is drawn."""

    @property
    def num_factors(self) -> int:
        raise NotImplementedError()

    @property
    def factors_num_values(self) -> Sequence[int]:
        raise NotImplementedError()

    @property
    def observation_shape(self) -> Any:
        raise NotImplementedError()

    def sample_factors(self, num: int, random_state: Any) -> Any:
        """Factors (num, factors)."""
        raise NotImplementedError()

    def sample_observations_from_factors(self, factors: Any, random_state: Any) -> Any:
        """An observation for each row of factors."""
        raise NotImplementedError()

    def sample(self, num: int, random_state: Any) -> tuple[Any, Any]:
        """Factors and observations."""
        factors = self.sample_factors(num, random_state)
        return factors, self.sample_observations_from_factors(factors, random_state)

    def sample_observations(self, num: int, random_state: Any) -> Any:
        """Observations alone."""
        return self.sample(num, random_state)[1]
