"""Rows of a table, sorted so that those that agree in some columns are neighbours, and draws among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.data.factor_table import value_rows
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray

#: Keys stay below this, far from where 64 bits overflow.
MOST_KEYS = 2**62


def factor_rows(data: Any) -> tuple[tuple[str, ...], IntArray, IntArray]:
    """What the factor table of finite data says.

    Returns:
        The names of the factors; the images (n,); the place of each factor's value among its values (n, factors).
    """
    with errors.readable("The data set"):
        if not hasattr(data, "factor_table"):
            raise errors.InvalidInput(
                f"A data set with a `factor_table` is needed; {type(data).__name__} has none."
            )
        table = data.factor_table
        return tuple(map(str, table.columns)), table.index.to_numpy(), value_rows(table)


class RowGroups:
    """Finds the rows that have given values in given columns, by bisection.

    Args:
        rows: (n, columns of the table) integers from 0.
        columns: the positions of the columns that count.
        sizes: how many values each of them may take.

    Attributes:
        order: (n,) positions of the rows, group after group.

    Example:
        >>> rows = np.array([[1, 0], [0, 2], [1, 2]])
        >>> groups = RowGroups(rows, [0], [2])
        >>> start, stop = groups.stretches(np.array([[1], [0]]))
        >>> groups.order[start[0] : stop[0]]
        array([0, 2])
    """

    def __init__(self, rows: IntArray, columns: Sequence[int], sizes: Sequence[int]) -> None:
        self._sizes = tuple(int(size) for size in sizes)
        self._known: dict[int, IntArray] = {}
        keys = self._keys(rows[:, list(columns)])
        self.order = np.argsort(keys, kind="stable")
        self._sorted = keys[self.order]

    def stretches(self, values: IntArray) -> tuple[IntArray, IntArray]:
        """Where in `order` the rows with these values (n, columns) start and stop; nowhere is start = stop."""
        keys = self._keys(np.asarray(values))
        return np.searchsorted(self._sorted, keys, side="left"), np.searchsorted(self._sorted, keys, side="right")

    @property
    def starts(self) -> IntArray:
        """Where in `order` each group of rows with the same values starts."""
        return np.flatnonzero(np.diff(self._sorted, prepend=-1))

    def _keys(self, values: IntArray) -> IntArray:
        """A number for each row, equal where the values are equal."""
        keys = np.zeros(len(values), dtype=np.int64)
        span = 1
        for place, size in enumerate(self._sizes):
            if span > MOST_KEYS // size:
                # More combinations than 64 bits can count: the keys that the table has so far are numbered anew.
                known = self._known.setdefault(place, np.unique(keys))
                found = np.minimum(np.searchsorted(known, keys), len(known) - 1)
                keys = np.where(known[found] == keys, found, len(known))
                span = len(known) + 1
            keys = keys * size + values[:, place]
            span *= size
        return keys


class WeightedRows:
    """Draws rows by weight among those that have given values.

    The rows are sorted, so that those of any values are one stretch of the cumulated weights.

    Args:
        rows: (n, factors) of `space`.
        weights: (n,).
        space: the factors that can be asked for.
    """

    def __init__(self, rows: IntArray, weights: FloatArray, space: StateSpace) -> None:
        self._space = space
        self._groups = RowGroups(rows, range(rows.shape[1]), space.sizes)
        self._cumulated = np.concatenate([[0.0], np.cumsum(weights[self._groups.order])])

    def group_weights(self) -> FloatArray:
        """The weight of each combination that there is."""
        return np.diff(self._cumulated[np.append(self._groups.starts, len(self._cumulated) - 1)])

    def draw(self, values: IntArray, random_state: np.random.RandomState, refusal: str) -> IntArray:
        """The position of one row for each of the `values` (n, factors).

        `refusal` has a place, ``{}``, for the first of them that no row has.
        """
        start, stop = self._groups.stretches(self._space.check(values))
        missing = np.flatnonzero(start == stop)
        if missing.size:
            which = f"{self._space.describe(values[missing[0]])} (row {missing[0]})"
            raise errors.InvalidInput(refusal.format(which))
        low, high = self._cumulated[start], self._cumulated[stop]
        target = low + random_state.random_sample(len(start)) * (high - low)
        place = np.searchsorted(self._cumulated, target, side="right") - 1
        # Rounding may carry a target onto the end of its stretch.
        return self._groups.order[np.clip(place, start, stop - 1)]
