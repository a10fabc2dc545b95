"""Entropy and mutual information of discrete columns, in nats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_matrix, check_pairs
from causal_disent.metrics.tools.discretize import discretizer, histogram_discretizer
from causal_disent.protocols import FloatArray, IntArray

#: Sums of logarithms of counts are rounded to about this; less information than that is none.
ROUNDING = 1e-13


#: How codes are put into bins: in so many equally wide ones, or by a function (points, codes) -> whole numbers.
Bins = int | Callable[[FloatArray], IntArray]


def codes_in_bins(codes: FloatArray) -> IntArray:
    """`codes` as gin's discretizer bins them; in equally wide bins if no ``discretizer_fn`` is bound."""
    binned = discretizer(codes)
    return discretizer(codes, histogram_discretizer) if binned is codes else binned


#: For `metric`: configs decide about the bins by ``discretizer``, and not by the argument.
GIN_BINS = {"num_bins": lambda data: codes_in_bins}


def in_bins(codes: FloatArray, num_bins: Bins) -> IntArray:
    """`codes` in bins, in as many as there are or as the function has it."""
    if callable(num_bins) and not isinstance(num_bins, type):
        return num_bins(codes)
    check_at_least(1, num_bins=num_bins)
    return histogram_discretizer(codes, num_bins)


def entropies(factors: IntArray) -> FloatArray:
    """Entropy of each column of (points, columns), in nats.

    Example:
        >>> entropies(np.array([[0, 7], [1, 7]])).round(3)
        array([0.693, 0.   ])
    """
    matrix: Any = check_matrix("factors", factors, columns="columns")
    num_points, table = len(matrix), times_log(len(matrix))
    columns = [_Column(values) for values in matrix.T]
    return np.array([not_negative(np.log(num_points) - c.sum(table) / num_points) for c in columns])


def mutual_information_matrix(binned_codes: IntArray, factors: IntArray) -> FloatArray:
    r"""Mutual information of each code with each factor, in nats.

    .. math:: I(z; g) = \log n + \frac1n \Big(\sum_{zg} c_{zg} \log c_{zg} - \sum_z c_z \log c_z
        - \sum_g c_g \log c_g\Big)

    with :math:`c` the number of the n points that have a value, or a pair of values.

    Args:
        binned_codes: (points, codes), discrete.
        factors: (points, factors), discrete, the same rows.

    Returns:
        (codes, factors), at least 0.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mutual_information_matrix(v, v).round(3)
        array([[0.693, 0.   ],
               [0.   , 0.693]])
    """
    binned_codes, factors = check_pairs(binned_codes, factors)
    num_points, table = len(factors), times_log(len(factors))
    codes = [_Column(values) for values in binned_codes.T]
    targets = [_Column(values) for values in factors.T]
    apart = np.add.outer([code.sum(table) for code in codes], [target.sum(table) for target in targets])
    together = np.array([[code.joint_sum(target, table) for target in targets] for code in codes])
    return not_negative(np.log(num_points) + (together - apart) / num_points)


class _Column:
    """Values as labels from 0, and how often each occurs."""

    def __init__(self, values: IntArray) -> None:
        self.labels, self.num_labels = _labels(values)
        self.counts = np.bincount(self.labels)

    def sum(self, table: FloatArray) -> float:
        """Sum of c log c over the values, looked up in the `table` of `times_log`."""
        return float(table[self.counts].sum())

    def joint_sum(self, other: _Column, table: FloatArray) -> float:
        """Sum of c log c over the pairs of values."""
        pairs = self.labels * other.num_labels + other.labels
        if self.num_labels * other.num_labels <= 2 * len(pairs) + 1000:
            counts = np.bincount(pairs)
        else:  # a table of mostly empty cells would take more memory than the points
            counts = np.unique(pairs, return_counts=True)[1]
        return float(table[counts].sum())


def _labels(values: IntArray) -> tuple[IntArray, int]:
    """Small whole numbers that tell the values apart, and a bound on them."""
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low <= len(values):
            return (values - low).astype(np.intp), high - low + 1
    distinct, labels = np.unique(values, return_inverse=True)
    return labels.astype(np.intp), len(distinct)


def times_log(largest: int) -> FloatArray:
    """c log c for c = 0 .. `largest`: counts are whole numbers, so no logarithm is taken twice."""
    counts = np.arange(largest + 1, dtype=np.float64)
    counts[1:] *= np.log(counts[1:])
    return counts


def not_negative(information: FloatArray) -> FloatArray:
    """Information, or entropy, without what rounding has put below 0."""
    return np.where(information < ROUNDING, 0.0, information)
