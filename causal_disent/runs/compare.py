"""Encoders beside each other on the same points: paired differences of their scores."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from causal_disent import errors
from causal_disent.adapter import make_classifier
from causal_disent.figures import empty_figure, plain
from causal_disent.metrics.certainty import WIDTH, interval_of_resamples, resampler, score_resamples
from causal_disent.progress import steps
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.report.ranking import holm
from causal_disent.report.table import text_table
from causal_disent.runs.score import Points, choose_metrics, measure_points, read_points, seed_of
from causal_disent.text import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: Resamples unless somebody says how many.
BOOTSTRAP = 200
#: A corrected p-value below this tells two encoders apart.
LEVEL = 0.05
#: A smaller difference is rounding, whatever its interval.
ROUNDING = 1e-9
COLUMNS = 100
#: Of the picture, in points.
LEFT, RIGHT, ROW, MARGIN = 210.0, 520.0, 20.0, 12.0
INK, MUTED, REAL, RAIL = "#1f2933", "#6b7785", "#2b6cb0", "#b8c1cc"


@dataclass(frozen=True)
class Difference:
    """Two encoders by one metric.

    Attributes:
        metric: its name.
        first, second: the encoders.
        scores: of both.
        low, high: 95 % interval of the first score less the second, over the same resampled points for both.
        p: that a difference as large comes about by the choice of points alone, by the normal distribution.
        corrected: the same after Holm's correction for all differences of the table.
        lower_is_better: whether the lower score is the better one.
    """

    metric: str
    first: str
    second: str
    scores: tuple[float, float]
    low: float
    high: float
    p: float
    corrected: float = nan
    lower_is_better: bool = False

    @property
    def difference(self) -> float:
        """The first score less the second."""
        return self.scores[0] - self.scores[1]

    @property
    def better(self) -> str:
        """The better encoder, or nothing where the points cannot tell."""
        if isnan(self.corrected) or self.corrected >= LEVEL:
            return ""
        return self.first if (self.difference > 0) != self.lower_is_better else self.second


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. Printed, it is a table.

    Attributes:
        names: of the encoders.
        num_points: how many points they were compared on.
        rows: a `Difference` for each metric and pair.
        left_out: metric -> why it was not measured.
        notes: what is odd about the points, as `causal_disent.score` notes it.
    """

    names: tuple[str, ...]
    num_points: int
    rows: tuple[Difference, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each metric and pair: scores, difference, interval, p-values, and the better encoder."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "metric": row.metric, "first": row.first, "second": row.second, "score_first": row.scores[0],
                    "score_second": row.scores[1], "difference": row.difference, "low": row.low, "high": row.high,
                    "p": row.p, "p_corrected": row.corrected, "better": row.better,
                }
                for row in self.rows
            ]
        )  # fmt: skip

    def __str__(self) -> str:
        head = ["metric", "first", "second", " score", " score", " difference", "95 % interval", "  p", "better"]
        body = [
            [
                row.metric, row.first, row.second, f"{row.scores[0]:6.3f}", f"{row.scores[1]:6.3f}",
                f"{row.difference:+11.3f}", "" if isnan(row.low) else f"{row.low:+.3f} to {row.high:+.3f}",
                _as_text(row.corrected), row.better or "cannot tell",
            ]
            for row in self.rows
        ]  # fmt: skip
        if len(self.names) == 2:
            head, body = (
                [*head[:1], *(f"{name:>6}" for name in self.names), *head[5:]],
                [[*row[:1], *row[3:]] for row in body],
            )
        said = [
            f"{self.num_points:,} points; the same resampled points for all encoders, p after Holm's correction. "
            "This compares encoders on these points: for models, compare several seeds of training.",
            *(f"note: {note}" for note in self.notes),
            *(f"left out: {name}: {reason}" for name, reason in self.left_out.items()),
        ]
        return "\n".join([text_table(head, body), "", *(textwrap.fill(line, COLUMNS) for line in said)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return str(self.table.to_html(index=False, float_format="{:.3f}".format))

    def plot(self) -> Figure:
        """The differences with their intervals; blue where the points can tell."""
        height = 2 * MARGIN + ROW * (len(self.rows) + 2)
        figure, axes = empty_figure(RIGHT + 2 * MARGIN, height)
        reach = max([abs(end) for row in self.rows for end in (row.low, row.high) if not isnan(end)] or [1.0])
        middle, scale = (LEFT + RIGHT) / 2, (RIGHT - LEFT) / 2 / reach
        axes.plot([middle] * 2, [MARGIN + ROW, height - MARGIN - ROW], color=RAIL)
        axes.text(middle, height - MARGIN, "first less second", va="top", ha="center", color=MUTED, size=8)
        for x, words in ((LEFT, f"{-reach:+.2f}"), (middle, "0"), (RIGHT, f"{reach:+.2f}")):
            axes.text(x, MARGIN, words, va="bottom", ha="center", color=MUTED, size=8)
        for i, row in enumerate(self.rows):
            y = height - MARGIN - ROW * (i + 1.7)
            color = REAL if row.better else MUTED
            label = f"{row.metric}: {row.first} - {row.second}"
            axes.text(MARGIN, y, plain(shown(label, 44)), va="center", color=INK, size=8)
            if not isnan(row.low):
                axes.plot([middle + scale * row.low, middle + scale * row.high], [y] * 2, color=color, lw=2)
            axes.plot([middle + scale * row.difference], [y], "o", color=color, ms=5)
        return figure


def compare_codes(
    encoders: Mapping[str, Any],
    factors: Any,
    metrics: Sequence[str] | None,
    random_state: Any,
    *,
    bootstrap: int = BOOTSTRAP,
    bins: int | None = None,
    blocks: Any = None,
    fast: bool = False,
    per_point: Mapping[str, Mapping[str, FloatArray]] | None = None,
) -> Comparison:
    """See `causal_disent.compare`; `per_point` is of metrics that are means over the points: metric -> encoder ->
    what they are the mean of."""
    if len(encoders) < 2:
        raise errors.InvalidInput("`compare` takes the codes of two or more encoders, and the factors.")
    points = {name: read_points(codes, factors, bins=bins, blocks=blocks) for name, codes in encoders.items()}
    first = next(iter(points.values()))
    for name, one in points.items():
        if one.codes.values.shape[0] != first.codes.values.shape[0]:
            raise errors.InvalidInput(f"The codes '{shown(name)}' have other points than the first ones.")
    seed = seed_of(random_state)
    found = {name: _measure(one, metrics, seed, fast) for name, one in points.items()}
    everywhere = [metric for metric in next(iter(found.values())) if all(found[name][metric][1] for name in found)]
    left_out = {
        metric: row.remark
        for rows in found.values()
        for metric, (row, job) in rows.items()
        if metric not in everywhere and not job
    }
    rows = []
    with closing(steps(everywhere, "resampling")) as measured:
        for metric in measured:
            resampled = {name: _resample(found[name][metric][1], bootstrap, seed, first.blocks) for name in found}
            rows += [_difference(metric, *pair, resampled) for pair in combinations(resampled, 2)]
    for metric, of_encoders in (per_point or {}).items():
        means = {
            name: _resample_mean(values, bootstrap, seed, first.blocks) for name, values in of_encoders.items()
        }
        rows += [_difference(metric, *pair, means) for pair in combinations(means, 2)]
    known = [i for i, row in enumerate(rows) if not isnan(row.p)]
    for i, corrected in zip(known, holm([rows[i].p for i in known]) if known else [], strict=True):
        rows[i] = replace(rows[i], corrected=float(corrected))
    if not rows:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise errors.InvalidInput(f"No metric could be measured for every encoder. {reasons}")
    return Comparison(
        tuple(encoders), first.codes.values.shape[0], tuple(rows), left_out, tuple(_notes_of(points))
    )


def compare_models(
    models: Mapping[str, Any],
    data: Any,
    metrics: Sequence[str] | None,
    random_state: Any,
    *,
    num_points: int,
    classifier: Any,
    **options: Any,
) -> Comparison:
    """`compare_codes` of what models make of the same images of a data set; and CG, if all have decoders."""
    from causal_disent.metrics.cg import DecodedPoints, cg
    from causal_disent.metrics.draw import Source, factor_names, points

    seed = seed_of(random_state)
    decoded = all(getattr(model, "decode", None) is not None for model in models.values())
    wanted = decoded if metrics is None else "cg" in metrics
    needs: Any = DecodedPoints(metric="cg") if wanted else points()
    drawn = {"num_train": num_points, "batch_size": needs.parameters["batch_size"]}
    drawn |= {"classifier": classifier} if wanted else {}
    encoders: dict[str, Any] = {}
    per_point: dict[str, Any] = {}
    factors: Any = None
    for name, model in models.items():
        source = Source(data, model, np.random.RandomState(seed), make_classifier)
        (sample,) = needs.draw(source, **drawn)
        encoders[name], factors = sample.arguments[:2]
        if wanted:
            found = cg(*sample.arguments, random_state=seed, image_shape=sample.keywords["image_shape"])
            per_point[name] = found.per_point
    others = None if metrics is None else [one for one in metrics if one != "cg"]
    table = dict(zip(factor_names(data), np.asarray(factors).T, strict=True))
    means = {"cg": per_point} if wanted else None
    return compare_codes(encoders, table, others, seed, **options, per_point=means)


def _notes_of(points: Mapping[str, Points]) -> Iterator[str]:
    """The notes of each encoder's points, by its name unless all have the note."""
    for note in dict.fromkeys(note for one in points.values() for note in one.notes):
        owners = [name for name, one in points.items() if note in one.notes]
        yield note if len(owners) == len(points) else f"{errors.listing(owners)}: {note}"


def _measure(points: Points, metrics: Sequence[str] | None, seed: int, fast: bool) -> dict[str, Any]:
    """Metric -> its score and what makes resamples of it; of no metrics, where those of points are all."""
    entries = [] if metrics is not None and not metrics else choose_metrics(metrics, points)
    return {row.entry.name: (row, job) for row, job in measure_points(entries, points, seed, fast)}


@dataclass(frozen=True)
class _Resampled:
    """One encoder by one metric: its score, and those of resamples, the same rows for every encoder."""

    score: float
    resampled: FloatArray
    num_points: int
    most_points: int
    lower_is_better: bool


def _resample(job: Sequence[Any], bootstrap: int, seed: int, blocks: IntArray | None) -> _Resampled:
    """Score resamples of the points, once for all comparisons of an encoder."""
    facts, function, points, options, score = job
    score_of, _, num_points, cap = resampler(facts, function, points, options, seed)
    label = f"{function.__name__}: resamples"
    found = score_resamples(
        score_of, num_points, bootstrap, seed=seed, most_points=cap, blocks=blocks, label=label
    )
    return _Resampled(score, found, num_points, cap, facts["better"] == "lower")


def _resample_mean(values: FloatArray, bootstrap: int, seed: int, blocks: IntArray | None) -> _Resampled:
    """A score that is a mean over points, in the resamples that all other metrics have."""
    found = score_resamples(
        lambda rows: float(values[rows].mean()), len(values), bootstrap, seed=seed, blocks=blocks
    )
    return _Resampled(float(values.mean()), found, len(values), len(values), False)


def _difference(metric: str, first: str, second: str, found: Mapping[str, _Resampled]) -> Difference:
    """One paired comparison."""
    one, other = found[first], found[second]
    difference = one.score - other.score
    low, high, _ = interval_of_resamples(
        difference, one.resampled - other.resampled, one.num_points, one.most_points
    )
    spread = (high - low) / (2 * WIDTH)
    if isnan(spread):
        p = nan
    elif abs(difference) < ROUNDING:
        p = 1.0
    elif spread == 0:
        p = 0.0
    else:
        p = float(2 * norm.sf(abs(difference) / spread))
    scores = (one.score, other.score)
    return Difference(metric, first, second, scores, low, high, p, lower_is_better=one.lower_is_better)


def _as_text(p: float) -> str:
    """A p-value in print."""
    return "" if isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def names_of(number: int) -> list[str]:
    """``a``, ``b`` and so on, for encoders without names.

    Example:
        >>> names_of(3)
        ['a', 'b', 'c']
    """
    return [chr(ord("a") + i) if i < 26 else f"encoder_{i}" for i in range(number)]


def as_encoders(matrices: Sequence[Any]) -> dict[str, Any]:
    """Name -> codes, of a mapping or of several matrices."""
    if len(matrices) == 1 and isinstance(matrices[0], Mapping):
        encoders = {str(name): codes for name, codes in matrices[0].items()}
        if len(encoders) < len(matrices[0]) or not all(map(str.strip, encoders)):
            raise errors.InvalidInput(
                f"`matrices`: each encoder needs its own name; given: {errors.listing(map(repr, matrices[0]))}."
            )
        return encoders
    return dict(zip(names_of(len(matrices)), matrices, strict=True))
