"""How sure a score is: intervals over resampled points, and chance levels. Nothing else has either."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import signature
from math import inf, isnan, log, nan, sqrt
from time import monotonic
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_number, is_whole
from causal_disent.metrics.arrays import TEST_SHARE, split_rows
from causal_disent.metrics.contract import asks_neighbours, count_fits_of
from causal_disent.processes import TimeUp
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- The interval and the chance level of any score

#: Half the width of a 95 % interval, in standard deviations.
WIDTH = 1.96

#: A score that permuted codes reach more often than this is within chance.
LEVEL = 0.05

#: Of fewer permutations, the share cannot be as small as that, the codes themselves counted.
LEAST_PERMUTATIONS = 19

#: Where a score is not defined on more than this part of the resamples, those that are left are a choice.
MOST_UNDEFINED = 0.1

#: Of fewer resamples than this, where the time was too short for all, the spread is not told.
FEWEST_IN_TIME = 10

#: Scores closer than this are the same but for rounding.
TIE = 1e-12

#: A permutation is measured by a spread of at least this part of that of all, or one of two values, once in all
#: permutations, would be infinitely far from the others.
LEAST_OF_SPREAD = 0.5
#: Distances in standard deviations closer than this are the same but for rounding.
RELATIVE_ROUNDING = 1e-9

#: Times that points are split into halves, for the score in the limit of many points.
SPLITS = 10
#: The estimate spreads by so much more than the score, and so much of the step to it may be wrong: with these
#: values the interval held the score of 200,000 points in 90 % of samples or more (benchmarks/bench_limit.py).
MORE_SPREAD, DOUBT = 1.3, 0.5
#: A limit that is nearer to the score is the same in print.
NOTICED = 1e-3
#: Codes whose largest deviation grows by more than this part, from half the points to all, may have no bounds.
GROWTH = 0.015

#: An interval is no surer for more resamples, nor a chance level for more permutations, and all are kept.
MOST_RESAMPLES = 100_000


@dataclass(frozen=True)
class Asked:
    """How often to resample points and to permute codes; 0 for not at all.

    Attributes:
        bootstrap: resamples.
        chance: permutations.
        seed: of both.
        blocks: (points,) the block of each row, where rows depend on each other: blocks are drawn and permuted
            whole.
        seconds: for both; what does not fit is left out.
        splits: how often to split the points into halves, for the score in the limit of many points.
    """

    bootstrap: int = 0
    chance: int = 0
    seed: int = 0
    blocks: IntArray | None = field(default=None, compare=False)
    seconds: float = field(default=inf, compare=False)
    splits: int = 0

    def __post_init__(self) -> None:
        for name in ("bootstrap", "chance", "splits"):
            check_at_least(0, **{name: getattr(self, name)})
            check_number(f"`{name}`", getattr(self, name), at_most=MOST_RESAMPLES)
        if self.bootstrap == 1:
            raise errors.InvalidInput(
                "`bootstrap` is 1: an interval needs 2 resamples or more (200 is usual); 0 is for none."
            )


@dataclass(frozen=True)
class Certainty:
    """How sure a score is; NaN where it was not asked.

    Attributes:
        low, high: 95 % interval, of the mean score of as many other points.
        chance: mean score of the codes with their rows permuted, so that they say nothing of the factors.
        share: of permutations that reach the score.
        permutations: how many there were.
        resamples: how many the interval is of.
        asked: how many of both were asked for.
        words: how it was found, where that is not by the function itself on as many points.
        cut: whether the time was too short for all that was asked for.
        half: mean score of half the points.
        limit: estimate of the score of many points.
        limit_low, limit_high: its 95 % interval.
        growth: of the codes' largest deviation from half the points to all, where the score follows it and it may
            have no bounds; there is no limit then.
        shared: `share` with all metrics of a table in view: of permutations in which some metric is as far above
            its chance level as this one; what decides whether it is within chance, if known.
        permuted: (permutations asked,) their scores, NaN where undefined.
    """

    low: float = nan
    high: float = nan
    chance: float = nan
    share: float = nan
    permutations: int = 0
    resamples: int = 0
    asked: Asked = Asked()
    words: str = ""
    cut: bool = False
    half: float = nan
    limit: float = nan
    limit_low: float = nan
    limit_high: float = nan
    growth: float = nan
    shared: float = nan
    permuted: FloatArray | None = field(default=None, compare=False, repr=False)

    @property
    def p(self) -> float:
        """The probability of as much by chance, in any metric of the table; the codes count as a permutation."""
        share = self.share if isnan(self.shared) else self.shared
        return (1 + share * self.permutations) / (1 + self.permutations) if self.permutations else nan

    @property
    def moves(self) -> bool:
        """Whether the score moves, from half the points to all, by more than its interval; NaN tells nothing."""
        return self.limit < self.low - NOTICED or self.limit > self.high + NOTICED

    @property
    def within_chance(self) -> bool | None:
        """Whether codes that say nothing might well score as much; None if that is not known."""
        share = self.share if isnan(self.shared) else self.shared
        return is_within_chance(share, self.permutations, self.chance, (self.low, self.high))

    @property
    def remark(self) -> str:
        """How it was found, and what is missing, in words."""
        told = [self.words] if self.words and not (isnan(self.low) and isnan(self.chance)) else []
        if self.cut:
            done = f"{self.resamples} of {self.asked.bootstrap} resamples" if self.asked.bootstrap else ""
            permuted = f"{self.permutations} of {self.asked.chance} permutations" if self.asked.chance else ""
            return "; ".join(
                [*told, f"in the time that was given, {' and '.join(filter(None, [done, permuted]))}"]
            )
        if self.resamples < self.asked.bootstrap:
            counted = f"{self.resamples} of {self.asked.bootstrap} resamples"
            told.append(
                f"no interval, for the score is defined on {counted} only"
                if isnan(self.low)
                else f"interval from {counted}, on which the score is defined"
            )
        if self.permutations < self.asked.chance:
            counted = f"{self.permutations} of {self.asked.chance} permutations"
            told.append(f"chance from {counted}, on which the score is defined")
        if self.permutations and self.within_chance is None:
            told.append(f"{self.permutations} permutations cannot tell it from chance, {LEAST_PERMUTATIONS} can")
        if self.moves:
            told.append(
                f"still moves with the number of points: {self.half:.3f} for half of them; {self.limit:.3f} in "
                f"the limit of many (95 % interval {self.limit_low:.3f} to {self.limit_high:.3f})"
            )
        if self.growth > 0:
            told.append(
                f"no limit for many points can be told, for a code's largest deviation still grows (by "
                f"{100 * self.growth:.0f} % from half of them to all): robust=True, or --robust, takes quantiles"
            )
        return "; ".join(told)

    def keys(self, headline: str) -> dict[str, float | bool]:
        """What result files hold, beside the key of the score."""
        found = {
            f"{headline}_low": self.low,
            f"{headline}_high": self.high,
            f"{headline}_chance": self.chance,
            f"{headline}_chance_share": self.share,
        }
        kept: dict[str, float | bool] = {key: value for key, value in found.items() if not isnan(value)}
        if self.resamples < self.asked.bootstrap:
            kept[f"{headline}_undefined_resamples"] = self.asked.bootstrap - self.resamples
        within = self.within_chance
        return kept if within is None else {**kept, f"{headline}_within_chance": within}


def is_within_chance(
    share: float, permutations: int, chance: float = nan, interval: tuple[float, float] = (nan, nan)
) -> bool | None:
    """Whether chance might well give a score: more than 5 % of permutations come to it, what was measured counted
    as one of them; or the chance level is in the score's own interval.

    Args:
        share: of permutations that reach the score.
        permutations: how many there were.
        chance: their mean.
        interval: of the score, if known.

    Returns:
        None if it cannot be told: no permutation reaches the score, and there are too few.

    Example:
        >>> is_within_chance(0.0, 20), is_within_chance(0.05, 20), is_within_chance(0.0, 5)
        (False, True, None)
        >>> is_within_chance(0.0, 20, chance=0.031, interval=(0.025, 0.047))
        True
    """
    if not permutations:
        return None
    often = (1 + share * permutations) / (1 + permutations) > LEVEL
    if interval[0] <= chance <= interval[1] or (often and share > 0):
        return True
    return None if often else False


def bootstrap_interval(
    score: float,
    score_of: Callable[[IntArray], float],
    num_points: int,
    resamples: int = 200,
    *,
    seed: int = 0,
    ends: tuple[float, float] = (-inf, inf),
    most_points: int | None = None,
    blocks: IntArray | None = None,
    until: float = inf,
    label: str = "bootstrap",
) -> tuple[float, float, int]:
    r"""95 % interval of a score over resamples of its points, the same resamples for the same seed.

    .. math:: s \pm 1.96 \sqrt{m / n}\, \operatorname{sd}_b s(\text{m of the n points, drawn with replacement})

    It is centred at the score: resampled points repeat each other, which moves many scores, and hardly their
    spread.

    Args:
        score: of all points.
        score_of: rows (m,) of the points, with repetitions -> score. One that is not defined (NaN, or an error) is
            left out; there is no interval (NaN) if more than a tenth are.
        num_points: n.
        resamples: how many.
        seed: of the draws; metrics, rho, whatever is compared with the same seed is compared on the same points.
        ends: of the range of the score, which the interval does not leave.
        most_points: m, for scores that take long; n by default.
        blocks: (points,) the block of each row; blocks are drawn whole, up to n rows.
        until: when to stop, by `time.monotonic`; there is no interval of fewer than `FEWEST_IN_TIME` then.
        label: of the progress bar.

    Returns:
        Both ends, and of how many resamples they are.

    Example:
        >>> values = np.arange(100.0)
        >>> low, high, _ = bootstrap_interval(49.5, lambda rows: float(values[rows].mean()), 100)
        >>> round(low), round(high)
        (44, 55)
    """
    found = score_resamples(
        score_of,
        num_points,
        resamples,
        seed=seed,
        most_points=most_points,
        blocks=blocks,
        until=until,
        label=label,
    )
    if len(found) < min(resamples, FEWEST_IN_TIME):
        return nan, nan, len(found)
    return interval_of_resamples(score, found, num_points, most_points, ends)


def score_resamples(
    score_of: Callable[[IntArray], float],
    num_points: int,
    resamples: int,
    *,
    seed: int = 0,
    most_points: int | None = None,
    blocks: IntArray | None = None,
    until: float = inf,
    label: str = "bootstrap",
) -> FloatArray:
    """Score each resample, (resamples,), or as many as there is time for; NaN where that is undefined. The
    arguments are `bootstrap_interval`'s."""
    generator = np.random.RandomState(seed)
    taken = min(num_points, most_points or num_points)
    # All n are drawn, whatever m is, so that the rows of scores of different m agree.
    members = None if blocks is None else rows_of_blocks(blocks)
    draws = (_draw_rows(num_points, members, generator)[:taken] for _ in range(resamples))
    return _scores(score_of, draws, resamples, label, until)


def interval_of_resamples(
    score: float,
    resampled: FloatArray,
    num_points: int,
    most_points: int | None = None,
    ends: tuple[float, float] = (-inf, inf),
) -> tuple[float, float, int]:
    """What `bootstrap_interval` returns, of scores of resamples."""
    found = resampled[~np.isnan(resampled)]
    if len(found) < max(2, (1 - MOST_UNDEFINED) * len(resampled)):
        return nan, nan, len(found)
    taken = min(num_points, most_points or num_points)
    return *centred_interval(score, found, ends, sqrt(taken / num_points)), len(found)


def centred_interval(
    score: float, resampled: Sequence[float] | FloatArray, ends: tuple[float, float], scale: float = 1.0
) -> tuple[float, float]:
    """The last step of `bootstrap_interval`, of two or more scores of resamples.

    Example:
        >>> centred_interval(0.75, [0.5, 1.0, 0.75], (0, 1))
        (0.26, 1)
    """
    half = WIDTH * scale * float(np.std(resampled, ddof=1))
    return max(score - half, ends[0]), min(score + half, ends[1])


def chance_level(
    score: float,
    score_of: Callable[[IntArray], float],
    num_points: int,
    permutations: int = 20,
    *,
    seed: int = 0,
    lower_is_better: bool = False,
    blocks: IntArray | None = None,
    until: float = inf,
    label: str = "chance",
) -> tuple[float, float, int]:
    """What codes that say nothing score: the mean, and the share of permutations that reach `score`.

    Args:
        score: of the codes as they are.
        score_of: order (points,) of the rows of the codes -> score, the factors as they are. One that is not
            defined is left out.
        num_points: rows to permute.
        permutations: how many.
        seed: of the permutations.
        lower_is_better: whether a score reaches another by being lower.
        blocks: (points,) the block of each row; blocks are permuted whole.
        until: when to stop, by `time.monotonic`.
        label: of the progress bar.

    Returns:
        Mean, share, and how many permutations had a score.

    Example:
        >>> x = np.arange(50.0)
        >>> mean, share, _ = chance_level(1.0, lambda order: abs(np.corrcoef(x[order], x)[0, 1]), 50)
        >>> mean < 0.2, share
        (True, 0.0)
    """
    found = score_permutations(
        score_of, num_points, permutations, seed=seed, blocks=blocks, until=until, label=label
    )
    return compare_with_chance(score, found, lower_is_better)


def score_permutations(
    score_of: Callable[[IntArray], float],
    num_points: int,
    permutations: int,
    *,
    seed: int = 0,
    blocks: IntArray | None = None,
    until: float = inf,
    label: str = "chance",
) -> FloatArray:
    """Score each permutation, (permutations,), or as many as there is time for; NaN where that is undefined. The
    arguments are `chance_level`'s."""
    generator = np.random.RandomState(seed)
    members = None if blocks is None else rows_of_blocks(blocks)
    orders = (_permute_rows(num_points, members, generator) for _ in range(permutations))
    return _scores(score_of, orders, permutations, label, until)


def compare_with_chance(score: float, permuted: FloatArray, lower_is_better: bool) -> tuple[float, float, int]:
    """What `chance_level` returns, of scores of permutations."""
    found = permuted[~np.isnan(permuted)]
    if not len(found):
        return nan, nan, 0
    rounding = 1e-12 * max(1.0, abs(score))
    reached = found <= score + rounding if lower_is_better else found >= score - rounding
    return float(found.mean()), float(reached.mean()), len(found)


def estimate_limit(
    score: float,
    score_of: Callable[[IntArray], float],
    num_points: int,
    asked: Asked,
    ends: tuple[float, float] = (-inf, inf),
    until: float = inf,
    label: str = "halves",
) -> dict[str, float]:
    r"""Estimate the score of many points by the step from half the points to all.

    .. math:: \hat s_\infty = 2 s(n) - \bar s(n/2), \qquad
        \hat s_\infty \pm 1.96 \sqrt{(1.3 \operatorname{sd}(s(n/2)))^2 + (\hat s_\infty - s(n))^2 / 4}

    exact if the bias falls as 1 / n, as that of mutual information in bins does. Halves of the same points differ
    from them about as much as samples of n points do from each other.

    Args:
        score: s(n), of all points.
        score_of: rows -> score.
        num_points: n.
        asked: how often to split, the seed, and the blocks, which stay whole.
        ends: of the range of the score.
        until: when to stop, by `time.monotonic`.
        label: of the progress bar.

    Returns:
        ``half``, ``limit``, ``limit_low`` and ``limit_high``; empty where the score of a tenth of the halves or
        more is not defined, or there is no time for it.

    Example:
        >>> values = np.random.RandomState(0).normal(size=400)
        >>> found = estimate_limit(values.var(), lambda rows: float(values[rows].var()), 400, Asked(splits=10))
        >>> bool(found["limit_low"] < values.var(ddof=1) < found["limit_high"])
        True
    """
    halves = _scores(score_of, draw_halves(num_points, asked), 2 * asked.splits, label, until)
    known = halves[~np.isnan(halves)]
    if len(known) < max(2, (1 - MOST_UNDEFINED) * 2 * asked.splits):
        return {}
    half = float(known.mean())
    limit = min(max(2 * score - half, ends[0]), ends[1])
    width = WIDTH * sqrt((MORE_SPREAD * float(known.std(ddof=1))) ** 2 + (DOUBT * (score - half)) ** 2)
    low, high = max(limit - width, ends[0]), min(limit + width, ends[1])
    return {"half": half, "limit": limit, "limit_low": low, "limit_high": high}


def draw_halves(num_points: int, asked: Asked) -> Iterator[IntArray]:
    """Both halves of the rows, `asked.splits` times at random; blocks stay whole, but for that in the middle."""
    generator = np.random.RandomState(asked.seed)
    members = None if asked.blocks is None else rows_of_blocks(asked.blocks)
    for _ in range(asked.splits):
        if members is None:
            order = generator.permutation(num_points)
        else:
            order = np.concatenate([members[i] for i in generator.permutation(len(members))])
        yield from np.array_split(order, 2)


def measure_growth(codes: FloatArray, asked: Asked) -> float:
    """By what part the largest deviation of a code from its mean grows from half the points to all: of the code
    for which it grows most.

    Example:
        >>> codes = np.random.RandomState(0).normal(size=(400, 1))
        >>> measure_growth(codes, Asked(splits=10)) > measure_growth(np.tanh(9 * codes), Asked(splits=10))
        True
    """
    whole = _largest_deviations(codes)
    halves = np.mean([_largest_deviations(codes[rows]) for rows in draw_halves(codes.shape[0], asked)], axis=0)
    varies = whole > 0
    return float((1 - halves[varies] / whole[varies]).max(initial=0.0))


def _largest_deviations(codes: FloatArray) -> FloatArray:
    ends = (codes.min(axis=0), codes.max(axis=0))
    least, most = (end.toarray().ravel() if hasattr(end, "toarray") else end for end in ends)  # of a sparse matrix
    mean = np.asarray(codes.mean(axis=0, dtype=np.float64)).ravel()
    # The mean of equal numbers may be off by a rounding error.
    return np.where(least == most, 0.0, np.maximum(most - mean, mean - least))


def correct_shares(scores: FloatArray, permuted: FloatArray) -> FloatArray:
    r"""The share of permutations in which some metric is as far above chance as each metric is (max-statistic).

    .. math:: t_k = \frac{s_k - \bar s_k}{\operatorname{sd}_b s_{kb}}, \qquad
        \text{share}_k = \frac1B \#\{b : \max_l t_{lb} \ge t_k\}

    where the mean and the spread that a permutation is measured by are of the others, as those for the score are.
    So about 5 % of tables of noise have a metric that is called better than chance, however much the metrics
    depend on each other (Westfall and Young 1993).

    Args:
        scores: (metrics,), higher is better.
        permuted: (metrics, permutations) of the same permutations, NaN where a score is not defined.

    Returns:
        (metrics,).

    Example:
        >>> correct_shares(np.array([5.0, 1.0]), np.array([[0.0, 1, 0, 1], [0, 0, 0, 2]]))
        array([0. , 0.5])
    """
    known = ~np.isnan(permuted)
    count, values = known.sum(axis=1, keepdims=True), np.where(known, permuted, 0.0)
    centre = values.sum(axis=1, keepdims=True) / np.maximum(count, 1)
    squares = np.where(known, (values - centre) ** 2, 0.0)
    total = squares.sum(axis=1, keepdims=True)
    spread = np.sqrt(total / np.maximum(count - 1, 1)) + TIE * (1 + abs(centre))
    # Without one of B numbers the mean moves by its distance over B - 1, the squares by B / (B - 1) of its square.
    part = count / np.maximum(count - 1, 1)
    others = np.sqrt(np.maximum(total - part * squares, 0.0) / np.maximum(count - 2, 1))
    away = part * (values - centre) / np.maximum(others, LEAST_OF_SPREAD * spread)
    furthest = np.where(known, away, -inf).max(axis=0)
    return (furthest >= (scores[:, None] - centre) / spread - RELATIVE_ROUNDING).mean(axis=1)


def rows_of_blocks(blocks: IntArray) -> list[IntArray]:
    """The rows of each block.

    Example:
        >>> [rows.tolist() for rows in rows_of_blocks(np.array([0, 1, 0]))]
        [[0, 2], [1]]
    """
    order = np.argsort(blocks, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1)


def _draw_rows(num_points: int, members: list[IntArray] | None, generator: np.random.RandomState) -> IntArray:
    """As many rows as there are, with replacement; whole blocks, the last of which is cut."""
    if members is None:
        return generator.randint(num_points, size=num_points)
    drawn: list[IntArray] = []
    while sum(map(len, drawn)) < num_points:
        drawn.append(members[generator.randint(len(members))])
    return np.concatenate(drawn)[:num_points]


def _permute_rows(num_points: int, members: list[IntArray] | None, generator: np.random.RandomState) -> IntArray:
    """All rows in another order; blocks change places, and their rows stay together."""
    if members is None:
        return generator.permutation(num_points)
    order = np.empty(num_points, dtype=np.intp)
    order[np.concatenate(members)] = np.concatenate([members[i] for i in generator.permutation(len(members))])
    return order


def _scores(score_of: Callable[[IntArray], float], rows: Any, number: int, label: str, until: float) -> FloatArray:
    """The score of each of `rows`, up to a time; NaN where it is not defined or not finite."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of the score itself
        for chosen in track(rows, label, total=number, unit="sample"):
            if monotonic() >= until:
                break
            try:
                found.append(float(score_of(chosen)))
            except TimeUp:  # the others stay
                break
            except Exception:  # fewer values, or none that vary: not defined on these rows
                found.append(nan)
    scores = np.array(found, dtype=np.float64)
    return np.where(np.isfinite(scores), scores, nan)


def resampler(
    facts: Mapping[str, Any],
    function: Callable[..., Any],
    points: Sequence[Any],
    options: Mapping[str, Any],
    seed: int,
) -> tuple[Callable[[IntArray], float], Callable[[IntArray], float], int, int]:
    """What scores other draws of the points, by the metric's fast way if it has one.

    Returns:
        rows -> score, order of the codes' rows -> score, how many points there are, and how many a resample has.
    """
    name, how = function.__name__, facts["resampling"]
    codes, factors = points
    options = {**options, **how.get("options", {})}
    if "random_state" in signature(function).parameters:
        options["random_state"] = seed
    score_of, num_points = _on_rows(function, facts["needs"], codes, factors, options, seed)
    cap = min(how.get("points", num_points), num_points)
    kept = slice(cap if facts["fast"] is not None else None)

    def permuted(order: IntArray) -> float:
        return float(function(codes[order][kept], factors[kept], **options).score)

    fast = how.get("again") or import_module("causal_disent.metrics.recount").FAST.get(name)
    if again := fast(codes, factors, **options) if fast else None:
        score_of, permuted = again.resampled, again.permuted
    return score_of, permuted, num_points, cap


def certainty(
    facts: Mapping[str, Any],
    function: Callable[..., Any],
    points: Sequence[Any],
    options: Mapping[str, Any],
    score: float,
    asked: Asked,
) -> Certainty:
    """How sure a metric's score of given points is.

    Args:
        facts: of the metric: its range and direction, and how it is resampled.
        function: of codes (points, codes) and factors (points, factors).
        points: codes and factors.
        options: of the function, as the score was made; a pair ``test`` is resampled by itself.
        score: of these points.
        asked: how much to do.
    """
    started = monotonic()
    name, how = function.__name__, facts["resampling"]
    codes = points[0]
    score_of, permuted, num_points, cap = resampler(facts, function, points, options, asked.seed)
    follows_range = how.get("by_range") and not facts["robust"].items() <= options.items()
    options = {**options, **how.get("options", {})}
    takes_long = "points" in how or facts["fast"] is not None
    asked = replace(
        asked,
        bootstrap=asked.bootstrap if how.get("interval", True) else 0,
        chance=asked.chance if facts["takes"] else 0,
        # Resamples of what takes long may be by another estimator, whose step from the score is no bias. What
        # neighbours say of continuous factors is relative to the logarithm of the number of points.
        splits=0 if takes_long or asks_neighbours(facts["takes"], options) else asked.splits,
    )
    found: dict[str, Any] = {"asked": asked, "words": _words(how, options, cap if cap < num_points else 0)}
    # Of the time that is given, each resample, each permutation and each pair of halves has the same part.
    part = asked.seconds / max(asked.bootstrap + asked.chance + asked.splits, 1)
    with count_fits_of(name) as count:
        if asked.bootstrap:
            found["low"], found["high"], found["resamples"] = bootstrap_interval(
                score,
                score_of,
                num_points,
                asked.bootstrap,
                seed=asked.seed,
                ends=facts["range"],
                most_points=cap,
                blocks=asked.blocks,
                until=started + part * asked.bootstrap,
                label=f"{name}: interval",
            )
        if asked.chance:
            found["permuted"] = score_permutations(
                permuted,
                codes.shape[0],
                asked.chance,
                seed=asked.seed,
                blocks=asked.blocks,
                until=started + part * (asked.bootstrap + asked.chance),
                label=f"{name}: chance",
            )
            found["chance"], found["share"], found["permutations"] = compare_with_chance(
                score, found["permuted"], facts["better"] == "lower"
            )
        if monotonic() >= started + part * (asked.bootstrap + asked.chance):
            done = found.get("resamples", 0), found.get("permutations", 0)
            found["cut"] = done != (asked.bootstrap, asked.chance)
        if asked.splits and asked.bootstrap:
            growth = measure_growth(codes, asked) if follows_range else 0.0
            if growth > GROWTH:
                found["growth"] = growth
            else:
                ends = facts["range"]
                until = started + asked.seconds
                found |= estimate_limit(score, score_of, num_points, asked, ends, until, f"{name}: halves")
        count.stopped = 0  # told of the score itself
    return Certainty(**found)


def _words(how: Mapping[str, Any], options: Mapping[str, Any], cap: int) -> str:
    """How intervals and chance levels are found, where that is not by the function on as many points."""
    words = "" if options.get(how.get("unless", "")) else how.get("words", "")
    told = [f"interval and chance {words}"] * bool(words) + [f"resamples of {cap:,} points"] * bool(cap)
    return ", ".join(told)


def _on_rows(
    function: Callable[..., Any], needs: Any, codes: Any, factors: Any, options: Mapping[str, Any], seed: int
) -> tuple[Callable[[IntArray], float], int]:
    """The score as a function of rows, and of how many: where points are held out, each row stays on its side, or
    a metric would be tested on what it was fitted to."""
    if "test" not in needs.gives:
        return lambda rows: function(codes[rows], factors[rows], **options).score, codes.shape[0]
    test = options.get("test", TEST_SHARE)
    if isinstance(test, (tuple, list)):
        held_out = np.arange(codes.shape[0] + test[0].shape[0]) >= codes.shape[0]
        codes, factors = (np.concatenate(both) for both in ((codes, test[0]), (factors, test[1])))
    else:
        held_out = np.zeros(codes.shape[0], dtype=bool)
        held_out[split_rows(codes.shape[0], test, np.random.RandomState(seed))[1]] = True

    def score_of(rows: IntArray) -> float:
        kept, tested = rows[~held_out[rows]], rows[held_out[rows]]
        pair = codes[tested], factors[tested]
        return function(codes[kept], factors[kept], **{**options, "test": pair}).score

    return score_of, codes.shape[0]


_ASKED: ContextVar[Asked | None] = ContextVar("what the run asks of every score", default=None)


@contextmanager
def asking(asked: Asked | None) -> Any:
    """A block in which metrics of data sets report how sure their scores are, if anything is asked."""
    token = _ASKED.set(asked if asked and (asked.bootstrap or asked.chance) else None)
    try:
        yield
    finally:
        _ASKED.reset(token)


def asked_of_run() -> Asked | None:
    """What the run asks of every score, if anything."""
    return _ASKED.get()


def choose_seed(generator: np.random.RandomState) -> int:
    """Of a metric that resamples by itself, so that its draws are those of all other scores: the run's seed; or
    one that follows from the state of the generator that it was given, which is left as it is."""
    asked = asked_of_run()
    return asked.seed if asked else int(copy_generator(generator).randint(2**31 - 1))


def copy_generator(generator: np.random.RandomState) -> np.random.RandomState:
    """Another generator, which draws what this one would."""
    other = np.random.RandomState(0)
    other.set_state(generator.get_state())
    return other


# --- Scores that are means over points, as CG's and those of counterfactuals: measured once, and resampled


def check_bootstrap(bootstrap: Any) -> None:
    """A whole number of resamples that can be kept."""
    if not is_whole(bootstrap) or not 0 <= bootstrap <= MOST_RESAMPLES:
        raise errors.InvalidInput(
            f"`bootstrap` is the number of resamples, from 0 to {MOST_RESAMPLES:,} (200 is usual); given: "
            f"{shown_value(bootstrap)}."
        )


def resample_counts(num_points: int, resamples: int, random_state: np.random.RandomState) -> IntArray:
    """How often each point is drawn in each resample (resamples, points)."""
    draws = (random_state.randint(num_points, size=num_points) for _ in range(resamples))
    return np.array([np.bincount(drawn, minlength=num_points) for drawn in draws]).reshape(-1, num_points)


def find_interval_of_mean(
    per_point: FloatArray, counts: IntArray, ends: tuple[float, float] | None = None
) -> tuple[float, float] | None:
    """95 % bootstrap interval of the mean over points; None of fewer than two resamples.

    Args:
        per_point: (points,) what the score is the mean of.
        counts: of `resample_counts`.
        ends: of the range of the score; by default the smallest and the largest point, between which a mean is.
    """
    if len(counts) < 2:
        return None
    ends = (float(per_point.min()), float(per_point.max())) if ends is None else ends
    return centred_interval(float(per_point.mean()), counts @ per_point / len(per_point), ends)


@dataclass(frozen=True)
class Chance:
    """What comes out where codes are independent of the factors.

    Attributes:
        score: mean over the permutations.
        share: of them that come to the score that was measured, or above.
        permutations: how many there were.
        interval: of the score that was measured, if there is one.
    """

    score: float
    share: float
    permutations: int
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, scores: Sequence[float], own: float, interval: tuple[float, float] | None) -> Chance:
        """The chance level from the scores of permutations."""
        reached = [score >= own - TIE for score in scores]
        return cls(float(np.mean(scores)), float(np.mean(reached)), len(scores), interval)

    @property
    def within(self) -> bool | None:
        """Whether chance might well give the score; None if that cannot be told."""
        return is_within_chance(self.share, self.permutations, self.score, self.interval or (nan, nan))


# --- Intervals that stay valid however often one looks at them
#
# The sequence is the empirical Bernstein one for draws without replacement (Waudby-Smith and Ramdas 2020,
# arXiv:2006.04347; the inequality is that of Howard et al. 2021, arXiv:1810.08240).

#: The largest bet; nearer to 1 it would gain where numbers hardly vary, and lose where they do.
MOST = 0.75


class ConfidenceSequence:
    r"""95 % intervals of the means of a finite population of numbers in [0, 1], drawn in random order.

    .. math::
        \mu \in \frac{\sum_t \lambda_t (X_t + S_{t-1} / (N-t+1)) \pm (\log(2/\alpha) +
        \sum_t (X_t - \hat\mu_{t-1})^2 \psi(\lambda_t))}{\sum_t \lambda_t N / (N-t+1)}

    with S the sums so far, :math:`\psi(\lambda) = -\log(1-\lambda) - \lambda`, and bets
    :math:`\lambda_t = \text{tolerance} / \hat\sigma^2_{t-1}`, which make it narrowest where it is about as narrow
    as is wanted. With probability 0.95 the mean is in all of the intervals at once, so one may stop at any time.

    Args:
        population: N, how many numbers there are.
        tolerance: half the width that is wanted; any value keeps the promise.
        alpha: one minus the confidence.

    Example:
        >>> numbers = np.random.RandomState(0).uniform(size=(5000, 1))
        >>> sequence = ConfidenceSequence(5000, tolerance=0.05)
        >>> sequence.add(numbers[:1000])
        >>> bool(sequence.half_widths[0] < 0.05), bool(sequence.low[0] < numbers.mean() < sequence.high[0])
        (True, True)
    """

    def __init__(self, population: int, tolerance: float, alpha: float = 0.05) -> None:
        self._population, self._tolerance, self._doubt = population, tolerance, log(2 / alpha)
        self._count = 0
        self._sum: FloatArray | float = 0.0
        self._squares: FloatArray | float = 0.0
        self._centre: FloatArray | float = 0.0
        self._weight: FloatArray | float = 0.0
        self._variation: FloatArray | float = 0.0
        self.low: FloatArray = np.zeros(1)
        self.high: FloatArray = np.ones(1)

    @property
    def half_widths(self) -> FloatArray:
        """Half the width of each interval."""
        return (self.high - self.low) / 2

    def add(self, values: FloatArray) -> None:
        """Take the next numbers (n, means), in the order in which they were drawn."""
        size = self._population
        drawn = self._count + np.arange(1, len(values) + 1)[:, None]  # t
        sums = self._sum + np.cumsum(values, axis=0)
        before = sums - values
        # Half a number of 0 and half of 1 are thought to have come first.
        squares = self._squares + np.cumsum((values - (0.5 + sums) / (drawn + 1)) ** 2, axis=0)
        earlier = np.concatenate([np.broadcast_to(self._squares, (1, values.shape[1])), squares[:-1]])
        bets = np.minimum(self._tolerance * drawn / (0.25 + earlier), MOST)
        left = size - drawn + 1
        centre = self._centre + np.cumsum(bets * (values + before / left), axis=0)
        weight = self._weight + np.cumsum(bets * size / left, axis=0)
        surprise = (values - (0.5 + before) / drawn) ** 2
        variation = self._variation + np.cumsum(surprise * (-np.log1p(-bets) - bets), axis=0)
        half = (self._doubt + variation) / weight
        # What is drawn is known, and the rest is between 0 and 1.
        low = np.maximum(centre / weight - half, sums / size)
        high = np.minimum(centre / weight + half, (sums + size - drawn) / size)
        self.low = np.maximum(self.low, low.max(axis=0))
        self.high = np.minimum(self.high, high.min(axis=0))
        self._count += len(values)
        self._sum, self._squares = sums[-1], squares[-1]
        self._centre, self._weight, self._variation = centre[-1], weight[-1], variation[-1]
