"""Bins for continuous values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_matrix
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import part

#: Values that are so many times as large as they are apart are counted from the smallest.
LARGE_OFFSET = 1e9

#: Values and a number of bins -> the bin of each value.
Discretizer = Callable[[FloatArray, int], IntArray]


@part("histogram_discretizer", supplied=("target",))
def histogram_discretizer(target: FloatArray, num_bins: int) -> IntArray:
    """Equally wide bins from each column's smallest to its largest value, numbered from 1.

    Args:
        target: (points, columns).
        num_bins: bins per column.
    """
    target = check_matrix("target", target, columns="columns")
    check_at_least(1, num_bins=num_bins)
    binned = np.empty(target.shape, dtype=np.int64)
    for column, values in enumerate(target.T):
        offset, edges = bin_edges(np.array([values.min(), values.max()]), num_bins)
        binned[:, column] = np.digitize(values - offset if offset else values, edges)
    return binned


def bin_edges(ends: FloatArray, num_bins: int) -> tuple[Any, FloatArray]:
    """Of numbers between `ends` (smallest, largest): what to take off first, and where each bin then begins.

    Example:
        >>> bin_edges(np.array([0.0, 1.0]), 4)
        (0, array([0.  , 0.25, 0.5 , 0.75]))
    """
    low, high = ends
    # Edges between numbers of a large offset would be rounded away.
    offset = low if max(-low, high) > LARGE_OFFSET * (high - low) else 0
    return offset, np.histogram_bin_edges(ends - offset if offset else ends, num_bins)[:-1]


@part("discretizer", supplied=("target",))
def discretizer(
    target: FloatArray,
    discretizer_fn: Discretizer | None = None,
    num_bins: int = 20,
) -> FloatArray | IntArray:
    """`target` in bins if ``discretizer.discretizer_fn`` is bound, unchanged otherwise."""
    return target if discretizer_fn is None else discretizer_fn(target, num_bins)
