"""Bins for continuous values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from causal_disent.arguments import check_at_least, check_matrix
from causal_disent.parts import part
from causal_disent.protocols import FloatArray, IntArray

#: Values that are so many times as large as they are apart are counted from the smallest.
LARGE_OFFSET = 1e9


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
        low, high = values.min(), values.max()
        if max(-low, high) > LARGE_OFFSET * (high - low):  # edges between such numbers would be rounded away
            values = values - low
        edges = np.histogram_bin_edges(values, num_bins)
        binned[:, column] = np.digitize(values, edges[:-1])
    return binned


@part("discretizer", supplied=("target",))
def discretizer(
    target: FloatArray,
    discretizer_fn: Callable[[FloatArray, int], IntArray] | None = None,
    num_bins: int = 20,
) -> FloatArray | IntArray:
    """`target` in bins if ``discretizer.discretizer_fn`` is bound, unchanged otherwise."""
    return target if discretizer_fn is None else discretizer_fn(target, num_bins)
