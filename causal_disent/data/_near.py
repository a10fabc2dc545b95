"""Pairs of points whose numbers are near each other: what matches, where nothing is ever the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_not_negative
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

#: Rounding may carry a number over the border by less than this part of the tolerance.
SLACK = 1e-9


def tolerances(given: float | Mapping[str, float], factors: Sequence[str], values: FloatArray) -> FloatArray:
    """(factors,): how far apart the values (points, factors) of a match may be.

    Args:
        given: one tolerance for the continuous factors, or factor -> tolerance.
        factors: the names of the columns.
        values: (points, factors); where all are whole, one tolerance for all does not mean that factor.
    """
    if not isinstance(given, Mapping):
        check_not_negative(tolerance=given)
        return np.where((values % 1 != 0).any(axis=0), given, 0.0)
    for factor, apart in given.items():
        if factor not in factors:
            raise errors.unknown("factor in `tolerance`:", factor, factors)
        check_not_negative(**{f"tolerance[{shown_value(factor)}]": apart})
    return np.array([given.get(factor, 0.0) for factor in factors])


def near_pairs(
    values: FloatArray, places: IntArray, apart: FloatArray, num: int, random_state: np.random.RandomState
) -> IntArray | None:
    """Pairs of points that are at most `apart` in each column.

    Args:
        values: (points, columns) numbers.
        places: (points, columns) the place of each value among the values, which counts where `apart` is 0.
        apart: (columns,).
        num: how many pairs. The first point is drawn among those that have a match, the second among its matches.
        random_state: what they are drawn with.

    Returns:
        Positions (num, 2); None if no two points match.
    """
    from scipy.spatial import KDTree

    # In units of what is allowed. Places of different values are one apart at least, which is made too far.
    scaled = np.where(apart > 0, values / np.where(apart > 0, apart, 1.0), 2.0 * places)
    tree, reach = KDTree(scaled), 1 + SLACK
    nearest = tree.query(scaled, k=[2], p=np.inf)[0][:, 0]  # but for the point itself
    candidates = np.flatnonzero(nearest <= reach)
    if not candidates.size:
        return None
    first = candidates[random_state.randint(len(candidates), size=num)]
    second = np.empty_like(first)
    asked, starts = np.unique(first[by_point := np.argsort(first, kind="stable")], return_index=True)
    for point, asking in zip(asked, np.split(by_point, starts[1:]), strict=True):
        matches = np.array(tree.query_ball_point(scaled[point], reach, p=np.inf, return_sorted=True))
        matches = matches[matches != point]
        second[asking] = matches[random_state.randint(len(matches), size=len(asking))]
    return np.stack([first, second], axis=1)
