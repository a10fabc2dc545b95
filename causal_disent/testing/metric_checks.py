"""What every metric must do. A check is a function of a `MetricTrial`; its name is what users see."""

from __future__ import annotations

import doctest
import inspect
import io
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.representation.oracles import perfect_oracle
from causal_disent.testing._declarations import (
    BETTER,
    check_known_failures,
    check_words,
    declared_range,
    is_within,
)
from causal_disent.testing._encoders import (
    INVARIANCES,
    Changed,
    first_code,
    with_nan,
    without_codes,
    without_last_row,
)
from causal_disent.testing._global_generators import check_untouched
from causal_disent.testing._metric_trial import MetricTrial, scores_of
from causal_disent.testing._stage import ReadOnlyData, read_only
from causal_disent.testing.check import CheckFailed, NotApplicable, checks_in, demand

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
