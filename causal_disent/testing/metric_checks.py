"""Encoders made from others, with decoders that undo what was done to the codes."""

from __future__ import annotations

import doctest
import inspect
import io
import re
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics.cg import BEST
from causal_disent.protocols import FloatArray
from causal_disent.registry import Entry
from causal_disent.representation.oracles import mixed_oracle, noise_oracle, perfect_oracle
from causal_disent.runs.results import plain
from causal_disent.testing.stage import (
    BETTER,
    CausalStage,
    CheckFailed,
    NotApplicable,
    ReadOnlyData,
    check_known_failures,
    check_untouched,
    check_words,
    checks_in,
    declared_range,
    demand,
    is_within,
    read_only,
    stage_data,
    touched_generators,
)

Change = Callable[[FloatArray], FloatArray]


class Changed:
    """`encoder`, with `change` made to its codes.

    Args:
        encoder: a representation with a decoder.
        change: codes (n, m) to other codes.
        undo: what the decoder does to codes before it decodes; nothing, if not given.
    """

    def __init__(self, encoder: Any, change: Change, undo: Change = np.asarray) -> None:
        self._encoder, self._change, self._undo = encoder, change, undo

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self._change(self._encoder(images))

    def decode(self, codes: FloatArray) -> FloatArray:
        return self._encoder.decode(self._undo(codes))


class Sum:
    """The codes of two encoders, added; the first one decodes."""

    def __init__(self, first: Any, second: Any) -> None:
        self._first, self._second = first, second

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self._first(images) + self._second(images)

    def decode(self, codes: FloatArray) -> FloatArray:
        return self._first.decode(codes)


class Remembering(Changed):
    """`encoder`, which remembers what it returned."""

    def __init__(self, encoder: Any) -> None:
        super().__init__(encoder, self._remember)
        self.returned: list[tuple[FloatArray, FloatArray]] = []

    def _remember(self, codes: FloatArray) -> FloatArray:
        self.returned.append((codes, codes.copy()))
        return codes

    @property
    def changed(self) -> bool:
        """Whether somebody wrote to what was returned."""
        return any(not np.array_equal(codes, copy) for codes, copy in self.returned)


def permuted(encoder: Any) -> Changed:
    """The codes in another order."""
    return Changed(encoder, lambda codes: np.roll(codes, 1, axis=1), lambda codes: np.roll(codes, -1, axis=1))


def rescaled(encoder: Any) -> Changed:
    """Each code times a number of its own: a power of two, so that rounding plays no part."""
    return Changed(encoder, lambda codes: codes * _scales(codes), lambda codes: codes / _scales(codes))


def _scales(codes: FloatArray) -> FloatArray:
    return 2.0 ** np.arange(1, codes.shape[1] + 1)


#: What an entry may declare in ``invariances`` -> the change that leaves its headline score as it was.
INVARIANCES: dict[str, Callable[[Any], Changed]] = {"permutation": permuted, "rescaling": rescaled}


def first_code(encoder: Any) -> Changed:
    """The first code alone; decoding takes the others to be 0."""
    num_codes: list[int] = []

    def keep_first(codes: FloatArray) -> FloatArray:
        num_codes.append(codes.shape[1])
        return codes[:, :1]

    return Changed(encoder, keep_first, lambda codes: np.pad(codes, ((0, 0), (0, num_codes[-1] - 1))))


def without_codes(encoder: Any) -> Changed:
    """No code at all, for any image."""
    return Changed(encoder, lambda codes: codes[:, :0])


def with_nan(encoder: Any) -> Changed:
    """The largest code of each batch is not a number."""
    return Changed(encoder, lambda codes: np.where(codes == codes.max(), np.nan, codes))


def without_last_row(encoder: Any) -> Changed:
    """Codes of all images but the last of each batch."""
    return Changed(encoder, lambda codes: codes[:-1])


SEED = 0
#: Parameter -> the most a check needs of it, to be done in a moment.
ENOUGH = {
    "num_train": 300,
    "num_test": 200,
    "num_eval": 200,
    "num_variance_estimate": 200,
    "num_test_points_per_class": 20,
    "n_experiment": 2,
    "num_points": 120,
    "num_jobs": 1,  # starting processes takes longer than so little work
}


def small_parameters(metric: Callable[..., Any]) -> dict[str, Any]:
    """Values for those of the metric's parameters that say how much work there is."""
    parameters = inspect.signature(metric).parameters
    small = {name: _small(parameters[name].default, most) for name, most in ENOUGH.items() if name in parameters}
    if "classifier" in parameters and parameters["classifier"].default == BEST:
        small["classifier"] = "nearest_image"  # which knows all that the oracles draw, and need not be trained
    return small


def _small(default: Any, most: int) -> Any:
    """`default`, but no more than `most`; of several values one, so that keys named after it stay."""
    if isinstance(default, Sequence) and not isinstance(default, str) and default:
        return [max((value for value in default if value <= most), default=min(default))]
    return min(default, most) if isinstance(default, int) else most


@dataclass(frozen=True)
class Watched:
    """A run of a metric.

    Attributes:
        scores: what it returned.
        touched_generators: the global generators that it changed.
        wrote_to_codes: whether it wrote to what the encoder returned.
    """

    scores: dict[str, Any]
    touched_generators: list[str]
    wrote_to_codes: bool


class MetricTrial:
    """A metric, and encoders whose quality is known.

    Args:
        entry: the metric.
        data: finite data to try it on; a small data set of its own by default.
        parameters: keyword arguments of the metric, before those that keep it small.
    """

    def __init__(self, entry: Entry, data: Any = None, **parameters: Any) -> None:
        self.entry = entry
        self.has_own_data = data is not None
        self.data = self.stage() if data is None else data
        self._parameters = parameters
        self._noise_scores: dict[int, dict[str, Any]] = {}

    def stage(self, sizes: tuple[int, ...] = (3, 4, 5)) -> Any:
        """A small data set as the metric needs it, with so many values of each factor."""
        causal = getattr(self.entry.facts.get("needs"), "causal", False)
        return CausalStage(sizes[:2]) if causal else stage_data(sizes)

    @cached_property
    def perfect(self) -> Any:
        """An encoder with a code for each factor."""
        return perfect_oracle(self.data)

    @cached_property
    def middling(self) -> Any:
        """An encoder that mixes the factors, with noise."""
        return Sum(mixed_oracle(self.data, strength=0.5), noise_oracle(self.data))

    def run(self, encoder: Any, data: Any = None, **more: Any) -> Any:
        """What the metric returns."""
        given = {**small_parameters(self.entry.load()), **self._parameters, **more}
        random_state = np.random.RandomState(SEED)
        return self.entry.load()(self.data if data is None else data, encoder, random_state=random_state, **given)

    @cached_property
    def perfect_scores(self) -> dict[str, Any]:
        """The scores of the perfect encoder."""
        return scores_of(self.run(self.perfect))

    @cached_property
    def middling_scores(self) -> dict[str, Any]:
        """The scores of the middling encoder."""
        return scores_of(self.run(self.middling))

    def noise_scores(self, seed: int) -> dict[str, Any]:
        """The scores of an encoder that says nothing."""
        if seed not in self._noise_scores:
            self._noise_scores[seed] = scores_of(self.run(noise_oracle(self.data, seed=seed)))
        return self._noise_scores[seed]

    @cached_property
    def watched(self) -> Watched:
        """A second run on the perfect encoder, of which more than the scores is seen."""
        encoder = Remembering(self.perfect)
        with touched_generators() as touched:
            returned = self.run(encoder)
        return Watched(scores_of(returned), touched, encoder.changed)

    def headline(self, scores: Mapping[str, Any]) -> float:
        """The score that stands for the metric."""
        key = self.entry.facts.get("headline")
        if key is None:
            raise NotApplicable("no headline score is declared; register with headline=KEY.")
        if key not in scores:
            raise CheckFailed(f"`headline`: {errors.unknown('score', key, scores).message}")
        value = scores[key]
        demand(
            isinstance(value, (int, float)) and np.isfinite(value),
            f"the headline score '{key}' must be a finite number; it is {value!r}.",
        )
        return float(value)


def scores_of(returned: Any) -> dict[str, Any]:
    """What a metric returned, without numpy types, if it is a dict of what a result file can hold."""
    demand(isinstance(returned, dict), f"a metric returns a dict; it returned {type(returned).__name__}.")
    demand(returned, "a metric returns at least one score; it returned an empty dict.")
    for key, value in returned.items():
        demand(isinstance(key, str), f"the keys of the scores are text; one is {key!r}.")
        try:
            number = _first_unbounded(plain(value))
        except errors.InvalidInput as error:
            raise CheckFailed(f"the score '{key}' cannot be written to a result file: {error.message}") from None
        demand(number is None, f"scores are finite; '{key}' is {number}.")
    return plain(returned)


def _first_unbounded(value: Any) -> float | None:
    """The first number in `value`, lists and dicts included, that is infinite or not a number."""
    if isinstance(value, float):
        return None if np.isfinite(value) else value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for found in map(_first_unbounded, parts) if found is not None), None)


#: How far an invariant score may move.
TOLERANCE = 1e-6
#: Encoders of noise to try before a tie with the perfect encoder counts against the metric.
NOISE_SEEDS = range(5)


def documented(trial: MetricTrial) -> None:
    """Listings and readers can tell what the metric asks, assumes, computes and returns."""
    entry = trial.entry
    demand(entry.summary, "it has no summary; register with summary='one line for listings'.")
    demand(
        entry.facts.get("assumes"), "it does not say what it assumes; register with assumes='discrete factors'."
    )
    text = inspect.getdoc(entry.facts.get("function", entry.load()))
    demand(text, "the function has no docstring.")
    demand("return" in str(text).lower(), "the docstring does not say what is returned.")
    texts = [inspect.getdoc(function) or "" for function in _written_about(entry.load())]
    demand(
        any(re.search(r"\.\. math::|:math:|\bFormula\b", text) for text in texts),
        "no formula: write `.. math::`, `:math:` or 'Formula' into the docstring, or into that of a function that "
        "it names in backticks.",
    )
    if "headline" in entry.facts:
        demand("range" in entry.facts, "it does not say where its scores lie; register with range=(0, 1).")


def example_passes(trial: MetricTrial) -> None:
    """An example in the docstring, or in that of a function which it names, runs and gives what it says."""
    written = _written_about(trial.entry.load())
    demand(
        any(">>>" in (inspect.getdoc(function) or "") for function in written),
        "no example: write one with >>> into the docstring, or into that of a function it names in backticks.",
    )
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report = io.StringIO()
    for function in written:
        names = dict(getattr(inspect.unwrap(function), "__globals__", {}))
        for test in doctest.DocTestFinder(recurse=False).find(function, function.__name__, globs=names):
            runner.run(test, out=report.write)
    demand(not report.getvalue().strip(), f"an example fails:\n{report.getvalue().strip()}")


def _written_about(metric: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The metric, and of a declared one its array function; and what its docstring names in backticks."""
    declaration = getattr(metric, "declaration", None)
    if declaration is not None:
        return [metric, declaration.function]
    module_names = getattr(inspect.unwrap(metric), "__globals__", {})
    named = [module_names.get(name) for name in re.findall(r"`(\w+)`", inspect.getdoc(metric) or "")]
    return [metric, *(function for function in named if inspect.isfunction(function))]


def declarations_hold_together(trial: MetricTrial) -> None:
    """What the entry declares for these checks can be understood."""
    facts = trial.entry.facts
    check_known_failures(trial.entry, (check.__name__ for check in METRIC_CHECKS))
    declared_range(trial.entry)
    for invariance in check_words(trial.entry, "invariances"):
        if invariance not in INVARIANCES:
            raise CheckFailed(f"`invariances`: {errors.unknown('invariance', invariance, INVARIANCES).message}")
    if "headline" in facts:
        demand(
            facts.get("better") in BETTER,
            f"`better` says which scores are better, higher or lower; given: {facts.get('better')!r}.",
        )
        trial.headline(trial.perfect_scores)
    else:
        alone = [name for name in ("better", "range", "invariances") if name in facts]
        demand(not alone, f"{errors.listing(alone)} tell of a headline score; declare headline=KEY too.")


def signature_is_the_common_one(trial: MetricTrial) -> None:
    """Gin and the commands can call it."""
    parameters = inspect.signature(trial.entry.load()).parameters
    common = ("ground_truth_data", "representation_function", "random_state", "artifact_dir")
    demand(
        tuple(parameters)[:4] == common,
        f"the first arguments are {errors.listing(common)}; it has: {errors.listing(tuple(parameters)[:4])}.",
    )
    demand(parameters["artifact_dir"].default is None, "`artifact_dir` must be None by default.")
    required = [name for name, p in list(parameters.items())[4:] if p.default is p.empty and p.kind in _BY_NAME]
    demand(not required, f"every other argument has a default; these have none: {errors.listing(required)}.")


_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def scores_are_plain_and_finite(trial: MetricTrial) -> None:
    """A dict of finite numbers, text and lists, by text; of Python's own types."""
    _ = trial.perfect_scores, trial.middling_scores  # they are checked when they are computed
    for key, value in trial.run(trial.perfect).items():
        foreign = _foreign_type(value)
        demand(not foreign, f"'{key}' holds a {foreign}; a plain number is float(...) or int(...) of it.")


def headline_within_range(trial: MetricTrial) -> None:
    """The headline score of good, middling and bad codes stays in the declared range."""
    allowed = declared_range(trial.entry)
    known = {"perfect": trial.perfect_scores, "middling": trial.middling_scores, "noise": trial.noise_scores(0)}
    for name, scores in known.items():
        value = trial.headline(scores)
        demand(
            allowed is None or is_within(value, allowed),
            f"the score of {name} codes is {value:.6g}, outside {allowed}.",
        )


def perfect_beats_noise(trial: MetricTrial) -> None:
    """A code for each factor scores better than codes that say nothing."""
    sign = -1.0 if trial.entry.facts.get("better") == "lower" else 1.0
    perfect = trial.headline(trial.perfect_scores)
    for seed in NOISE_SEEDS:
        noise = trial.headline(trial.noise_scores(seed))
        if sign * perfect > sign * noise:
            return
        # Where there are few possible scores, noise may be lucky, but not better.
        demand(perfect == noise, f"perfect codes score {perfect:.6g} and noise {noise:.6g}.")
    raise CheckFailed(f"perfect codes and noise both score {perfect:.6g}.")


def same_seed_same_scores(trial: MetricTrial) -> None:
    """Randomness comes from `random_state` alone."""
    again = trial.watched.scores
    different = [key for key, value in trial.perfect_scores.items() if again.get(key) != value]
    if different or len(again) != len(trial.perfect_scores):
        key = different[0] if different else next(iter(set(again) - set(trial.perfect_scores)))
        raise CheckFailed(
            f"two runs from the same seed differ: '{key}' is {trial.perfect_scores.get(key)!r}, "
            f"then {again.get(key)!r}."
        )


def global_generators_untouched(trial: MetricTrial) -> None:
    """``random`` and ``numpy.random`` are left alone."""
    check_untouched(trial.watched.touched_generators)


def read_only_inputs_work(trial: MetricTrial) -> None:
    """Factors, images and codes that cannot be written to give the same scores."""
    scores = scores_of(trial.run(Changed(trial.perfect, read_only), ReadOnlyData(trial.data)))
    demand(scores == trial.perfect_scores, "read-only arrays give other scores.")


def codes_stay_as_they_are(trial: MetricTrial) -> None:
    """What the encoder returned is not written to."""
    demand(not trial.watched.wrote_to_codes, "it writes to the codes that the encoder returned; work on a copy.")


def works_with_artifact_dir(trial: MetricTrial) -> None:
    """``dlib_evaluate`` names a folder for files, which the metric makes if it needs it."""
    with tempfile.TemporaryDirectory() as folder:
        scores_of(trial.run(trial.perfect, artifact_dir=str(Path(folder) / "artifacts")))


def invariances_hold(trial: MetricTrial) -> None:
    """The changes of the codes that the entry declares leave the headline score as it was."""
    declared = check_words(trial.entry, "invariances")
    if not declared:
        raise NotApplicable(f"no invariances are declared; there are: {errors.listing(INVARIANCES)}.")
    before = trial.headline(trial.middling_scores)
    for invariance in declared:
        after = trial.headline(scores_of(trial.run(INVARIANCES[invariance](trial.middling))))
        demand(
            abs(after - before) <= TOLERANCE,
            f"{invariance} of the codes moves the score from {before:.9g} to {after:.9g}.",
        )


def constant_factor(trial: MetricTrial) -> None:
    """A factor with a single value gives finite scores, or an error about the factors."""
    if trial.has_own_data:
        raise NotApplicable("the data set was given, and has the factors it has.")
    data = trial.stage(sizes=(3, 1, 5))
    _copes(lambda: trial.run(perfect_oracle(data), data), "factor")


def one_code(trial: MetricTrial) -> None:
    """A single code gives finite scores, or an error about the codes."""
    _copes(lambda: trial.run(first_code(trial.perfect)), "code")


def no_code(trial: MetricTrial) -> None:
    """An encoder without any code gives finite scores, or an error about the codes."""
    _copes(lambda: trial.run(without_codes(trial.perfect)), "code")


def codes_with_nan(trial: MetricTrial) -> None:
    """Codes that are not numbers give finite scores, or an error about the codes."""
    _copes(lambda: trial.run(with_nan(trial.perfect)), "code")


def wrong_number_of_rows(trial: MetricTrial) -> None:
    """An encoder that loses an image gives finite scores, or an error about the codes."""
    _copes(lambda: trial.run(without_last_row(trial.perfect)), "code")


def _foreign_type(value: Any) -> str:
    """The name of a type that is not Python's own, in `value` or in what it holds; empty if there is none."""
    if isinstance(value, dict):
        value = list(value.values())
    if type(value) in (list, tuple):
        return next((found for inner in value if (found := _foreign_type(inner))), "")
    return "" if value is None or type(value) in (bool, int, float, str) else type(value).__name__


def _copes(run: Callable[[], Any], word: str) -> None:
    """`run` returns finite scores, or an error that a user can mend and that has `word` in it."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # the metric may well warn here
            returned = run()
    except errors.CausalDisentError as error:
        demand(word in error.message.lower(), f"the error does not speak of the {word}s: {error.message}")
        return
    except Exception as error:
        raise CheckFailed(
            f"it raised {type(error).__name__}: {error}. A user's mistake is a causal_disent.errors.InvalidInput "
            "that says what was given and what is allowed."
        ) from error
    scores_of(returned)


METRIC_CHECKS = checks_in(globals())
