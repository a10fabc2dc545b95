"""Pearson's test of independence, summed over strata."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causal_disent.protocols import IntArray

#: Cochran's rule: the p-value can be trusted if at most a fifth of the cells expect fewer than five points.
FEW, MOST_FEW = 5, 0.2


class ChiSquare(NamedTuple):
    """The statistic, its degrees of freedom, its p-value, and whether there were too few points to trust it."""

    statistic: float
    degrees: int
    p: float
    too_few_points: bool


def chi_square(first: IntArray, second: IntArray, given: IntArray | None = None) -> ChiSquare:
    r"""Are two discrete variables independent, given others?

    .. math:: \chi^2 = \sum_s \sum_{ij} \frac{(O_{sij} - E_{sij})^2}{E_{sij}}, \quad
              E_{sij} = \frac{O_{si\cdot} O_{s\cdot j}}{O_{s\cdot\cdot}}

    There is no continuity correction. In each stratum s only the values that occur in it count, so that the
    degrees of freedom are :math:`\sum_s (r_s - 1)(c_s - 1)`; where there are none, p is 1.

    Args:
        first: (points,) integers from 0.
        second: (points,) the same.
        given: (points, variables) the conditions, whose combinations are the strata; none if not given.

    Example:
        >>> first, second = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        >>> chi_square(first, second).statistic
        0.0
        >>> chi_square(first, first).statistic
        4.0
    """
    from scipy.stats import chi2

    strata: IntArray = np.zeros(len(first), dtype=np.int64)
    for condition in () if given is None else given.T:
        strata = _numbered(strata, condition)[1]
    # Values that do not occur in a stratum get no cell in its table.
    row_stratum, row = _numbered(strata, first)
    column_stratum, column = _numbered(strata, second)
    in_row, in_column, in_stratum = np.bincount(row), np.bincount(column), np.bincount(strata)
    cell_row, cell = _numbered(row, column)
    observed = np.bincount(cell)
    cell_column = column[np.unique(cell, return_index=True)[1]]
    expected = in_row[cell_row] * in_column[cell_column] / in_stratum[row_stratum[cell_row]]
    # An empty cell adds what it expects, and all cells together expect as many points as there are.
    empty = len(strata) - expected.sum()
    statistic = max(0.0, float(((observed - expected) ** 2 / expected).sum() + empty))
    num_rows, num_columns = np.bincount(row_stratum), np.bincount(column_stratum)
    degrees = int(((num_rows - 1) * (num_columns - 1)).sum())
    few = _num_below(in_row, in_column, row_stratum, column_stratum, in_stratum)
    p = float(chi2.sf(statistic, degrees)) if degrees else 1.0
    return ChiSquare(statistic, degrees, p, few > MOST_FEW * int((num_rows * num_columns).sum()))


def _numbered(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray]:
    """The pairs (first, second) that occur, numbered in order: the first of each, and each point's number."""
    size = int(second.max()) + 1
    keys, numbers = np.unique(first.astype(np.int64) * size + second, return_inverse=True)
    return keys // size, numbers.reshape(-1)


def _num_below(
    in_row: IntArray, in_column: IntArray, row_stratum: IntArray, column_stratum: IntArray, in_stratum: IntArray
) -> int:
    """How many cells expect fewer than `FEW` points."""
    few = 0
    for stratum, total in enumerate(in_stratum):
        columns = np.sort(in_column[column_stratum == stratum])
        needed = FEW * total / in_row[row_stratum == stratum]
        few += int(np.searchsorted(columns, needed, side="left").sum())
    return few
