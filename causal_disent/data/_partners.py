"""For rows of a table: rows that differ from them in some columns, all of them, and agree in the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causal_disent.data._row_groups import RowGroups
from causal_disent.protocols import IntArray

#: How often a partner is guessed among the rows that agree, before all of them are compared.
GUESSES = 40
#: Comparisons of two rows at a time.
CHUNK = 2**21


class Partners:
    """Draws pairs of rows that differ exactly in `differing`.

    Args:
        rows: (n, columns) integers from 0.
        differing: the positions of the columns in which the two rows of a pair differ.
    """

    def __init__(self, rows: IntArray, differing: Sequence[int]) -> None:
        agreeing = [column for column in range(rows.shape[1]) if column not in differing]
        groups = RowGroups(rows, agreeing, rows[:, agreeing].max(axis=0) + 1)
        self._order = groups.order
        self._start, self._stop = groups.stretches(rows[:, agreeing])
        # Narrow numbers make the comparisons fast.
        self._differing = rows[:, list(differing)].astype(np.min_scalar_type(int(rows.max())))
        varies = bool((self._differing != self._differing[0]).any(axis=0).all())
        self._may_have_one = (self._stop - self._start > 1) & varies

    def draw(self, num: int, random_state: np.random.RandomState) -> IntArray | None:
        """Pairs (num, 2) of positions: a row that has partners, then one of these; None if no row has any."""
        pairs = np.empty((num, 2), dtype=np.int64)
        waiting = np.arange(num)
        while waiting.size:
            candidates = np.flatnonzero(self._may_have_one)
            if not candidates.size:
                return None
            first = candidates[random_state.randint(len(candidates), size=len(waiting))]
            second = self._partners_of(first, random_state)
            self._may_have_one[first[second < 0]] = False
            pairs[waiting] = np.stack([first, second], axis=1)
            waiting = waiting[second < 0]
        return pairs

    def _partners_of(self, first: IntArray, random_state: np.random.RandomState) -> IntArray:
        """A partner of each of these rows (n,), or -1 where there is none."""
        second = np.full(len(first), -1, dtype=np.int64)
        waiting = np.arange(len(first))
        for _ in range(GUESSES):
            if not waiting.size:
                return second
            rows = first[waiting]
            guess = self._order[random_state.randint(self._start[rows], self._stop[rows])]
            differs = (self._differing[guess] != self._differing[rows]).all(axis=1)
            second[waiting[differs]] = guess[differs]
            waiting = waiting[~differs]
        if waiting.size:
            second[waiting] = self._search(first[waiting], random_state)
        return second

    def _search(self, first: IntArray, random_state: np.random.RandomState) -> IntArray:
        """The same by comparing each row with all that agree, for rows with few partners or none."""
        # Rows of a group stand together, so that the group's other rows are fetched once.
        by_group = np.lexsort([first, self._start[first]])
        second = np.full(len(first), -1, dtype=np.int64)
        for places in _stretches(by_group, self._start[first[by_group]]):
            start, stop = self._start[first[places[0]]], self._stop[first[places[0]]]
            different = np.cumsum(np.diff(first[places], prepend=first[places[0]]) > 0)
            for asking in _stretches(places, different // max(1, CHUNK // (stop - start))):
                second[asking] = self._choose(first[asking], self._order[start:stop], random_state)
        return second

    def _choose(self, first: IntArray, others: IntArray, random_state: np.random.RandomState) -> IntArray:
        """For each row of `first`, which is sorted: one of the `others` that is a partner, or -1."""
        rows, asking = np.unique(first, return_inverse=True)
        differs = np.ones((len(rows), len(others)), dtype=bool)
        for column in self._differing.T:
            differs &= column[rows][:, None] != column[others]
        owners, partners = np.nonzero(differs)
        start, stop = np.searchsorted(owners, asking, side="left"), np.searchsorted(owners, asking, side="right")
        chosen = np.full(len(first), -1, dtype=np.int64)
        found = stop > start
        chosen[found] = others[partners[random_state.randint(start[found], stop[found])]]
        return chosen


def _stretches(values: IntArray, labels: IntArray) -> list[IntArray]:
    """`values` cut wherever the `labels` (n,) change."""
    return np.split(values, np.flatnonzero(np.diff(labels)) + 1)
