"""Each check of metrics rejects one that was broken on purpose, for the right reason."""

import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rejection import assert_rejected, cases, outcome

from causal_disent import errors
from causal_disent.metrics import mcc
from causal_disent.registry import Entry
from causal_disent.testing import CheckFailed, check_metric
from causal_disent.testing.metric_checks import METRIC_CHECKS, small_parameters
from causal_disent.testing.stage import stage_data


def sample(data, encoder, random_state, num=100):
    factors, images = data.sample(num, random_state)
    return np.asarray(encoder(images)), factors


def correlation(ground_truth_data, representation_function, random_state, artifact_dir=None):
    """Returns ``score``, the `mcc` of 100 points."""
    return {"score": mcc(*sample(ground_truth_data, representation_function, random_state)).score}


GOOD_METRIC = Entry(
    "metrics",
    "correlation",
    "tests",
    correlation,
    "a summary",
    {
        "assumes": "ordered factors",
        "headline": "score",
        "better": "higher",
        "range": (0, 1),
        "invariances": (
            "permutation",
            "rescaling",
        ),
    },
)


def metric(function):
    """The good entry with another function, `function(codes, factors, random_state)`."""

    def computed(ground_truth_data, representation_function, random_state, artifact_dir=None):
        """Returns scores, compared with `mcc`."""
        codes, factors = sample(ground_truth_data, representation_function, random_state)
        return function(codes, factors, random_state)

    return replace(GOOD_METRIC, target=computed)


def scoring(function):
    """A metric whose score is `function(codes, factors)`."""
    return metric(lambda codes, factors, _: {"score": function(codes, factors)})


def declaring(**details):
    """The good metric with other details; None leaves one out."""
    details = {**GOOD_METRIC.facts, **details}
    return replace(GOOD_METRIC, facts={key: value for key, value in details.items() if value is not None})


class Stated:
    """A docstring alone."""


def undocumented(ground_truth_data, representation_function, random_state, artifact_dir=None): ...


def without_artifact_dir(ground_truth_data, representation_function, random_state, size=1):
    """Returns a score."""
    return {"score": 1.0}


def with_a_folder_of_its_own(ground_truth_data, representation_function, random_state, artifact_dir="."): ...


def asking_for_more(ground_truth_data, representation_function, random_state, artifact_dir=None, *, size): ...


def writing_without_making_the_folder(ground_truth_data, representation_function, random_state, artifact_dir=None):
    if artifact_dir is not None:
        Path(artifact_dir, "codes.txt").write_text("codes")
    return {"score": 1.0}


def writing_to_codes(codes, factors, _):
    codes -= codes.mean(axis=0)
    return {"score": float(np.abs(codes).mean())}


def writing_to_factors(codes, factors, _):
    factors -= 1
    return {"score": float(factors.mean())}


def unfounded(codes, factors, _):
    return {"score": float(np.random.rand())}  # noqa: NPY002


def unfounded_by_python(codes, factors, _):
    return {"score": random.random()}


def unseeded(codes, factors, _):
    return {"score": float(np.random.RandomState().rand())}


def divided_by_constant(codes, factors):
    return float((1 / factors.std(axis=0)).mean())


def of_two_codes(codes, factors):
    return float(codes[:, 1].mean())


def about_the_weather(codes, factors, _):
    raise errors.InvalidInput("It rains.")


def without_formula(ground_truth_data, representation_function, random_state, artifact_dir=None):
    """Returns ``score``."""
    return correlation(ground_truth_data, representation_function, random_state)


def with_example(text):
    """A metric with this example; made here, as pytest would run that of a function of this file."""

    def computed(ground_truth_data, representation_function, random_state, artifact_dir=None):
        return correlation(ground_truth_data, representation_function, random_state)

    computed.__doc__ = f"Returns ``score``.\n\n{text}\n"
    return replace(GOOD_METRIC, target=computed)


BROKEN_METRICS = {
    "documented": [
        (replace(GOOD_METRIC, summary=""), "no summary"),
        (declaring(assumes=None), "does not say what it assumes"),
        (replace(GOOD_METRIC, target=undocumented), "no docstring"),
        (replace(GOOD_METRIC, target=sample), "no docstring"),
        (replace(GOOD_METRIC, target=Stated), "does not say what is returned"),
        (replace(GOOD_METRIC, target=without_formula), "no formula"),
        (declaring(range=None), "does not say where its scores lie"),
    ],
    "example_passes": [
        (replace(GOOD_METRIC, target=without_formula), "no example"),
        (with_example(">>> 1 + 1\n3"), "(?s)an example fails.*Expected.*3.*Got.*2"),
    ],
    "declarations_hold_together": [
        (declaring(known_failures={"one_cod": "many"}), "Unknown check 'one_cod'. Did you mean 'one_code'"),
        (declaring(known_failures={"one_code": ""}), "no reason for one_code; write {'one_code': 'reason'}"),
        (declaring(range="0-1"), r"`range` is a pair of numbers such as .*; given: '0-1'"),
        (declaring(range=(1, 0)), r"`range` is a pair of numbers such as .*; given: \(1, 0\)"),
        (declaring(invariances="permutation"), r"`invariances` is a tuple of names, .*; given: 'permutation'"),
        (
            declaring(invariances=("rotation",)),
            "Unknown invariance 'rotation'.* There are: permutation, rescaling",
        ),
        (declaring(better="up"), "higher or lower; given: 'up'"),
        (declaring(headline="skore"), "Unknown score 'skore'. Did you mean 'score'"),
        (declaring(headline=None), "better, range, invariances tell of a headline score"),
        (metric(lambda *_: {"score": "good"}), "'score' must be a finite number; it is 'good'"),
    ],
    "signature_is_the_common_one": [
        (replace(GOOD_METRIC, target=without_artifact_dir), "random_state, artifact_dir; it has: .*, size"),
        (replace(GOOD_METRIC, target=with_a_folder_of_its_own), "`artifact_dir` must be None by default"),
        (replace(GOOD_METRIC, target=asking_for_more), "these have none: size"),
    ],
    "scores_are_plain_and_finite": [
        (metric(lambda *_: 0.5), "returns a dict; it returned float"),
        (metric(lambda *_: {}), "at least one score"),
        (metric(lambda *_: {1: 0.5}), "keys of the scores are text; one is 1"),
        (metric(lambda *_: {"score": object()}), "'score' cannot be written to a result file: .* a object"),
        (metric(lambda *_: {"score": 1.0, "more": {"a": [0.0, np.inf]}}), "finite; 'more' is inf"),
        (metric(lambda *_: {"score": 1.0, "more": {"a": [np.float64(0.5)]}}), "'more' holds a float64"),
    ],
    "headline_within_range": [
        (scoring(lambda codes, factors: 2.0), "perfect codes is 2, outside \\(0.0, 1.0\\)"),
        (scoring(lambda codes, factors: 1 - mcc(codes, factors).score - 0.2), "perfect codes is -0.2, outside"),
    ],
    "perfect_beats_noise": [
        (scoring(lambda codes, factors: 1 - mcc(codes, factors).score), "perfect codes score .* and noise 0.7"),
        (scoring(lambda codes, factors: 0.5), "perfect codes and noise both score 0.5"),
        (declaring(better="lower"), "perfect codes score 1 and noise 0"),
    ],
    "same_seed_same_scores": [
        (metric(unseeded), "from the same seed differ: 'score' is 0.*, then 0"),
        (metric(unfounded), "from the same seed differ"),
    ],
    "global_generators_untouched": [
        (metric(unfounded), "changes the global generator numpy.random;"),
        (metric(unfounded_by_python), "changes the global generator random;"),
    ],
    "read_only_inputs_work": [
        (metric(writing_to_codes), "it raised .*read-only"),
        (metric(writing_to_factors), "it raised .*read-only"),
        (scoring(lambda codes, factors: float(codes.flags.writeable)), "read-only arrays give other scores"),
    ],
    "codes_stay_as_they_are": [(metric(writing_to_codes), "writes to the codes that the encoder returned")],
    "works_with_artifact_dir": [
        (replace(GOOD_METRIC, target=writing_without_making_the_folder), "it raised FileNotFoundError"),
    ],
    "invariances_hold": [
        (
            scoring(lambda codes, factors: float(codes[:, 0].std())),
            "permutation of the codes moves the score from",
        ),
        (scoring(lambda codes, factors: float(codes.std())), "rescaling of the codes moves the score from"),
    ],
    "constant_factor": [(scoring(divided_by_constant), "finite; 'score' is inf")],
    "one_code": [(scoring(of_two_codes), "it raised IndexError: .* A user's mistake is a .*InvalidInput")],
    "no_code": [(metric(about_the_weather), "does not speak of the codes: It rains")],
    "codes_with_nan": [
        (scoring(lambda codes, factors: float(codes.mean())), "finite; 'score' is nan"),
        (metric(about_the_weather), "does not speak of the codes: It rains"),
    ],
    "wrong_number_of_rows": [
        (scoring(lambda codes, factors: float((codes[:, 0] * factors[:, 0]).mean())), "it raised ValueError"),
    ],
}


@pytest.mark.parametrize(("name", "entry", "message"), cases(BROKEN_METRICS))
def test_a_broken_metric_is_rejected(name, entry, message):
    assert_rejected(entry, name, message)


def test_a_good_metric_passes():
    assert {found.status for found in check_metric(GOOD_METRIC)} == {"ok"}


def test_all_failures_are_told_at_once():
    with pytest.raises(CheckFailed) as raised:
        check_metric(metric(writing_to_codes))
    assert re.match(r"The metric 'correlation' fails \d of 18 checks:\n  ", str(raised.value))
    assert "\n  codes_stay_as_they_are: it writes" in str(raised.value)


def test_known_failures_are_skipped_with_their_reason():
    entry = replace(
        metric(unseeded), facts={**GOOD_METRIC.facts, "known_failures": {"same_seed_same_scores": "luck"}}
    )
    found = outcome(entry, "same_seed_same_scores")
    assert (found.status, found.reason) == ("skipped", "known failure: luck")


def test_without_a_headline_there_is_nothing_to_compare():
    entry = declaring(headline=None, better=None, range=None, invariances=None)
    found = {one.check: one for one in check_metric(entry)}
    for name in ("headline_within_range", "perfect_beats_noise", "invariances_hold"):
        assert found[name].status == "skipped"
    assert found["perfect_beats_noise"].reason == "no headline score is declared; register with headline=KEY."


def test_lucky_noise_is_not_held_against_a_metric():
    entry = scoring(lambda codes, factors: float(mcc(codes, factors).score > 0.14))
    assert outcome(entry, "perfect_beats_noise").status == "ok"


def test_a_metric_on_data_of_its_own():
    found = {one.check: one for one in check_metric(GOOD_METRIC, data=stage_data(sizes=(2, 2)))}
    assert found["constant_factor"].status == "skipped" and found["one_code"].status == "ok"


def test_metrics_are_given_little_work():
    def slow(
        data, encoder, random_state, artifact_dir=None, num_train=(10, 100, 1000), num_test=50, num_jobs=None
    ): ...

    assert small_parameters(slow) == {"num_train": [100], "num_test": 50, "num_jobs": 1}


def test_every_check_has_a_broken_entry():
    assert [check.__name__ for check in METRIC_CHECKS] == list(BROKEN_METRICS)
    assert all(check.__doc__ for check in METRIC_CHECKS)


def test_known_failures_in_another_form_are_an_error():
    with pytest.raises(CheckFailed, match="`known_failures` is a dict of checks and reasons"):
        check_metric(declaring(known_failures="one_code: many"))
