"""Every metric that codes and factors suffice for, on two matrices."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from inspect import signature
from math import isnan, nan
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_at_least, check_random_state, is_whole
from causal_disent.progress import steps
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import Entry, registry
from causal_disent.tables import Table, check_same_points, read_table

#: Kind of factors that a metric takes, ``"discrete"`` or ``"continuous"`` -> the arguments that it needs then.
Takes = Mapping[str, Mapping[str, Any]]
#: A factor has nearly as many values as there are points if it has more than this part of their number.
ALL_DIFFERENT = 0.5


@dataclass(frozen=True)
class MetricScore:
    """What one metric said of the points, or why it said nothing.

    Attributes:
        entry: the metric.
        result: what its function returned; None if it has no score.
        remark: why it has none; or how it was measured, where that is not the usual way.
        failed: whether it was tried.
    """

    entry: Entry
    result: Any = None
    remark: str = ""
    failed: bool = False

    @property
    def score(self) -> float:
        """The headline, NaN if there is none."""
        return nan if self.result is None else float(self.result.score)


@dataclass(frozen=True)
class Points:
    """Codes and factors of the same points, checked; what no metric can use is left out.

    Attributes:
        codes: the table of codes.
        factors: the table of factors that vary.
        continuous: the factors with nearly as many values as points.
        notes: what was left out, and what is odd, in words.
        bins: into how many equally filled bins metrics of discrete factors get the continuous ones, if at all.
    """

    codes: Table
    factors: Table
    continuous: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bins: int | None = None


def read_points(codes: Any, factors: Any, *, bins: int | None = None) -> Points:
    """Two matrices as somebody has them, checked once for all metrics."""
    if bins is not None:
        check_at_least(2, bins=bins)
    code_table, factor_table = read_table("codes", codes), read_table("factors", factors)
    check_same_points(code_table, factor_table)
    constant = _constant(code_table)
    if len(constant) == len(code_table.names):
        raise errors.InvalidInput("Every code is the same at all points, so that there is nothing to measure.")
    notes = [f"the same at all points, a dead code: {errors.listing(constant)}"] if constant else []
    factor_table, left_out = _useful(factor_table)
    columns = zip(factor_table.names, factor_table.values.T, strict=True)
    many = [name for name, column in columns if _all_different(column)]
    return Points(code_table, factor_table, tuple(many), (*notes, *left_out), bins)


def _constant(table: Table) -> list[str]:
    same = table.values.min(axis=0) == table.values.max(axis=0)
    return [name for name, constant in zip(table.names, same, strict=True) if constant]


def _useful(factors: Table) -> tuple[Table, list[str]]:
    """The factors of which something can be said, and what to note of the others."""
    constant = _constant(factors)
    columns = dict(zip(factors.names, factors.values.T, strict=True))
    labels = [name for name in factors.categories if name not in constant and _all_different(columns[name])]
    notes = []
    if constant:
        notes.append(f"left out, for it has one value only: {errors.listing(constant)}")
    if labels:
        notes.append(f"left out, for nearly every point has a name of its own: {errors.listing(labels)}")
    kept = [name for name in factors.names if name not in {*constant, *labels}]
    if not kept:
        raise errors.InvalidInput(
            f"There is no factor to measure by; {'; '.join(notes)}. A factor has two or more values, each at "
            "several points."
        )
    kept_columns = [factors.names.index(name) for name in kept]
    return replace(factors, values=factors.values[:, kept_columns], names=tuple(kept)), notes


def _all_different(column: FloatArray) -> bool:
    return len(np.unique(column)) > ALL_DIFFERENT * len(column)


def score_points(
    points: Points, metrics: str | Sequence[str] | None, random_state: Any, *, fast: bool
) -> list[MetricScore]:
    """What each metric says of the points; one that fails does not stop the others.

    Args:
        points: of `read_points`.
        metrics: their names; all by default.
        random_state: seed or generator. Each metric starts from the same seed, so that its score does not depend
            on which others are asked for.
        fast: boosted trees on binned codes where boosted trees are the default.
    """
    generator = check_random_state(random_state)
    seed = int(random_state) if is_whole(random_state) else int(generator.randint(2**31 - 1))
    entries = list(registry.entries("metrics")) if metrics is None else _named(metrics)
    rows = [replace(MetricScore(entry), remark=_reason_against(entry, points)) for entry in entries]
    # Those that take long come last, so that the others need not wait for them.
    to_do = sorted(
        (row.entry for row in rows if not row.remark), key=lambda entry: entry.facts["fast"] is not None
    )
    by_name = {entry.name: entry for entry in to_do}
    with closing(steps(list(by_name), "score")) as names:
        done = [_measured(by_name[name], points, seed, fast) for name in names]
    return done + [row for row in rows if row.remark]


def _named(metrics: str | Sequence[str]) -> list[Entry]:
    """The metrics that were asked for by name, each of which arrays must suffice for."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise errors.InvalidInput("`metrics` is a list of names, or None for all; given: an empty list.")
    entries = [registry.get("metrics", name) for name in dict.fromkeys(names)]
    for entry in entries:
        if reason := _more_than_arrays(entry):
            enough = [other.name for other in registry.entries("metrics") if not _more_than_arrays(other)]
            raise errors.InvalidInput(
                f"The metric '{entry.name}' {reason}: run it with `dlib_evaluate`, or with "
                f"`causal_disent.get_metric`. Codes and factors suffice for: {errors.listing(enough, most=40)}."
            )
    return entries


def _more_than_arrays(entry: Entry) -> str:
    if "function" not in entry.facts:
        return f"has no function of arrays (its plugin, {entry.owner}, declares none)"
    needs = entry.facts["needs"]
    return "" if needs.arrays_suffice else f"needs {needs}"


def _reason_against(entry: Entry, points: Points) -> str:
    """Why a metric cannot be tried on these points, or nothing."""
    if reason := _more_than_arrays(entry):
        return reason
    takes = entry.facts["takes"]
    if takes and points.continuous and "continuous" not in takes and points.bins is None:
        return (
            "takes discrete factors, and these have nearly as many values as there are points: "
            f"{errors.listing(points.continuous)}. Leave them out, or have them put into bins (`bins=10`, say)"
        )
    if points.factors.unordered and _reads_numbers(takes, points):
        return f"takes numbers, and the values of these have no order: {errors.listing(points.factors.unordered)}"
    return ""


def _as_continuous(takes: Takes, points: Points) -> bool:
    return bool(points.continuous) and "continuous" in takes


def _reads_numbers(takes: Takes, points: Points) -> bool:
    """Whether a metric calculates with the values of these factors: it is called as it is with continuous ones."""
    return _as_continuous(takes, points) or takes.get("continuous") == takes.get("discrete", 0)


def _measured(entry: Entry, points: Points, seed: int, fast: bool) -> MetricScore:
    function, takes = entry.facts["function"], entry.facts["takes"]
    binned = bool(takes and points.continuous and "continuous" not in takes)
    remarks = [f"{errors.listing(points.continuous)} in {points.bins} equally filled bins"] if binned else []
    options = dict(takes.get("continuous" if _as_continuous(takes, points) else "discrete", {}))
    if "random_state" in signature(function).parameters:
        options["random_state"] = np.random.RandomState(seed)
    if fast and entry.facts["fast"]:
        options |= entry.facts["fast"]
        remarks.append("by histogram boosting")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            # Copies: nothing that one metric does to its arrays reaches the others.
            result = function(points.codes.values.copy(), _factors_for(takes, points), **options)
            undefined = isnan(result.score)
        except Exception as error:  # a metric is foreign code
            return MetricScore(entry, None, _failure(error), failed=True)
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            remarks.append(str(warning.message).removeprefix(f"{entry.name}: "))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if undefined:
        return MetricScore(entry, None, "; ".join(["it is not defined on these points", *remarks]), failed=True)
    return MetricScore(entry, result, "; ".join(remarks))


def _factors_for(takes: Takes, points: Points) -> FloatArray | IntArray:
    """The factors as a metric takes them: as numbers, or as labels with continuous factors in bins."""
    matrix = points.factors.values.copy()
    if not _reads_numbers(takes, points):
        for i, name in enumerate(points.factors.names):
            if name in points.continuous and points.bins is not None:
                matrix[:, i] = _equally_filled(matrix[:, i], points.bins)
            elif not _whole(matrix[:, i]):
                matrix[:, i] = np.unique(matrix[:, i], return_inverse=True)[1]
    return matrix.astype(np.int64) if _whole(matrix) else matrix


def _whole(values: FloatArray) -> bool:
    return bool((np.abs(values) < 2**53).all() and (values == np.round(values)).all())


def _equally_filled(column: FloatArray, bins: int) -> IntArray:
    """The bin of each value; equal values are in the same."""
    edges = np.unique(np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, column, side="right")


def _failure(error: Exception) -> str:
    text = errors.text_of(error).strip().split("\n")[0]
    return text if isinstance(error, errors.CausalDisentError) else f"{type(error).__name__}: {text}"
