"""Points to measure on, drawn in disentanglement_lib's order."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.data.independent_draws import IndependentDraws
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation, is_finite
from causal_disent.representation.code_table import BATCH_BYTES, CodeTable, checked_codes
from causal_disent.text import shown_value


class Draws:
    """Observations drawn one after the other, encoded together.

    The encoder uses no randomness, so it can run after the draws, on large batches, and once per
    distinct image where the data set is finite.
    """

    def __init__(self, data: GroundTruthData, representation: Representation) -> None:
        self._data: Any = data
        self._table = CodeTable.of(data, representation)
        self._finite = is_finite(data)
        self._waiting: list[Any] = []
        self._waiting_bytes = 0
        self._codes: list[FloatArray] = []

    def sample(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Draw `num` points; their factors."""
        if self._finite:
            factors = self._data.sample_factors(num, random_state)
            self.given(factors, random_state)
            return factors
        factors, images = self._data.sample(num, random_state)
        self._add_images(images)
        return factors

    def batches(self, num: int, batch_size: int, random_state: np.random.RandomState) -> IntArray:
        """Draw `num` points, `batch_size` at a time, as disentanglement_lib does; their factors."""
        at_once = IndependentDraws.of(self._data)
        if at_once is not None:
            indices, factors = at_once.points(num, batch_size, random_state)
            self._waiting.append(indices)
            return factors
        sizes = (min(batch_size, num - start) for start in range(0, num, batch_size))
        return np.concatenate([self.sample(size, random_state) for size in sizes])

    def given(self, factors: IntArray, random_state: np.random.RandomState) -> None:
        """Draw an observation for each row of factors."""
        if self._finite:
            self._waiting.append(self._data.sample_indices(factors, random_state))
        else:
            self._add_images(self._data.sample_observations_from_factors(factors, random_state))

    def codes(self) -> FloatArray:
        """The codes of all draws so far, in their order."""
        if self._finite:
            return self._table.codes_of(np.concatenate(self._waiting))
        self._encode_waiting()
        return np.concatenate(self._codes)

    def _add_images(self, images: FloatArray) -> None:
        self._waiting.append(np.asarray(images))
        self._waiting_bytes += self._waiting[-1].nbytes
        if self._waiting_bytes >= BATCH_BYTES:
            self._encode_waiting()

    def _encode_waiting(self) -> None:
        if self._waiting:
            self._codes.append(checked_codes(self._table, np.concatenate(self._waiting)))
            self._waiting.clear()
            self._waiting_bytes = 0


def sample_codes(
    data: GroundTruthData,
    representation: Representation,
    num_points: int,
    random_state: np.random.RandomState,
    batch_size: int,
) -> tuple[FloatArray, IntArray]:
    """Codes and factors of `num_points` points.

    Factors and observations are drawn `batch_size` at a time, as disentanglement_lib draws them, so the
    same seed gives the same points.

    Returns:
        codes (points, codes) and factors (points, factors).
    """
    for name, value in (("The number of points", num_points), ("`batch_size`", batch_size)):
        if value < 1:
            raise errors.InvalidInput(f"{name} must be at least 1; given: {shown_value(value)}.")
    draws = Draws(data, representation)
    factors = draws.batches(num_points, batch_size, random_state)
    return draws.codes(), factors


def fix_factor(
    data: Any, factors: IntArray, column: int, values: IntArray | int, random_state: np.random.RandomState
) -> IntArray:
    """Rows of factors whose `column` is set to `values`.

    The other columns stay as they were drawn, except on a confounded data set, where that could make a
    combination that does not exist: there they are drawn anew, given the value.
    """
    if getattr(data, "is_confounded", False):
        fixed = np.broadcast_to(values, len(factors)).reshape(-1, 1)
        return data.sample_factors_given([column], fixed, random_state)
    factors = np.array(factors)
    factors[:, column] = values
    return factors


def factor_names(data: Any) -> list[str]:
    """The data set's names of its factors, or their numbers."""
    return [str(name) for name in getattr(data, "factor_names", range(data.num_factors))]
