"""What every data set over a state space has in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Checked, check_columns
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import Shown

#: What a part of a data set, in factors or images, has if the whole has it.
OF_THE_WHOLE = ("bounding_boxes", "graph", "counterfactual", "counterfactual_values", "keeps_the_rest")


class SampledData(Shown, Checked):
    """Factors first, then observations: a subclass says how each is drawn.

    What its methods, and those of subclasses, are given is checked by their annotations.
    """

    factor_names: Any
    factors_num_values: Any
    observation_shape: Any

    @property
    def num_images(self) -> int | None:
        """How many images there are; None where each is drawn anew, or where counting them takes time."""
        return None

    def _shows(self) -> Iterator[str]:
        shape = "x".join(map(str, self.observation_shape))
        yield f"images {shape}" if self.num_images is None else f"{self.num_images:,} images {shape}"
        sizes = zip(self.factor_names, self.factors_num_values, strict=True)
        yield ", ".join(f"{name} {size}" for name, size in sizes)

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Rows of factors (num, factors)."""
        raise NotImplementedError

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray:
        """An observation for each row of factors."""
        raise NotImplementedError

    def sample(self, num: int, random_state: np.random.RandomState) -> tuple[IntArray, FloatArray]:
        """Factors and observations."""
        factors = self.sample_factors(num, random_state)
        return factors, self.sample_observations_from_factors(factors, random_state)

    def sample_observations(self, num: int, random_state: np.random.RandomState) -> FloatArray:
        """Observations alone."""
        return self.sample(num, random_state)[1]


class DiscreteData(SampledData):
    """Names and sizes from the state space in `space`."""

    space: StateSpace

    @property
    def factor_names(self) -> tuple[str, ...]:
        return self.space.factor_names

    @property
    def value_names(self) -> tuple[tuple[str, ...], ...]:
        return tuple(self.space.value_names.values())

    @property
    def num_factors(self) -> int:
        return self.space.num_factors

    @property
    def factors_num_values(self) -> list[int]:
        """Per factor: how many values it has."""
        return list(self.space.sizes)


class IndexedData(DiscreteData):
    """A known set of images: factors choose an index, which stands for an image."""

    def sample_indices(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """The image of each row of factors (n, factors)."""
        raise NotImplementedError

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, h, w, c) of these indices, float32 in [0, 1]."""
        raise NotImplementedError

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray:
        """An image for each row of factors."""
        return self.observations(self.sample_indices(factors, random_state))


def fixed_values(columns: Sequence[int], values: IntArray, num_factors: int) -> IntArray:
    """`values` as (n, columns), of which each is the place of a factor; or an error."""
    check_columns("columns", columns, num_factors)
    number = len(columns)
    # One column may be given flat, and one point as a row.
    shaped = values.reshape(-1, number) if number and values.size % number == 0 else values
    if shaped.ndim != 2 or shaped.shape[1] != number:
        raise errors.InvalidInput(
            f"`values` must be of shape (points, {number}), a value for each of the columns; given: shape "
            f"{values.shape}."
        )
    return shaped


def of_the_whole(data: Any, name: str, factor_names: Sequence[str]) -> Any:
    """What `data` has by one of the names `OF_THE_WHOLE`, for a part that shows these factors alone."""
    whole = getattr(data, name)
    if name != "counterfactual_values":
        return whole
    columns = [data.factor_names.index(factor) for factor in factor_names]
    return lambda indices, do: whole(indices, do)[:, columns]
