"""Grids that show most of how two columns depend on each other: the cells behind MIC and TIC.

The search is ApproxMaxMI (Reshef et al. 2011) and EquicharClump (Reshef et al. 2016): one axis is cut into bins of
about equal size, the other is cut where the mutual information is largest, by dynamic programming.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent.protocols import FloatArray, IntArray

#: Cuts looked at together in the dynamic programme: their costs then stay in the processor's cache.
BLOCK = 64


def best_cells(
    x: NDArray[Any], y: NDArray[Any], *, max_cells: float, clump_factor: float, both_ways: bool
) -> FloatArray:
    """The normalised information of the best grid found for each number of bins.

    Args:
        x: (points,) numbers.
        y: (points,) numbers.
        max_cells: a grid has at most so many cells, at least 4.
        clump_factor: so many times as many places to cut as there may be bins.
        both_ways: cut either axis equally and keep the larger value; else only the axis with more bins, and x
            where both have as many.

    Returns:
        (bins, bins), in [0, 1]; entry (r, s) for r + 2 bins on y and s + 2 on x; NaN where they are too many.
    """
    largest = int(max_cells / 2)
    on_x, on_y = _Axis(x), _Axis(y)
    cells = np.zeros((largest - 1, largest - 1))
    for bins in range(2, largest + 1):
        most = int(max_cells / bins)
        # More clumps than points there cannot be.
        max_clumps = max(int(min(clump_factor * most, len(x))), 1)
        for equal, free, row, tie in ((on_y, on_x, cells[bins - 2], 0), (on_x, on_y, cells[:, bins - 2], 1)):
            most_free = most if both_ways else min(most, bins - 1 + tie)
            if most_free >= 2:
                found = row[: most_free - 1]
                np.maximum(found, _best_row(equal, free, bins, most_free, max_clumps), out=found)
    numbers = np.arange(2, largest + 1)
    cells[np.multiply.outer(numbers, numbers) > max_cells] = np.nan
    return cells


class _Axis:
    """A column's distinct values in order: the group of each point, and where the groups begin and end."""

    def __init__(self, values: NDArray[Any]) -> None:
        _, self.groups, sizes = np.unique(values, return_inverse=True, return_counts=True)
        self.order = np.argsort(self.groups, kind="stable")
        ends = np.cumsum(sizes)
        self.ends: list[int] = ends.tolist()
        self.begins = ends - sizes

    def equal_bins(self, num_bins: int) -> tuple[IntArray, int]:
        """The bin of each point (points,), and how many bins there are."""
        firsts = equipartition(self.ends, num_bins)
        return _numbered(firsts, len(self.ends))[self.groups], len(firsts)

    def clumps(self, rows: IntArray, max_clumps: int) -> IntArray:
        """Where clumps begin among points in order, whose bins on the other axis are `rows`.

        No best grid cuts between neighbours of one row, so these are one clump. Of points with one value, no
        cut separates any.
        """
        lowest = np.minimum.reduceat(rows, self.begins)
        mixed = lowest != np.maximum.reduceat(rows, self.begins)
        new = np.ones(len(lowest), dtype=bool)
        new[1:] = (lowest[1:] != lowest[:-1]) | mixed[1:] | mixed[:-1]
        begins = self.begins[new]
        if len(begins) > max_clumps:
            begins = begins[equipartition([*begins[1:].tolist(), len(rows)], max_clumps)]
        return begins


def equipartition(ends: Sequence[int], num_bins: int) -> list[int]:
    """The first group of each bin when groups are put into at most `num_bins` bins of about equal size, in order.

    A group opens a new bin if that leaves the open one no farther from its fair share of the points than the
    group would; the share of the later bins is taken anew from the points that are left.

    Args:
        ends: how many points the groups up to each have together, increasing.
        num_bins: at least 1. Large groups can leave fewer.

    Example:
        >>> equipartition([1, 2, 3, 4, 5, 6], 3)
        [0, 2, 4]
        >>> equipartition([4, 5, 6], 3)
        [0, 1, 2]
        >>> equipartition([5, 6], 3)
        [0, 1]
    """
    firsts, before, share = [0], 0, ends[-1] / num_bins
    while True:
        # The distance from the share shrinks up to here, so that only this group is in question.
        group = bisect_right(ends, before + share, firsts[-1] + 1)
        if group < len(ends) and abs(ends[group] - before - share) < abs(ends[group - 1] - before - share):
            group += 1
        if group >= len(ends):
            return firsts
        before = ends[group - 1]
        share = (ends[-1] - before) / (num_bins - len(firsts))
        firsts.append(group)


def _numbered(begins: Sequence[int] | IntArray, length: int) -> IntArray:
    """(length,) numbers from 0 that rise by one at each of `begins` but the first."""
    steps = np.zeros(length, dtype=np.intp)
    steps[begins[1:]] = 1
    return np.cumsum(steps)


def _best_row(equal: _Axis, free: _Axis, num_bins: int, most: int, max_clumps: int) -> FloatArray:
    """(most - 1,) normalised information with 2 to `most` bins on `free` and `num_bins` equal ones on `equal`."""
    bins, num_rows = equal.equal_bins(num_bins)
    rows = bins[free.order]
    begins = free.clumps(rows, max_clumps)
    if len(begins) == 1:
        return np.zeros(most - 1)
    clumps = _numbered(begins, len(rows))
    counts = np.bincount(clumps * num_rows + rows, minlength=len(begins) * num_rows).reshape(-1, num_rows)
    weighted_logs = _weighted_logs(len(rows))
    entropy = weighted_logs[-1] - weighted_logs[counts.sum(axis=0)].sum()
    information = (entropy - _least_entropies(counts, most, weighted_logs)) / len(rows)
    # More bins than clumps tell no more than the clumps do.
    information = information[np.minimum(np.arange(1, most), len(information) - 1)]
    largest = np.log(np.minimum(np.arange(2, most + 1), num_rows))
    return np.clip(information / largest, 0.0, 1.0)  # rounding apart it is inside


@lru_cache(maxsize=4)
def _weighted_logs(num_points: int) -> FloatArray:
    """m log m for each m from 0 to `num_points`: entropies of counts are sums of these."""
    sizes = np.arange(num_points + 1.0)
    return sizes * np.log(np.maximum(sizes, 1.0))


def _least_entropies(counts: IntArray, most: int, weighted_logs: FloatArray) -> FloatArray:
    """Least entropy of rows given bins, times points, for 1 to `most` bins of neighbouring clumps.

    Args:
        counts: (clumps, rows) points.
        most: bins; no more than there are clumps come back.
        weighted_logs: m log m for each number of points m from 0.
    """
    num_clumps = len(counts)
    most = min(most, num_clumps)
    up_to = np.zeros((counts.shape[1], num_clumps + 1), dtype=np.intp)
    np.cumsum(counts.T, axis=1, out=up_to[:, 1:])
    total = up_to.sum(axis=0)
    bin_logs = weighted_logs.copy()
    bin_logs[0] = np.inf  # no bin is empty
    # Entry (l, t): the first t clumps in l bins.
    least = np.full((most + 1, num_clumps + 1), np.inf)
    least[0, 0] = 0.0
    for low in range(1, num_clumps + 1, BLOCK):
        high = min(low + BLOCK, num_clumps + 1)
        # Entry (t, s): the clumps from s to low + t as one bin. Where s is not before, sizes are below 0, taken
        # for 0 by "clip", and the bin is empty.
        costs = bin_logs.take(total[low:high, None] - total[:high], mode="clip")
        for row in up_to:
            costs -= weighted_logs.take(row[low:high, None] - row[:high], mode="clip")
        sums = np.empty_like(costs)
        for bins in range(1, most + 1):
            np.add(costs, least[bins - 1, :high], out=sums)
            np.minimum.reduce(sums, axis=1, out=least[bins, low:high])
    return least[1:, -1]
