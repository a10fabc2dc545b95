"""Codes and factors as a graph, tied where a score is large: what falls together at which threshold."""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray, IntArray


def precision_curve(matrix: FloatArray) -> tuple[FloatArray, IntArray]:
    """The entries of (codes, factors) as thresholds, descending, and the groups that each leaves.

    Example:
        >>> precision_curve(np.array([[0.9, 0.1], [0.2, 0.8]]))
        (array([0.9, 0.8, 0.2, 0.1]), array([1, 2, 1, 1]))
    """
    thresholds = np.sort(matrix, axis=None)[::-1]
    return thresholds, np.array([independent_groups(matrix, threshold) for threshold in thresholds])


def independent_groups(matrix: FloatArray, threshold: float) -> int:
    """Into how many groups codes and factors fall, tied where the score reaches `threshold` and is not 0."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    codes, factors = np.nonzero((matrix >= threshold) & (matrix != 0))
    num_codes, num_factors = matrix.shape
    size = num_codes + num_factors
    ties = coo_matrix((np.ones(len(codes)), (codes, factors + num_codes)), shape=(size, size))
    labels = connected_components(ties, directed=False)[1]
    return len(np.unique(labels[codes]))


def factor_merges(matrix: FloatArray) -> dict[tuple[int, int], int]:
    """After how many ties, from the strongest down, two factors are in one group.

    Args:
        matrix: (codes, factors) scores.

    Returns:
        The number of earlier ties for each pair of factors.

    Example:
        >>> factor_merges(np.array([[0.9, 0.1], [0.2, 0.8]]))
        {(0, 1): 2}
    """
    num_factors = matrix.shape[1]
    groups: list[list[int]] = [[i] for i in range(num_factors)] + [[] for _ in matrix]
    merges = {}
    for position, tie in enumerate(np.argsort(matrix, axis=None, kind="stable")[::-1]):
        code, factor = divmod(int(tie), num_factors)
        first, second = groups[factor], groups[num_factors + code]
        if first is second:
            continue
        # Factors alone count, so a code that is new to a group brings none along.
        merges.update(
            {(a, b): position for a in _factors(first, num_factors) for b in _factors(second, num_factors)}
        )
        joined = first + (second or [num_factors + code])
        for member in joined:
            groups[member] = joined
    return merges


def _factors(group: list[int], num_factors: int) -> list[int]:
    return [member for member in group if member < num_factors]
