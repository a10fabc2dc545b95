"""Which factors metrics take: discrete ones, continuous ones as they are, or continuous ones in groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_numbers, check_at_least, check_columns, check_number, checked
from causal_disent.data.factor_columns import equal_bins
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import registry

#: Kind of factors that a metric takes -> the arguments that it needs then: ``"discrete"``; ``"continuous"``,
#: numbers as they are; ``"binned"``, continuous factors in equally filled bins, where the definition allows;
#: ``"neighbours"``, continuous ones as they are, by counting nearest neighbours; ``"code_groups"``, blocks of
#: codes in the place of codes.
Takes = Mapping[str, Mapping[str, Any]]
#: A factor is continuous if it has more different values than this part of the number of points.
ALL_DIFFERENT = 0.5
#: So many points at least can tell whole numbers that measure from whole numbers that name.
TELLING = 20
#: Bins of continuous factors where a metric takes them in bins, and nobody says how many.
BINS = 10
#: More bins than points could fill.
MOST_BINS = 10_000_000
#: Among the arguments that a metric needs: stands for the columns of the continuous factors.
COLUMNS = "<columns of the continuous factors>"
#: Among them: stands for the number of nearest neighbours.
NEIGHBOURS = "<number of neighbours>"
#: Among them: stands for the groups of codes. A metric that takes them by that argument declares it; one that
#: looks at all codes together takes ``"code_groups"`` without any.
GROUPS = "<groups of codes>"
#: What a metric of mutual information declares.
BY_NEIGHBOURS: Takes = {"neighbours": {"estimator": "neighbours", "num_neighbours": NEIGHBOURS}}
IN_GROUPS: Takes = {"code_groups": {"code_groups": GROUPS}}


def continuous_columns(factors: Any) -> list[int]:
    """The columns of (points, factors) numbers with nearly as many values as points: no two points share one.

    Example:
        >>> continuous_columns(np.column_stack([np.arange(40) % 4, np.linspace(0, 1, 40)]))
        [1]
    """
    return [i for i, column in enumerate(np.asarray(factors).T) if _is_continuous(column)]


def _is_continuous(column: FloatArray | IntArray) -> bool:
    most = ALL_DIFFERENT * len(column)
    if column.dtype.kind not in "iuf" or (
        column.dtype.kind != "f" and (len(column) < TELLING or int(column.max()) - int(column.min()) < most)
    ):
        return False
    # What is no number is for the metric to refuse.
    return (
        bool(np.isfinite(column).all()) and all_different(column) and (len(column) >= TELLING or not whole(column))
    )


def all_different(column: FloatArray | IntArray) -> bool:
    """Whether nearly every point has a value of its own."""
    return len(np.unique(column)) > ALL_DIFFERENT * len(column)


def whole(values: FloatArray | IntArray) -> bool:
    """Whether all are whole numbers that a float holds exactly."""
    return bool((np.abs(values) < 2**53).all() and (values == np.round(values)).all())


@checked
def equally_filled(factors: Any, bins: int, columns: Sequence[int] | None = None) -> Any:
    """`factors` with the continuous ones in bins of about equally many points; equal values share a bin.

    Args:
        factors: (points, factors) numbers.
        bins: how many.
        columns: which factors; by default those with nearly as many values as points.

    Example:
        >>> equally_filled(np.linspace(0, 1, 6)[:, None], 3, [0])[:, 0].tolist()
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    """
    check_at_least(2, bins=bins)
    check_number("`bins`", bins, at_most=MOST_BINS)
    matrix = np.array(as_numbers("`factors`", factors))
    if matrix.ndim != 2 or not matrix.size:
        raise errors.InvalidInput(f"`factors` must be of shape (points, factors); given: {matrix.shape}.")
    check_columns("columns", () if columns is None else columns, matrix.shape[1])
    for i in continuous_columns(matrix) if columns is None else columns:
        matrix[:, i] = equal_bins(matrix[:, i], bins)
    return matrix


def arguments_for(
    takes: Takes,
    columns: Sequence[int],
    code_groups: Sequence[Sequence[int]] | None = None,
    neighbours: int | None = None,
) -> dict[str, Any]:
    """What a metric is called with that takes these continuous factors as they are, perhaps by so many nearest
    neighbours, and groups of codes."""
    needed = dict(takes.get("continuous" if columns else "discrete", {}))
    needed |= takes.get("code_groups", {}) if code_groups else {}
    needed |= takes["neighbours"] if neighbours and counts_neighbours(takes) else {}
    given = {COLUMNS: tuple(columns), GROUPS: code_groups, NEIGHBOURS: neighbours}
    return {
        name: given[value] if isinstance(value, str) and value in given else value
        for name, value in needed.items()
    }


def counts_neighbours(takes: Takes) -> bool:
    """Whether a metric takes a number of nearest neighbours."""
    return NEIGHBOURS in takes.get("neighbours", {}).values()


def calculates(takes: Takes) -> bool:
    """Whether a metric reads all factors as numbers: it is called alike, whatever they are."""
    return takes.get("continuous") == takes.get("discrete", 0)


def _said_of_neighbours(takes: Takes) -> dict[str, Any]:
    return {name: value for name, value in takes.get("neighbours", {}).items() if value != NEIGHBOURS}


def asks_neighbours(takes: Takes, options: Mapping[str, Any]) -> bool:
    """Whether `options` have a metric count nearest neighbours."""
    said = _said_of_neighbours(takes)
    return bool(said) and all(options.get(name) == value for name, value in said.items())


def or_by_neighbours(takes: Takes) -> str:
    """What to add to a message about continuous factors."""
    return "".join(f"; or as they are, `{name}={value!r}`" for name, value in _said_of_neighbours(takes).items())


def in_words(takes: Takes) -> str:
    """What a metric takes. Several columns may be one factor where a value is no more than a name.

    Example:
        >>> in_words({"discrete": {}, "binned": {}})
        'discrete factors, groups of them, continuous ones in 10 bins'
    """
    words = {
        "discrete": "discrete factors" if calculates(takes) else "discrete factors, groups of them",
        "continuous": "continuous ones",
        "binned": f"continuous ones in {BINS} bins",
        "neighbours": "continuous ones by nearest neighbours",
        "code_groups": "groups of codes",
    }
    return ", ".join(words.get(kind, kind) for kind in takes) or "no factors"


def names_columns(takes: Takes) -> bool:
    """Whether a metric is told which factors are continuous, so that the others may be of any kind."""
    return COLUMNS in takes.get("continuous", {}).values()


def refusal(which: str, how: str) -> str:
    """What to say of continuous factors that are not taken, and what to do."""
    return (
        f"takes discrete factors, and these have nearly as many values as there are points: {which}. Have them "
        f"put into bins ({how}), leave them out, or use a metric that takes them: "
        f"{errors.listing(takers(), most=40)}"
    )


def takers(*kinds: str) -> Iterator[str]:
    """The metrics of codes and factors that take one of `kinds`: by default continuous factors, as they are or in
    stated bins."""
    wanted = set(kinds or ("continuous", "binned"))
    for entry in registry.entries("metrics"):
        if wanted & set(entry.facts.get("takes", ())) and entry.facts["needs"].arrays_suffice:
            yield entry.name


def _is_said(option: Any) -> bool:
    """Whether an option says something: columns, which may be an array, or a value that is true."""
    return bool(option.size if isinstance(option, np.ndarray) else option)


def refuse(name: str, takes: Takes, factors: Any = None, *_: Any, **options: Any) -> None:
    """Raise if `factors` (points, factors) are continuous, and a metric with such `options` does not take them."""
    needed = takes.get("continuous")
    by_itself = needed is not None and not any(needed.values())  # it sees what the factors are
    if (
        not takes
        or by_itself
        or asks_neighbours(takes, options)
        or np.ndim(factors) != 2
        or any(_is_said(options.get(name)) for name in needed or ())
    ):
        return
    if columns := continuous_columns(factors):
        how = "`equally_filled(factors, 10)` of causal_disent.metrics, `bins=10` of causal_disent.score"
        how += f"; or say so, `{next(iter(needed))}=...`" if needed else ""
        how += or_by_neighbours(takes)
        raise errors.InvalidInput(f"{name} {refusal(f'factor {errors.listing(columns)}', how)}.")
