"""Values per factor, where factors that never vary are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import varying_factors
from causal_disent.protocols import FloatArray, IntArray


def varies(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each column of `matrix` takes more than one value."""
    return matrix.min(axis=0) != matrix.max(axis=0)


def varying_in_both(train_factors: IntArray, test_factors: IntArray, metric: str) -> IntArray:
    """The columns that vary in both sets; a warning names the others."""
    both = np.where(varies(test_factors), train_factors, 0)
    return varying_factors(both, metric)


def several_varying(factors: FloatArray | IntArray, metric: str, at_least: int) -> IntArray:
    """The columns of `factors` that vary, of which the metric needs `at_least` so many."""
    columns = varying_factors(factors, metric)
    if len(columns) < at_least:
        raise errors.InvalidInput(
            f"{metric} needs at least {at_least} factors that vary; of {factors.shape[1]} given, "
            f"{len(columns)} does."
        )
    return columns


def in_place(values: FloatArray, columns: IntArray, num_columns: int) -> FloatArray:
    """`values` at their `columns`, NaN elsewhere.

    Example:
        >>> in_place(np.array([0.5]), np.array([1]), 2)
        array([nan, 0.5])
    """
    placed = np.full(num_columns, np.nan)
    placed[columns] = values
    return placed
