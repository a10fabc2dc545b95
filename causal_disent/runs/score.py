"""Every metric that codes and factors suffice for, on two matrices."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from itertools import groupby
from math import inf, isnan, nan
from pickle import PicklingError
from time import monotonic
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.adapter import refusal_with_takers, takers
from causal_disent.checks import check_at_least, check_random_state, is_whole
from causal_disent.metrics.arrays import active_codes, all_groups
from causal_disent.metrics.certainty import SPLITS, Asked, Certainty, certainty, correct_shares
from causal_disent.metrics.contract import (
    BINS,
    NotDefined,
    Takes,
    are_all_different,
    are_whole,
    arguments_for,
    calculates,
    continuous_columns,
    count_fits_of,
    counts_neighbours,
    equally_filled,
    names_columns,
)
from causal_disent.metrics.fitting import count_jobs, run_in_processes
from causal_disent.metrics.large import (
    LARGE,
    MEASURED,
    MOST_DENSE,
    as_dense,
    as_large,
    check_large,
    describe_large,
)
from causal_disent.metrics.recount import FAST, together
from causal_disent.metrics.reuse import reused, reusing
from causal_disent.plugins import BUILTIN
from causal_disent.processes import TimeUp, run_until, usable_cores
from causal_disent.progress import progress_is_shown, progress_shown, steps
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import Entry, registry
from causal_disent.report.panel import ALL, CLASSIC, CLASSIC_METRICS, DEFAULT, PANEL
from causal_disent.runs.dependence import MOST_CLASSES, describe_association, describe_dependence, read_blocks
from causal_disent.tables import Table, check_same_points, code_places, grouped, read_table, without_missing
from causal_disent.text import say

#: Resamples and permutations unless somebody says how many: enough to see, and done in seconds.
BOOTSTRAP, CHANCE = 50, 20
#: What is said of metrics that take long, where nobody says how many.
NOT_ASKED = "no interval and chance level, for that takes long: `bootstrap=200, chance=20` asks for them"
#: Why there are not more scores.
TIME_OVER, STOPPED = "the time was over", "it was interrupted"
#: Of the time that is left, the part that resamples may take: one that has begun is done.
RESAMPLED = 0.9
#: About how long metrics take beside each other: those that are resampled as they are, those that are not, those
#: that take long.
CHEAP, COSTLY, SLOW = 1.0, 25.0, 150.0
#: What `certainty` is called with, but for what is asked.
Job = tuple[Mapping[str, Any], Callable[..., Any], Sequence[Any], Mapping[str, Any], float]
#: A factor of more than `MOST_CLASSES` values is continuous if they are fractions, or have fewer points each.
POINTS_PER_CLASS = 5
#: Part of a code's variance that a factor explains at least, if the code is not dead.
EXPLAINED = 0.1
#: A code whose range falls to less than this part without one point is decided by it.
ONE_POINT = 0.5
#: From so many points on, intervals take longer than processes to start.
WORTH_WORKERS = 3000


@dataclass(frozen=True)
class MetricScore:
    """What one metric said of the points, or why it said nothing.

    Attributes:
        entry: the metric.
        result: what its function returned; None if it has no score.
        remark: why it has none; or how it was measured, where that is not the usual way.
        failed: whether it was tried.
        sure: its interval and chance level.
    """

    entry: Entry
    result: Any = None
    remark: str = ""
    failed: bool = False
    sure: Certainty = Certainty()

    def __reduce__(self) -> Any:
        """Pickle the metric by its name: its function stands behind a wrapper of the same name."""
        return _restore, (self.entry.name, self.result, self.remark, self.failed, self.sure)

    @property
    def score(self) -> float:
        """The headline, NaN if there is none."""
        return nan if self.result is None else float(self.result.score)


def _restore(name: str, *values: Any) -> MetricScore:
    """What `MetricScore.__reduce__` has taken apart."""
    return MetricScore(registry.get("metrics", name), *values)


@dataclass(frozen=True)
class Points:
    """Codes and factors of the same points, checked; what no metric can use is left out.

    Attributes:
        codes: the table of codes.
        factors: the table of factors that vary.
        continuous: the factors with too many values to be classes.
        notes: what was left out, and what is odd, in words.
        bins: into how many equally filled bins metrics of discrete factors get the continuous ones, if at all.
        code_groups: the columns of the codes that are one concept each, if any.
        neighbours: by how many nearest neighbours metrics of information estimate it, if not by bins.
        blocks: (points,) the block of each row, where rows depend on each other.
        robust: whether metrics that one point may decide are measured by quantiles.
        large: whether the codes are a sparse matrix, or an array that is read in blocks of columns.
    """

    codes: Table
    factors: Table
    continuous: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bins: int | None = None
    code_groups: Sequence[Sequence[int]] | None = None
    neighbours: int | None = None
    blocks: IntArray | None = None
    robust: bool = False
    large: bool = False


def read_points(
    codes: Any,
    factors: Any,
    *,
    bins: int | None = None,
    neighbours: int | None = None,
    factor_groups: Any = None,
    code_groups: Any = None,
    drop_missing: bool = False,
    blocks: Any = None,
    robust: bool = False,
) -> Points:
    """Two matrices as somebody has them, checked once for all metrics."""
    if neighbours is not None:
        check_at_least(1, neighbours=neighbours)
    if bins is not None:
        check_at_least(2, bins=bins)
    present = None
    if drop_missing:
        codes, factors, present = without_missing(codes, factors)
    large = None if drop_missing else as_large(codes)
    if large is not None:
        check_large(large)
        code_table = Table(large, tuple(f"code_{i}" for i in range(large.shape[1])))
    else:
        code_table = read_table("codes", codes)
    factor_table = read_table("factors", factors)
    check_same_points(code_table, factor_table)
    labels = read_blocks(blocks, code_table.values.shape[0] if present is None else len(present))
    if labels is not None and present is not None:
        labels = read_blocks(labels[present], int(present.sum()))  # those that are left may be too few
    missing = 0 if present is None else int((~present).sum())
    constant = _constant(code_table)
    if len(constant) == len(code_table.names):
        raise errors.InvalidInput("Every code is the same at all points, so that there is nothing to measure.")
    notes = [f"the same at all points, a dead code: {errors.listing(constant)}"] if constant else []
    if large is not None:
        notes.append(describe_large(large))
    else:
        notes += _odd_codes(code_table, factor_table, constant, blocks is not None)
    if pair := describe_association(factor_table.values, factor_table.names):
        notes.append(
            f"{pair}. A perfect code of one tells of the other, so that MIG, SAP and DCI fall. If one causes the "
            "other, UC is not defined for them"
        )
    notes += [
        f"{errors.listing(names)} are one-hot: exactly one of them is 1 at each point. Give them as one factor: "
        f"factor_groups={{'name': {names}}}, or --factor_groups name={','.join(names)}"
        for names in _one_hot_groups(factor_table)
        if factor_groups is None
    ]
    notes += [f"left out, for a value is missing: {missing:,} point{'s' * (missing > 1)}"] if missing else []
    groups = code_places(code_groups, code_table.names)
    all_groups(groups, len(code_table.names))
    if factor_groups is not None:
        factor_table, told = _in_groups(factor_table, factor_groups, bins or BINS)
        notes += told
    factor_table, left_out = _useful(factor_table)
    columns = zip(factor_table.names, factor_table.values.T, strict=True)
    many = [name for name, column in columns if _is_measurement(name, column, factor_table)]
    factor_table.values.flags.writeable = False  # all metrics get the same
    if large is None:
        code_table.values.flags.writeable = False
    elif groups is not None or neighbours is not None or robust:
        raise errors.InvalidInput(
            "`code_groups`, `neighbours` and `robust` are for codes of less than "
            f"{LARGE / 2**20:.0f} MB as an array; these are read in blocks of columns."
        )
    return Points(
        code_table,
        factor_table,
        tuple(many),
        (*notes, *left_out),
        bins,
        groups,
        neighbours,
        labels,
        robust,
        large is not None,
    )


def _odd_codes(codes: Table, factors: Table, constant: Sequence[str], in_blocks: bool) -> Iterator[str]:
    """What to note of codes and of rows."""
    if dead := [name for name in _dead_codes(codes, factors) if name not in constant]:
        yield (
            f"hardly varies beside the other codes and differs between no factor's values, perhaps a dead code: "
            f"{errors.listing(dead)}"
        )
    if far := _decided_by_one_point(codes):
        yield (
            f"one point alone makes half of the range of {errors.listing(far)} or more: bins of equal width, "
            "largest deviations and correlations follow it. Leave it out if it is an error; robust=True, or "
            "--robust, measures by quantiles and ranks where there is a way"
        )
    if not in_blocks and (why := describe_dependence(codes.values, factors.values)):
        yield f"{why}. Intervals are too narrow, and chance is reached too rarely: give blocks=..., or --blocks"
    if _look_swapped(codes, factors):
        yield "every code is a whole number and every factor continuous: are codes and factors swapped?"


def _decided_by_one_point(codes: Table) -> list[str]:
    """The codes whose range is less than half as large without their most distant point."""
    ordered = np.sort(codes.values, axis=0)
    if len(ordered) < 3:
        return []
    ranges = ordered[-1] - ordered[0]
    without = np.minimum(ordered[-1] - ordered[1], ordered[-2] - ordered[0])
    return [name for name, one in zip(codes.names, without < ONE_POINT * ranges, strict=True) if one]


def _dead_codes(codes: Table, factors: Table) -> Iterator[str]:
    """The codes of a small range that also tell nothing of any factor; another unit alone makes no code dead."""
    for name, column, is_active in zip(codes.names, codes.values.T, active_codes(codes.values), strict=True):
        if not is_active and not any(_explains(factor, column) for factor in factors.values.T):
            yield name


def _explains(factor: FloatArray, code: FloatArray) -> bool:
    """Whether a factor's values, in bins if they are many, explain a tenth of a code's variance or more."""
    labels = np.unique(factor, return_inverse=True)[1]
    if (number := labels.max() + 1) > MOST_CLASSES:
        labels = labels * BINS // number
    counts = np.bincount(labels)
    means = np.bincount(labels, code) / np.maximum(counts, 1)
    variance = code.var()
    by_chance = (np.count_nonzero(counts) - 1) / len(code)
    return bool(variance > 0 and np.var(means[labels]) / variance - by_chance >= EXPLAINED)


def _look_swapped(codes: Table, factors: Table) -> bool:
    """Whether the codes look like factors, and the factors like codes."""
    classes = all(are_whole(column) and not are_all_different(column) for column in codes.values.T)
    return classes and not factors.categories and all(map(are_all_different, factors.values.T))


def _one_hot_groups(factors: Table) -> Iterator[list[str]]:
    """Neighbouring columns of 0 and 1, three or more, exactly one of which is 1 at each point."""
    begin, total = 0, np.zeros(len(factors.values))
    for end, (name, column) in enumerate(zip(factors.names, factors.values.T, strict=True), start=1):
        total = total + column
        if name in factors.categories or not np.isin(column, (0, 1)).all() or total.max() > 1:
            begin, total = end, np.zeros(len(column))
        elif total.min() == 1:
            if end - begin > 2:
                yield list(factors.names[begin:end])
            begin, total = end, np.zeros(len(column))


def _is_measurement(name: str, column: FloatArray, factors: Table) -> bool:
    """Whether a factor is continuous: its values are too many to be classes of these points."""
    if are_all_different(column):
        return True
    if name in factors.categories or (number := len(np.unique(column))) <= MOST_CLASSES:
        return False
    return not are_whole(column) or number > len(column) / POINTS_PER_CLASS


def _in_groups(factors: Table, groups: Any, bins: int) -> tuple[Table, list[str]]:
    """Several columns as one factor: their combinations, continuous columns in bins; and what to note."""
    labels = equally_filled(factors.values, bins)
    binned = [factors.names[i] for i in continuous_columns(factors.values)]
    found = grouped(factors, groups, labels)
    binned = [name for name in binned if name not in found.names]
    notes = [f"one factor: {name} ({errors.listing(groups[name])})" for name in groups]
    return found, notes + [f"{errors.listing(binned)} in {bins} equally filled bins"] * bool(binned)


def _constant(table: Table) -> list[str]:
    least, most = table.values.min(axis=0), table.values.max(axis=0)
    same = (least != most).toarray().ravel() == 0 if hasattr(least, "toarray") else least == most
    return [name for name, constant in zip(table.names, same, strict=True) if constant]


def _useful(factors: Table) -> tuple[Table, list[str]]:
    """The factors of which something can be said, and what to note of the others."""
    constant = dict.fromkeys(_constant(factors))
    columns = dict(zip(factors.names, factors.values.T, strict=True))
    labels = [name for name in factors.categories if name not in constant and are_all_different(columns[name])]
    notes = []
    if constant:
        notes.append(f"left out, for it has one value only: {errors.listing(constant)}")
    if labels:
        notes.append(f"left out, for nearly every point has a name of its own: {errors.listing(labels)}")
    useless = {*constant, *labels}
    kept = [name for name in factors.names if name not in useless]
    if not kept:
        raise errors.InvalidInput(
            f"There is no factor to measure by; {'; '.join(notes)}. A factor has two or more values, each at "
            "several points."
        )
    names = set(kept)
    kept_columns = [place for place, name in enumerate(factors.names) if name in names]
    return replace(factors, values=factors.values[:, kept_columns], names=tuple(kept)), notes


def score_points(
    points: Points,
    metrics: str | Sequence[str] | None,
    random_state: Any,
    *,
    fast: bool,
    bootstrap: int | None = None,
    chance: int | None = None,
    until: float = inf,
) -> tuple[list[MetricScore], str]:
    """What each metric says of the points; one that fails does not stop the others.

    Quick metrics come first, then their intervals and chance levels, then metrics that take long. Where somebody
    stops it, or the time is over, what has been measured stays.

    Args:
        points: of `read_points`.
        metrics: their names, ``"all"`` or ``"dlib"``; the default panel if None.
        random_state: seed or generator. Each metric starts from the same seed, so that its score does not depend
            on which others are asked for.
        fast: boosted trees on binned codes where boosted trees are the default.
        bootstrap: resamples for the intervals; by default some, for metrics that are quick.
        chance: permutations for the chance levels; by default some, for metrics that are quick.
        until: when to end, by `time.monotonic`. Metrics that take long have intervals and chance levels too then,
            as far as there is time.

    Returns:
        The scores, and why there are not more of them, if the time or somebody has stopped it.
    """
    seed = seed_of(random_state)
    asked = Asked(_or(bootstrap, BOOTSTRAP), _or(chance, CHANCE), seed, points.blocks, splits=SPLITS)
    slow = asked if until < inf else replace(asked, bootstrap=bootstrap or 0, chance=chance or 0)
    if points.large:
        asked = slow
        if progress_is_shown():
            say(describe_large(points.codes.values), error=True)
    work = _Work(choose_metrics(metrics, points), points, seed, fast, asked, slow, until)
    stopped = ""
    try:
        run_until(until, work.run)
    except TimeUp:
        stopped = TIME_OVER
    except KeyboardInterrupt:
        if not work.jobs:
            raise
        stopped = STOPPED
    rows = _correct_for_all(work.result(stopped))
    unasked = bootstrap is None and chance is None and until == inf
    told = [NOT_ASKED if unasked and (points.large or _is_slow(row.entry)) else row.sure.remark for row in rows]
    return [_remarked(row, remark) for row, remark in zip(rows, told, strict=True)], stopped


class _Work:
    """The scores of one call, and how sure each is, step by step; what is done stays if a step is stopped."""

    def __init__(
        self,
        entries: Sequence[Entry],
        points: Points,
        seed: int,
        fast: bool,
        asked: Asked,
        asked_of_slow: Asked,
        until: float,
    ) -> None:
        self._points, self._seed, self._fast, self._until = points, seed, fast, until
        self._rows = {entry.name: _unmeasured(entry, points) for entry in entries}
        to_do = [row.entry for row in self._rows.values() if not row.remark]
        self._quick = [entry for entry in to_do if not _is_slow(entry)]
        self._slow = sorted(filter(_is_slow, to_do), key=_most_points, reverse=True)
        self._asked, self._asked_of_slow = asked, asked_of_slow
        self._done: dict[str, MetricScore] = {}
        self._sure: dict[str, Certainty] = {}
        self.jobs: dict[str, Job] = {}

    def run(self) -> None:
        """All steps, with one line that tells which one it is and how long the rest takes."""
        plan = list(self._plan())
        names, weights = [name for name, _, _ in plan], [weight for _, weight, _ in plan]
        with closing(steps(names, "score", weights=weights, until=self._until)) as at_work, reusing():
            for _, (_, _, do) in zip(at_work, plan, strict=True):
                if monotonic() >= self._until:
                    raise TimeUp
                with progress_shown(False):
                    do()

    def result(self, stopped: str) -> list[MetricScore]:
        """The rows in the order in which they were measured; last those that could not be."""
        order = [*self._quick, *self._slow]
        found = [
            self._done.get(entry.name, MetricScore(entry, remark=f"not measured, for {stopped}"))
            for entry in order
        ]
        asked = {entry.name: self._asked_of_slow if _is_slow(entry) else self._asked for entry in order}
        for i, row in enumerate(found):
            if row.result is None:
                continue
            one = asked[row.entry.name]
            lacks = stopped and row.entry.name not in self._sure and (one.bootstrap or one.chance)
            found[i] = replace(
                _remarked(row, f"no interval and chance level, for {stopped}" if lacks else ""),
                sure=self._sure.get(row.entry.name, Certainty()),
            )
        return found + [row for row in self._rows.values() if row.remark]

    def _plan(self) -> Iterator[tuple[str, float, Callable[[], None]]]:
        """Each step: its name, about how long it takes beside the score of a quick metric, and what it does."""
        quick, asked = sorted(self._quick, key=_weight), self._asked
        # Where time is short, the cheapest have their intervals before the others have scores.
        parts = [quick] if self._until == inf else [list(part) for _, part in groupby(quick, key=_weight)]
        for part in parts:
            for entry in part:
                yield entry.name, _weight(entry), partial(self._measure, entry)
            if part and (asked.bootstrap or asked.chance):
                label = f"intervals and chance levels of {len(part)} metrics"
                weight = sum(5 * _weight(entry) ** 0.5 for entry in part) * (asked.bootstrap + asked.chance) / 70
                is_last = part is parts[-1] and not self._slow
                yield label, weight, partial(self._be_sure_of_quick, part, is_last)
        for entry in self._slow:
            yield entry.name, SLOW, partial(self._measure, entry)
        asked = self._asked_of_slow
        for entry in self._slow if asked.bootstrap or asked.chance else ():
            weight = SLOW * (asked.bootstrap + asked.chance) / 20
            yield f"{entry.name}, interval and chance level", weight, partial(self._be_sure_of_slow, entry)

    def _measure(self, entry: Entry) -> None:
        row, job = measure_one(entry, self._points, self._seed, self._fast)
        self._done[entry.name] = row
        if job:
            self.jobs[entry.name] = job

    def _be_sure_of_quick(self, entries: Sequence[Entry], is_last: bool) -> None:
        """Several metrics at a time, if there are points enough for processes; half of the time is for others."""
        names = [entry.name for entry in entries if entry.name in self.jobs]
        # The costly ones first, so that none is left to run alone at the end.
        families = sorted(together(names), key=lambda family: family[0] in FAST)
        left = RESAMPLED * (self._until - monotonic())
        seconds = left if is_last else left / 2
        groups = [[self.jobs[name] for name in family] for family in families]
        done = _in_processes(groups, self._asked, seconds, self._points.codes.values.shape[0])
        for family, sure in zip(families, done, strict=True):
            self._sure.update(zip(family, sure, strict=True))

    def _be_sure_of_slow(self, entry: Entry) -> None:
        """Alone, for it fits in processes itself; of the time that is left it has an equal part."""
        if entry.name not in self.jobs:
            return
        to_come = [one for one in self._slow if one.name in self.jobs and one.name not in self._sure]
        seconds = RESAMPLED * (self._until - monotonic()) / len(to_come)
        self._sure[entry.name] = certainty(*self.jobs[entry.name], replace(self._asked_of_slow, seconds=seconds))


def _weight(entry: Entry) -> float:
    """About how long a quick metric takes."""
    return COSTLY if entry.facts["resampling"] else CHEAP


def _most_points(entry: Entry) -> float:
    """How many points a resample of a metric may have, which are the fewer the longer it takes."""
    return float(entry.facts["resampling"].get("points", inf))


def _correct_for_all(rows: Sequence[MetricScore]) -> list[MetricScore]:
    """The rows, with shares of permutations that account for all metrics that chance levels were asked of."""
    permuted_of = {i: row.sure.permuted for i, row in enumerate(rows)}
    # Where the time was too short there is none.
    known = {i: scores for i, scores in permuted_of.items() if scores is not None and len(scores)}
    if len(known) < 2:
        return list(rows)
    signs = np.array([-1.0 if rows[i].entry.facts["better"] == "lower" else 1.0 for i in known])
    permuted = np.full((len(known), max(map(len, known.values()))), np.nan)
    for own, scores in zip(permuted, known.values(), strict=True):
        own[: len(scores)] = scores
    shares = correct_shares(signs * [rows[i].score for i in known], signs[:, None] * permuted)
    found = dict(zip(known, shares.tolist(), strict=True))
    return [
        replace(row, sure=replace(row.sure, shared=found[i])) if i in found else row for i, row in enumerate(rows)
    ]


def seed_of(random_state: Any) -> int:
    """The seed itself, or one that the generator draws."""
    generator = check_random_state(random_state)
    return int(random_state) if is_whole(random_state) else int(generator.randint(2**31 - 1))


def measure_points(
    entries: Sequence[Entry], points: Points, seed: int, fast: bool
) -> list[tuple[MetricScore, Job | None]]:
    """Each metric's score, and what `certainty` is called with but for what is asked; those that cannot be tried
    come last."""
    rows = [_unmeasured(entry, points) for entry in entries]
    by_name = {row.entry.name: row.entry for row in rows if not row.remark}
    with closing(steps(list(by_name), "score")) as names, reusing():
        measured = [measure_one(by_name[name], points, seed, fast) for name in names]
    return measured + [(row, None) for row in rows if row.remark]


def _unmeasured(entry: Entry, points: Points) -> MetricScore:
    """A row without a score, with the reason if there can be none."""
    return MetricScore(entry, remark=_reason_against(entry, points))


def _is_slow(entry: Entry) -> bool:
    return entry.facts["fast"] is not None


def _or(given: int | None, default: int) -> int:
    return default if given is None else given


def choose_metrics(metrics: str | Sequence[str] | None, points: Points) -> list[Entry]:
    """The metrics to measure: those named, a set, or for each question of the panel the first that can be."""
    if metrics is None:
        metrics = DEFAULT
    named = [metrics] if isinstance(metrics, str) else list(metrics)
    if ALL in named:
        return list(registry.entries("metrics"))
    if not {CLASSIC, DEFAULT} & set(named):
        return _named(named)
    found: dict[str, Entry] = {}
    for name in named:
        entries = (
            _choose_panel(points) if name == DEFAULT else _named(CLASSIC_METRICS if name == CLASSIC else [name])
        )
        found.update((entry.name, entry) for entry in entries)
    return list(found.values())


def _choose_panel(points: Points) -> list[Entry]:
    """For each question of the panel the first metric that can answer it on these points."""
    chosen: dict[str, Entry] = {}
    for question in PANEL:
        able = (name for name in question.metrics if not _reason_against(registry.get("metrics", name), points))
        name = next(able, question.metrics[0])
        chosen[name] = registry.get("metrics", name)
    return list(chosen.values())


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
    if points.large and entry.name not in MEASURED:
        size = 8 * points.codes.values.shape[0] * points.codes.values.shape[1]
        if size > MOST_DENSE:
            return (
                f"takes an array, which would have {size / 1e9:.0f} GB; large codes are taken by "
                + errors.listing(MEASURED, most=40)
            )
    if takes and points.continuous and not {"continuous", "binned"} & set(takes) and points.bins is None:
        return refusal_with_takers(errors.listing(points.continuous), "`bins=10`, say")
    if points.code_groups and "code_groups" not in takes:
        return f"takes codes one by one; groups are taken by {errors.listing(takers('code_groups'), most=40)}"
    if (
        points.factors.unordered
        and _reads_numbers(takes, points)
        and not (names_columns(takes) or _by_neighbours(takes, points))
    ):
        return f"takes numbers, and the values of these have no order: {errors.listing(points.factors.unordered)}"
    return ""


def _as_continuous(takes: Takes, points: Points) -> bool:
    return bool(points.continuous) and ("continuous" in takes or _by_neighbours(takes, points))


def _by_neighbours(takes: Takes, points: Points) -> bool:
    return bool(points.neighbours) and counts_neighbours(takes)


def _reads_numbers(takes: Takes, points: Points) -> bool:
    """Whether a metric calculates with the values of these factors: it is called as it is with continuous ones."""
    return _as_continuous(takes, points) or calculates(takes)


def _in_processes(
    groups: Sequence[Sequence[Job]], asked: Asked, seconds: float, num_points: int
) -> Iterator[list[Certainty]]:
    """How sure the scores of each group of metrics are, several groups at a time if there are points enough for
    processes; all of them in so many seconds."""
    from joblib import delayed

    at_a_time, total = count_jobs(None), sum(map(len, groups))
    if num_points >= WORTH_WORKERS and at_a_time != 1 and len(groups) > 1:
        cores = usable_cores() if at_a_time < 0 else at_a_time
        each = seconds * min(cores, len(groups)) / total
        calls = [delayed(_certain_of)(group, asked, each * len(group)) for group in groups]
        done = 0
        try:
            for found in run_in_processes(at_a_time, calls):
                yield found
                done += 1
            return
        except (PicklingError, TypeError, AttributeError):  # a stranger's metric that no process can import
            groups, total = groups[done:], sum(map(len, groups[done:]))
    end = monotonic() + seconds
    for group in groups:
        yield _certain_of(group, asked, (end - monotonic()) * len(group) / total)
        total -= len(group)


def _certain_of(jobs: Sequence[Job], asked: Asked, seconds: float) -> list[Certainty]:
    """How sure the scores of metrics are that share their work, in so many seconds for all of them."""
    found, end = [], monotonic() + seconds
    with progress_shown(False), reusing():
        for i, job in enumerate(jobs):
            found.append(certainty(*job, replace(asked, seconds=(end - monotonic()) / (len(jobs) - i))))
    return found


def _remarked(row: MetricScore, remark: str) -> MetricScore:
    return row if row.result is None else replace(row, remark="; ".join(filter(None, [row.remark, remark])))


def measure_one(entry: Entry, points: Points, seed: int, fast: bool) -> tuple[MetricScore, Job | None]:
    """The score, and what `certainty` is called with but for what is asked; None if there is no score."""
    function, takes = entry.facts["function"], entry.facts["takes"]
    binned = bool(takes and points.continuous and not _as_continuous(takes, points))
    continuous = f"{errors.listing(points.continuous)} in {points.bins or BINS} equally filled bins"
    hint = points.bins is None and counts_neighbours(takes)
    continuous += " (`neighbours=10` takes them as they are)" if hint else ""
    remarks = [continuous] if binned else []
    if _by_neighbours(takes, points):
        remarks.append(
            f"information by {points.neighbours} nearest neighbours: compare at equal numbers of points"
        )
    columns = [points.factors.names.index(name) for name in points.continuous]
    taken = columns if _as_continuous(takes, points) else []
    options = arguments_for(takes, taken, points.code_groups, points.neighbours)
    if "random_state" in signature(function).parameters:
        options["random_state"] = np.random.RandomState(seed)
    if fast and entry.facts["fast"] and not (points.large and entry.name in MEASURED):
        options |= entry.facts["fast"]
        remarks.append("by histogram boosting")
    if points.robust and entry.facts.get("robust") and not options.keys() & entry.facts["robust"].keys():
        options |= entry.facts["robust"]
        remarks.append("by quantiles, not as published")
    given: tuple[Any, ...] = points.codes.values, _factors_for(takes, points)
    if points.large and entry.name in MEASURED:
        function, how = MEASURED[entry.name]
        remarks += [how] * bool(how)
    elif points.large:
        given = as_dense(points.codes.values), given[1]
    elif entry.owner != BUILTIN:  # nothing that a stranger's metric does to its arrays reaches the others
        given = tuple(array.copy() for array in given)
    with warnings.catch_warnings(record=True) as caught, count_fits_of(entry.name):
        warnings.simplefilter("always")
        try:
            result = function(*given, **options)
            undefined = isnan(result.score)
        except Exception as error:  # a metric is foreign code
            return MetricScore(entry, None, _failure(error).removeprefix(f"{entry.name} "), failed=True), None
    for warning in caught:
        if issubclass(warning.category, NotDefined):
            continue  # said below, of any metric
        if issubclass(warning.category, UserWarning):
            remarks.append(str(warning.message).removeprefix(f"{entry.name}: "))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if undefined:
        remarks.insert(0, "it is not defined on these points")
        return MetricScore(entry, None, "; ".join(remarks), failed=True), None
    job = (entry.facts, function, given, options, float(result.score))
    return MetricScore(entry, result, "; ".join(remarks)), job


def _factors_for(takes: Takes, points: Points) -> FloatArray | IntArray:
    """The factors as a metric takes them: as numbers, or as labels with continuous factors in bins."""
    names, continuous = points.factors.names, points.continuous
    measured = tuple(i for i, name in enumerate(names) if name in continuous)
    binned = () if _reads_numbers(takes, points) else measured
    as_they_are = () if calculates(takes) else measured if _as_continuous(takes, points) else ()
    return _as_labels(points.factors.values, binned, points.bins or BINS, calculates(takes), as_they_are)


@reused
def _as_labels(
    factors: FloatArray, binned: tuple[int, ...], bins: int, numbers: bool, continuous: tuple[int, ...]
) -> FloatArray | IntArray:
    """Factors with some columns in bins; unless they are `numbers`, labels in all that are not `continuous`."""
    matrix = factors.copy()
    for i in binned:
        matrix = equally_filled(matrix, bins, [i])
    for i in () if numbers else range(matrix.shape[1]):
        if i not in continuous and not are_whole(matrix[:, i]):
            matrix[:, i] = np.unique(matrix[:, i], return_inverse=True)[1]
    return matrix.astype(np.int64) if are_whole(matrix) else matrix


def _failure(error: Exception) -> str:
    text = errors.text_of(error).strip().split("\n")[0]
    return text if isinstance(error, errors.CausalDisentError) else f"{type(error).__name__}: {text}"
