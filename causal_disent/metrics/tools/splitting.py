"""Points to fit to, and others to test on."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Pairs, check_pairs, check_train_test, is_number
from causal_disent.protocols import IntArray
from causal_disent.text import shown_value

#: Of points given without others to test on, so many are held out.
TEST_SHARE = 1 / 3


def fit_and_test(
    codes: Any, factors: Any, test: Any, random_state: np.random.RandomState, **least: int
) -> tuple[Pairs, Pairs]:
    """Points to fit to and points to test on, checked.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        test: codes and factors of other points; or the share of the points that is held out, chosen at random.
        random_state: chooses them; it is left alone where there are other points.
        least: as for `check_pairs`.
    """
    if isinstance(test, (tuple, list)):
        return check_train_test((codes, factors), test, **least)  # type: ignore[arg-type]
    codes, factors = check_pairs(codes, factors, **least)
    kept, held_out = split_rows(len(codes), test, random_state)
    return (codes[kept], factors[kept]), (codes[held_out], factors[held_out])


def split_rows(num_points: int, test: Any, random_state: np.random.RandomState) -> tuple[IntArray, IntArray]:
    """Rows to fit to and rows to test on, chosen at random, of which `test` is the share."""
    num_test = round(num_points * test) if is_number(test) and 0 < test < 1 else 0
    if not 0 < num_test < num_points:
        raise errors.InvalidInput(
            "`test` is a pair (codes, factors), or the share of the points to hold out, between 0 and 1, that "
            f"leaves some to fit to and some to test on; given: {shown_value(test)} of {num_points} points."
        )
    order = random_state.permutation(num_points)
    return order[num_test:], order[:num_test]
