"""What a model may be told instead of all factors of all images: matches, ranks, some labels, boxes.

Everything is looked up in the factor table of a finite data set: no image is drawn or read, and where a
confounding forbids combinations both images of a pair exist. Each image of the table counts once, also where a
soft confounding makes some rare. Images are given as the indices that ``data.observations`` takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import checked, columns_of, is_number, is_whole
from causal_disent.data._near import near_pairs, tolerances
from causal_disent.data._partners import Partners
from causal_disent.data._row_groups import RowGroups, factor_rows
from causal_disent.data.factor_table import factor_values
from causal_disent.protocols import IntArray
from causal_disent.text import shown_value

#: The most sets of k factors that one call of `differing_pairs` looks at: all, up to 10 factors.
MOST_SETS = 256


class RankedPairs(NamedTuple):
    """Images (pairs, 2), and (pairs,) whether the first has the larger value."""

    images: IntArray
    first_is_larger: NDArray[np.bool_]


class DifferingPairs(NamedTuple):
    """Images (pairs, 2), and (pairs, factors) whether the two differ in a factor."""

    images: IntArray
    differs: NDArray[np.bool_]


class RestrictedLabels(NamedTuple):
    """Images (n,), their factors (n, factors) with -1 for what is not told, and (n, factors) what is told."""

    images: IntArray
    factors: IntArray
    is_known: NDArray[np.bool_]


@checked
def match_pairs(
    data: Any,
    factors: Sequence[str],
    num: int,
    random_state: np.random.RandomState,
    *,
    tolerance: float | Mapping[str, float] = 0.0,
) -> IntArray:
    """Pairs of different images that have the same value of each of `factors`.

    The first image is drawn among those that match another, the second among those that match it.

    Args:
        data: a data set with a factor table.
        factors: names of factors; the others may agree or not.
        num: how many pairs.
        random_state: what they are drawn with.
        tolerance: how far apart the numbers of matching values may be, in the units of `factor_values`: of each
            continuous factor, or factor -> of that factor. The values of other factors must be the same.

    Returns:
        Images (num, 2).

    Example:
        >>> from causal_disent import get_dataset
        >>> data = get_dataset("candle_mini")
        >>> pairs = match_pairs(data, ["color"], 3, np.random.RandomState(0))
        >>> color = data.factor_table["color"]
        >>> list(color[pairs[:, 0]]) == list(color[pairs[:, 1]])
        True
    """
    names, images, rows = _table(data, num)
    columns = columns_of(factors, names)
    values = factor_values(data, images)[:, columns]
    apart = tolerances(tolerance, factors, values)
    if apart.any():
        pairs = near_pairs(values, rows[:, columns], apart, num, random_state)
        if pairs is None:
            raise errors.InvalidInput(f"No two images of the data set are that near in {errors.listing(factors)}.")
        return images[pairs]
    groups = RowGroups(rows, columns, rows[:, columns].max(axis=0) + 1)
    start, stop = groups.stretches(rows[groups.order][:, columns])
    matched = np.flatnonzero(stop - start > 1)
    if not matched.size:
        raise errors.InvalidInput(f"No two images of the data set agree in {errors.listing(factors)}.")
    first = matched[random_state.randint(len(matched), size=num)]
    second = random_state.randint(start[first], stop[first] - 1)
    second += second >= first  # steps over the first itself
    return images[groups.order[np.stack([first, second], axis=1)]]


@checked
def rank_pairs(data: Any, factor: str, num: int, random_state: np.random.RandomState) -> RankedPairs:
    """Pairs of images with different values of `factor`, and which of the two is larger.

    All such pairs are equally likely. Values rank by their numbers (`factor_values`), or as the data set lists
    them where they are none.

    Example:
        >>> from causal_disent import get_dataset
        >>> data = get_dataset("candle_mini")
        >>> pairs = rank_pairs(data, "size", 2, np.random.RandomState(0))
        >>> data.factor_table["size"][pairs.images[:, 0]].tolist(), pairs.first_is_larger.tolist()
        (['large', 'small'], [True, False])
    """
    names, images, _ = _table(data, num)
    (column,) = columns_of([factor], names)
    values = factor_values(data, images)[:, column]
    order = np.argsort(values, kind="stable")
    values = values[order]
    start, stop = np.searchsorted(values, values, side="left"), np.searchsorted(values, values, side="right")
    size = stop - start
    chances = np.cumsum(len(values) - size)
    if not chances[-1]:
        raise errors.InvalidInput(f"All images of the data set have the same value of the factor '{factor}'.")
    first = np.searchsorted(chances, random_state.randint(chances[-1], size=num), side="right")
    second = random_state.randint(len(values) - size[first])
    second += size[first] * (second >= start[first])  # steps over the images with the first's value
    return RankedPairs(images[order[np.stack([first, second], axis=1)]], values[first] > values[second])


@checked
def differing_pairs(
    data: Any,
    num: int,
    random_state: np.random.RandomState,
    *,
    k: int | None = None,
    factors: Sequence[str] | None = None,
) -> DifferingPairs:
    """Pairs of images that differ in exactly `k` factors, or exactly in the `factors` named.

    Which k factors is drawn anew for each pair, among the sets of k factors in which some two images differ. The
    first image is drawn among those that have a partner, the second among its partners.

    Example:
        >>> from causal_disent import get_dataset
        >>> data = get_dataset("candle_mini", confounding="candle_color")
        >>> pairs = differing_pairs(data, 100, np.random.RandomState(0), k=2)
        >>> pairs.differs.sum(axis=1).tolist() == [2] * 100
        True
    """
    names, images, rows = _table(data, num)
    if (k is None) == (factors is None):
        raise errors.InvalidInput("Give `k`, in how many factors the images differ, or `factors`: in which.")
    if factors is not None:
        sets, wish = [tuple(columns_of(factors, names))], f"exactly in {errors.listing(factors)}"
    elif k is None or not is_whole(k) or not 1 <= k <= len(names):
        raise errors.InvalidInput(
            f"`k` is a whole number from 1 to {len(names)}, the number of factors; given: {shown_value(k)}."
        )
    else:
        sets, wish = _sets_of_columns(len(names), k, random_state), f"in exactly {k} of {errors.listing(names)}"
    pairs = _pairs_over_sets(rows, sets, num, random_state)
    if pairs is None:
        raise errors.InvalidInput(f"No two images of the data set differ {wish}.")
    return DifferingPairs(images[pairs], rows[pairs[:, 0]] != rows[pairs[:, 1]])


@checked
def restricted_labels(
    data: Any, random_state: np.random.RandomState, *, factors: Sequence[str] | None = None, fraction: float = 1.0
) -> RestrictedLabels:
    """The factors of some images, or some factors of all.

    Args:
        data: a data set with a factor table.
        random_state: what the images with labels are drawn with.
        factors: names of the factors that are told; all if not given.
        fraction: of the images, more than 0 and at most 1; at least one image has labels.

    Returns:
        A row for each image of the data set, in the order of its table.

    Example:
        >>> from causal_disent import get_dataset
        >>> data = get_dataset("candle_mini")
        >>> labels = restricted_labels(data, np.random.RandomState(0), factors=["color"], fraction=0.1)
        >>> labels.is_known.sum(axis=0)
        array([  0, 405,   0,   0,   0,   0])
    """
    names, images, rows = _table(data)
    if not is_number(fraction) or not 0 < fraction <= 1:
        raise errors.InvalidInput(f"`fraction` is more than 0 and at most 1; given: {shown_value(fraction)}.")
    columns = columns_of(names if factors is None else factors, names)
    told = random_state.permutation(len(rows))[: max(1, round(fraction * len(rows)))]
    is_known = np.zeros(rows.shape, dtype=bool)
    is_known[told[:, None], columns] = True
    return RestrictedLabels(images, np.where(is_known, rows, -1), is_known)


@checked
def bounding_boxes(data: Any, images: IntArray) -> IntArray:
    """(n, 4) xmin, ymin, xmax, ymax around the object in each image, in pixels from the top left, half-open."""
    with errors.readable("The data set"):
        boxes = getattr(data, "bounding_boxes", None)
    if boxes is None:
        raise errors.InvalidInput(f"The data set {type(data).__name__} has no bounding boxes.")
    return boxes(images)


def _table(data: Any, num: int = 1) -> tuple[tuple[str, ...], IntArray, IntArray]:
    if not is_whole(num) or num < 1:
        raise errors.InvalidInput(f"At least one pair must be asked for; given: {shown_value(num)}.")
    return factor_rows(data)


def _sets_of_columns(total: int, k: int, random_state: np.random.RandomState) -> list[tuple[int, ...]]:
    """All sets of `k` columns, or as many different ones as may be looked at."""
    if comb(total, k) <= MOST_SETS:
        return list(combinations(range(total), k))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < MOST_SETS:
        drawn.add(tuple(sorted(random_state.permutation(total)[:k].tolist())))
    return sorted(drawn)


def _pairs_over_sets(
    rows: IntArray, sets: list[tuple[int, ...]], num: int, random_state: np.random.RandomState
) -> IntArray | None:
    """Pairs (num, 2) of positions that differ in one of the `sets` each; None if there is no such pair."""
    pairs = np.empty((num, 2), dtype=np.int64)
    waiting = np.arange(num)
    while waiting.size:
        if not sets:
            return None
        chosen = random_state.randint(len(sets), size=len(waiting))
        barren = []
        for i in np.unique(chosen):
            drawn = Partners(rows, sets[i]).draw(int((chosen == i).sum()), random_state)
            if drawn is None:
                barren.append(i)
            else:
                pairs[waiting[chosen == i]] = drawn
        waiting = waiting[np.isin(chosen, barren)]
        sets = [columns for i, columns in enumerate(sets) if i not in barren]
    return pairs
