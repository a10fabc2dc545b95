"""What metrics accept. Every message names the argument and the place of the first fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray

__all__ = ["check_choice", "check_matrix", "check_pairs", "check_random_state", "check_rho"]


def check_matrix(name: str, values: Any, *, columns: str) -> FloatArray:
    """`values` as a finite matrix (points, `columns`) with at least one row and one column."""
    matrix = np.asarray(values)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise errors.InvalidInput(
            f"`{name}` must have shape (points, {columns}) with at least one of each; given: {matrix.shape}."
        )
    if matrix.dtype.kind not in "biuf":
        raise errors.InvalidInput(f"`{name}` must hold numbers; given: dtype {matrix.dtype}.")
    if matrix.dtype.kind == "f":
        # One pass that allocates nothing; a sum is finite unless an entry is not (or it overflows).
        with np.errstate(all="ignore"):
            suspicious = not np.isfinite(matrix.sum(dtype=np.float64))
        if suspicious and not np.isfinite(matrix).all():
            row, column = np.argwhere(~np.isfinite(matrix))[0]
            raise errors.InvalidInput(
                f"`{name}` must be finite; point {row} has {matrix[row, column]} in column {column}."
            )
    return matrix


def check_pairs(codes: Any, factors: Any, *, min_codes: int = 1, min_factors: int = 1) -> tuple[Any, Any]:
    """Codes (points, codes) and the factors (points, factors) of the same points."""
    codes = check_matrix("codes", codes, columns="codes")
    factors = check_matrix("factors", factors, columns="factors")
    if len(codes) != len(factors):
        raise errors.InvalidInput(
            f"`codes` and `factors` must describe the same points; given: {len(codes)} and {len(factors)} rows."
        )
    if codes.shape[1] < min_codes:
        raise errors.InvalidInput(f"At least {min_codes} codes are needed; given: {codes.shape[1]}.")
    if factors.shape[1] < min_factors:
        raise errors.InvalidInput(f"At least {min_factors} factors are needed; given: {factors.shape[1]}.")
    return codes, factors


def check_rho(rho: Any, num_codes: int) -> int:
    """How many codes a factor is given: a whole number from 1 to `num_codes`."""
    if isinstance(rho, bool) or not isinstance(rho, (int, np.integer)) or not 1 <= rho <= num_codes:
        raise errors.InvalidInput(
            f"`rho`, the number of codes that a factor is given, is a whole number from 1 to {num_codes} "
            f"(the number of codes); given: {rho!r}."
        )
    return int(rho)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of `choices`."""
    if value not in choices:
        raise errors.unknown(f"`{name}`", value, choices)
    return value


def check_random_state(random_state: np.random.RandomState | int) -> np.random.RandomState:
    """A seed or a generator, as a generator."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    return np.random.RandomState(random_state)
