"""Bins for continuous values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from causal_disent.parts import part
from causal_disent.protocols import FloatArray, IntArray


@part("histogram_discretizer", supplied=("target",))
def histogram_discretizer(target: FloatArray, num_bins: int) -> IntArray:
    """Equally wide bins from each column's smallest to its largest value, numbered from 1.

    Args:
        target: (points, columns).
        num_bins: bins per column.
    """
    binned = np.empty(target.shape, dtype=np.int64)
    for column, values in enumerate(np.asarray(target).T):
        binned[:, column] = np.digitize(values, np.histogram(values, num_bins)[1][:-1])
    return binned


@part("discretizer", supplied=("target",))
def discretizer(
    target: FloatArray,
    discretizer_fn: Callable[[FloatArray, int], IntArray] | None = None,
    num_bins: int = 20,
) -> FloatArray | IntArray:
    """`target` in bins if ``discretizer.discretizer_fn`` is bound, unchanged otherwise."""
    return target if discretizer_fn is None else discretizer_fn(target, num_bins)
