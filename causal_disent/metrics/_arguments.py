"""What metrics with a training and a test set accept, and factors that never vary."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics._checks import check_pairs
from causal_disent.protocols import FloatArray, IntArray

__all__ = ["MatrixFunction", "Pairs", "check_at_least", "check_train_test", "varying_factors"]

#: Codes (points, codes) and factors (points, factors) of the same points.
Pairs = tuple[FloatArray, IntArray]
#: (codes, train points), (factors, train points), and the same of test points, to a (codes, factors) matrix.
MatrixFunction = Callable[..., FloatArray]


def check_at_least(least: int, **values: Any) -> None:
    """Whole numbers, none of them below `least`."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise errors.InvalidInput(f"`{name}` must be a whole number, at least {least}; given: {value!r}.")


def check_train_test(
    train: Pairs, test: Pairs, *, min_codes: int = 1, min_factors: int = 1
) -> tuple[Pairs, Pairs]:
    """Two sets of points with the same codes and factors."""
    checked = []
    for name, pair in (("train", train), ("test", test)):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise errors.InvalidInput(f"`{name}` must be a pair (codes, factors); given: {type(pair).__name__}.")
        try:
            checked.append(check_pairs(*pair, min_codes=min_codes, min_factors=min_factors))
        except errors.InvalidInput as error:
            raise errors.InvalidInput(f"`{name}`: {error.message}") from None
    shapes = [(codes.shape[1], factors.shape[1]) for codes, factors in checked]
    if shapes[0] != shapes[1]:
        raise errors.InvalidInput(
            "`train` and `test` must have the same codes and factors; given: "
            + " and ".join(f"{codes} codes, {factors} factors" for codes, factors in shapes)
            + "."
        )
    return checked[0], checked[1]


def varying_factors(factors: FloatArray | IntArray, metric: str) -> IntArray:
    """The columns of `factors` that vary; of the others nothing can be said, and a warning says that."""
    varies = factors.min(axis=0) != factors.max(axis=0)
    if not varies.any():
        raise errors.InvalidInput(f"{metric} needs a factor that varies; all {len(varies)} are constant.")
    if not varies.all():
        constant = errors.listing(np.flatnonzero(~varies))
        warnings.warn(f"{metric} leaves out factors that never vary: {constant}.", stacklevel=3)
    return np.flatnonzero(varies)
