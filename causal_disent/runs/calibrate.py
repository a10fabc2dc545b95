"""What metrics say of representations whose quality is known."""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, is_number
from causal_disent.data.view import view
from causal_disent.metrics.certainty import Asked, asking
from causal_disent.progress import track
from causal_disent.registry import Entry, registry
from causal_disent.representation.code_table import CodeTable
from causal_disent.representation.remembering_classifier import RememberingClassifier
from causal_disent.runs.evaluate import run_metric
from causal_disent.runs.score import BOOTSTRAP, CHANCE
from causal_disent.text import shown_value

DATASET = "candle_mini"

#: Numbers that describe one factor, one code or one pair of factors, or count codes: not a verdict.
DETAIL = re.compile(r"(^|[_:])(factor|code|pred|sens)_?\d|_(factor|code)_|^num_active_dims$")

#: Says of a score that less of it is better.
LOWER = " (lower)"


@dataclass(frozen=True)
class Case:
    """A representation, and the truth about it.

    Attributes:
        name: one or two words, for the head of a column.
        truth: what is known.
        model: a registered oracle.
        options: of the oracle.
        factors: those that are ground truth; all if None.
        confounding: of the data set, as `causal_disent.data.view.view` takes it.
    """

    name: str
    truth: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    factors: tuple[str, ...] | None = None
    confounding: str | None = None


CASES = (
    Case("perfect", "one code per factor: its value", "perfect_oracle"),
    *(
        Case(
            f"mixed {strength:g}",
            "the perfect codes, " + ("rotated" if strength == 1 else f"{strength:g} of the way to `mixed 1`"),
            "mixed_oracle",
            {"strength": strength},
        )
        for strength in (0.1, 0.25, 0.5, 1.0)
    ),
    Case("duplicated", "every perfect code twice", "duplicated_oracle"),
    Case("missing", "perfect codes, but none for the object", "missing_factor_oracle", {"factor": "object"}),
    Case(
        "merged",
        "perfect codes, but one for both size and scene, with a value for each pair",
        "merged_oracle",
        {"factors": ("size", "scene")},
    ),
    Case("extra noise", "the perfect codes and four of noise", "extra_noise_oracle", {"num_noise": 4}),
    Case(
        "confounded",
        "perfect codes of object and color, in data where each object has one color of its own",
        "perfect_oracle",
        factors=("object", "color"),
        confounding="candle_one_to_one",
    ),
    Case("noise", "codes that say nothing of the factors, one per factor", "noise_oracle"),
)


@dataclass(frozen=True)
class Sure:
    """How sure a score is: its 95 % interval and its chance level, NaN where there is none."""

    low: float = nan
    high: float = nan
    chance: float = nan
    chance_share: float = nan
    within_chance: bool = False


SURE = tuple(Sure.__dataclass_fields__)


@dataclass(frozen=True)
class Row:
    """One score of a metric for each case.

    Attributes:
        metric: the metric's name.
        score: the score's key in a result file, without the size of a training set before it.
        cells: the score, or why there is none.
        lower_is_better: whether it is.
        range: as the metric declares it, such as ``(0, 1)``; None if it does not.
        sure: how sure each score is; None where nobody asked, or the metric does not say.
    """

    metric: str
    score: str
    cells: tuple[float | str, ...]
    lower_is_better: bool = False
    range: tuple[float, float] | None = None
    sure: tuple[Sure | None, ...] = ()


def calibrate(
    metrics: Sequence[str] | None = None,
    *,
    cases: Sequence[Case] = CASES,
    num_train: int = 1_000,
    random_seed: int = 0,
    bootstrap: int | None = None,
    chance: int | None = None,
) -> list[Row]:
    """The scores of every metric on every case, on `DATASET`.

    Args:
        metrics: their names; if None all that are registered and need no factors that cause each other.
        cases: what to measure.
        num_train: points to train or measure on; test sets have half of them.
        random_seed: of the draws of each metric.
        bootstrap: resamples for the intervals; by default some, for metrics that are quick.
        chance: permutations for the chance levels; by default some, for metrics that are quick.

    Returns:
        A row per score; a metric that raises has the message in place of the score.
    """
    if num_train < 2:
        raise errors.InvalidInput(f"`num_train` must be at least 2; given: {shown_value(num_train)}.")
    entries = [registry.get("metrics", name) for name in metrics or _default_metrics()]
    slow = Asked(bootstrap or 0, chance or 0, random_seed)
    quick = replace(
        slow,
        bootstrap=BOOTSTRAP if bootstrap is None else bootstrap,
        chance=CHANCE if chance is None else chance,
    )
    outcomes: dict[str, list[dict[str, Any] | str]] = {entry.name: [] for entry in entries}
    runs = ((bench, entry) for bench in _benches(cases) for entry in entries)
    with tempfile.TemporaryDirectory() as folder:
        for bench, entry in track(runs, "calibrating", total=len(cases) * len(entries), unit="run"):
            with asking(quick if entry.facts.get("fast") is None else slow):
                outcomes[entry.name].append(bench.measure(entry, num_train, random_seed, Path(folder)))
    return [row for entry in entries for row in _rows(entry, outcomes[entry.name])]


def _default_metrics() -> list[str]:
    """All but those whose factors must cause each other: here none does."""
    entries = registry.entries("metrics")
    return [entry.name for entry in entries if not getattr(entry.facts.get("needs"), "causal", False)]


@dataclass(frozen=True)
class _Bench:
    """What the metrics of one case share, so that each image is encoded once and judged once."""

    data: Any
    codes: CodeTable
    classifier: RememberingClassifier

    def measure(self, entry: Entry, num_train: int, random_seed: int, folder: Path) -> dict[str, Any] | str:
        """The metric's scores, or why there are none."""
        metric = registry.function("metrics", entry.name)
        settings = small_sample(metric, num_train)
        if "classifier" in inspect.signature(metric).parameters:
            settings["classifier"] = self.classifier
        try:
            return run_metric(
                partial(metric, **settings), entry.name, self.data, self.codes, random_seed, folder / entry.name
            )
        except errors.MetricFailed as error:
            return f"{type(error.failure).__name__}: {errors.text_of(error.failure)}"
        except errors.CausalDisentError as error:
            return error.message.removeprefix(f"{entry.name}: ")


def _benches(cases: Sequence[Case]) -> Iterator[_Bench]:
    """One for each case; cases of the same data share the data and the classifier."""
    whole = registry.function("datasets", DATASET)()
    shared: dict[Any, tuple[Any, RememberingClassifier]] = {}
    for case in cases:
        key = (case.factors, case.confounding)
        if key not in shared:
            data = view(whole, factors=case.factors, confounding=case.confounding)
            shared[key] = data, RememberingClassifier(registry.function("classifiers", "nearest_image")(data))
        data, classifier = shared[key]
        model = registry.function("representations", case.model)(data, **case.options)
        yield _Bench(data, CodeTable(data, model), classifier)


def small_sample(metric: Callable[..., Any], num_train: int) -> dict[str, Any]:
    """The arguments that hold a metric to `num_train` points, by the names that disentanglement_lib gives them."""
    sizes = {
        "num_train": num_train,
        "num_test": num_train // 2,
        "num_eval": num_train // 2,
        "num_variance_estimate": num_train,
    }
    parameters = inspect.signature(metric).parameters
    found: dict[str, Any] = {name: size for name, size in sizes.items() if name in parameters}
    if "num_train" in found and isinstance(parameters["num_train"].default, (list, tuple)):
        found["num_train"] = (num_train,)  # downstream tasks take a series of sizes
    return found


def _rows(entry: Entry, outcomes: Sequence[dict[str, Any] | str]) -> list[Row]:
    """A row for each headline of a metric; one with its name alone where it failed everywhere."""
    # ``1000:mean_test_accuracy`` as ``mean_test_accuracy``: one size is measured.
    scores = [
        one if isinstance(one, str) else {without_size(key): value for key, value in one.items()}
        for one in outcomes
    ]
    found = [one for one in scores if not isinstance(one, str)]

    def cell(one: dict[str, Any] | str, name: str) -> float | str:
        if isinstance(one, str):
            return one
        return float(one[name]) if is_number(one.get(name)) else f"It returns no number '{name}' here."

    def sure(one: dict[str, Any] | str, name: str) -> Sure | None:
        told = {} if isinstance(one, str) else {one_field: one.get(f"{name}_{one_field}") for one_field in SURE}
        known = {one_field: value for one_field, value in told.items() if value is not None}
        return Sure(**known) if known else None

    return [
        Row(
            entry.name,
            name,
            tuple(cell(one, name) for one in scores),
            lower,
            entry.facts.get("range"),
            tuple(sure(one, name) for one in scores),
        )
        for name, lower in (headlines(entry, found) or {"": False}).items()
    ]


def without_size(key: str) -> str:
    """``mean_test_accuracy`` of ``100:mean_test_accuracy``: metrics are known by scores of any size of sample."""
    return re.sub(r"^\d+:", "", key)


def headlines(entry: Entry, found: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """The keys that are a metric's verdict, each with whether lower is better.

    They are those that it was registered with, ``headline="disentanglement", also=("completeness",)``, and else
    all numbers in the results `found` that describe more than one factor or code.
    """
    lower = entry.facts.get("better") == "lower"
    stated = (*[entry.facts[fact] for fact in ("headline",) if fact in entry.facts], *entry.facts.get("also", ()))
    keys = [without_size(key) for key in stated]
    if not keys:
        numbers = (key for scores in found for key, value in scores.items() if is_number(value))
        keys = [key for key in dict.fromkeys(numbers) if not DETAIL.search(key)]
    return {key.removesuffix(LOWER): lower or key.endswith(LOWER) for key in keys}


#: From good to bad: codes of each are worse than those before, which no metric of disentanglement should deny.
FROM_GOOD_TO_BAD = tuple(case for case in CASES if case.name in ("perfect", "mixed 0.25", "mixed 1", "noise"))


@dataclass(frozen=True)
class Reseeded:
    """One score of a metric at one size, over seeds.

    Attributes:
        metric: its name.
        score: the key of the score.
        num_train: points that were sampled.
        means: of each case over the seeds; NaN if there is a seed without a score.
        noise: of each case, the standard deviation over the seeds.
        right: for each case but the last, the share of pairs of seeds in which it scores better than the next,
            ties counted half: 1 if the metric tells them apart whatever the seed, 0.5 if it cannot, 0 if it has
            them the wrong way round.
    """

    metric: str
    score: str
    num_train: int
    means: tuple[float, ...]
    noise: tuple[float, ...]
    right: tuple[float, ...]


def reseed(
    metrics: Sequence[str] | None = None,
    *,
    sizes: Sequence[int] = (1_000,),
    seeds: int = 5,
    random_seed: int = 0,
    cases: Sequence[Case] = FROM_GOOD_TO_BAD,
) -> list[Reseeded]:
    """Scores of codes from good to bad under several seeds.

    Args:
        metrics: their names; all that are registered if None.
        sizes: points to sample.
        seeds: how many, from `random_seed` on.
        random_seed: the first.
        cases: from good to bad.
    """
    check_at_least(2, seeds=seeds)
    found = []
    for size in sizes:
        tables = [
            calibrate(metrics, cases=cases, num_train=size, random_seed=random_seed + seed, bootstrap=0, chance=0)
            for seed in range(seeds)
        ]
        for rows in zip(*tables, strict=True):
            cells = [[cell if isinstance(cell, float) else np.nan for cell in row.cells] for row in rows]
            found.append(reseeded(rows[0].metric, rows[0].score, size, np.array(cells), rows[0].lower_is_better))
    return found


def reseeded(metric: str, score: str, size: int, values: np.ndarray, lower_is_better: bool) -> Reseeded:
    """The last step, of scores (seeds, cases).

    Example:
        >>> reseeded("mig", "score", 10, np.array([[0.9, 0.2], [0.7, 0.8]]), False).right
        (0.75,)
    """
    signed = -values if lower_is_better else values
    gaps = signed[:, None, :-1] - signed[None, :, 1:]
    right = np.where(np.isnan(gaps), np.nan, (gaps > 0) + 0.5 * (gaps == 0)).mean(axis=(0, 1))
    means, noise = values.mean(axis=0), values.std(axis=0, ddof=1)
    return Reseeded(metric, score, size, tuple(means.tolist()), tuple(noise.tolist()), tuple(right.tolist()))
