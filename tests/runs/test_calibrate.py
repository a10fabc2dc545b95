import numpy as np
import pytest

from causal_disent import errors
from causal_disent.metrics.certainty import asked_of_run
from causal_disent.registry import Entry, registry
from causal_disent.runs.calibrate import CASES, Case, calibrate, headlines, small_sample

PERFECT, NOISE = (next(case for case in CASES if case.name == name) for name in ("perfect", "noise"))


@pytest.fixture
def metric(request):
    """A function that registers a metric for the time of a test."""

    def add(function, **details):
        entry = Entry("metrics", "passing_by", "test", function, "", details)
        request.addfinalizer(registry.replace(entry))
        return entry

    return add


def test_scores_of_known_representations():
    rows = calibrate(["irs", "uc"], cases=(PERFECT, NOISE), num_train=300)
    cells = {(row.metric, row.score): row.cells for row in rows}
    assert cells["irs", "IRS"][0] >= 0.999 and cells["irs", "IRS"][1] < 0.2
    assert cells["uc", "UC"][0] == 1


def test_scores_say_how_sure_they_are():
    rows = calibrate(["uc", "cg"], cases=(PERFECT, NOISE), num_train=200)
    sure = {row.score: row.sure for row in rows}
    perfect, noise = sure["UC"]
    assert perfect.low <= 1.0 == perfect.high and perfect.chance < 1.0
    assert noise.within_chance and noise.chance_share > 0.05
    assert not sure["CG_signed"][0].within_chance and sure["CG_signed"][1].within_chance
    (row,) = calibrate(["uc"], cases=(NOISE,), num_train=200, bootstrap=0, chance=0)
    assert row.sure == (None,)


def test_what_takes_long_is_not_resampled_unless_somebody_says_how_often(metric):
    asked = []

    def slow(ground_truth_data, representation_function, random_state, artifact_dir=None):
        asked.append(asked_of_run())
        return {"score": 1.0}

    metric(slow, fast={})
    calibrate(["passing_by"], cases=(PERFECT,))
    calibrate(["passing_by"], cases=(PERFECT,), bootstrap=3)
    assert asked[0] is None and (asked[1].bootstrap, asked[1].chance) == (3, 0)


def test_the_same_seed_gives_the_same_table():
    first, second = (calibrate(["mig"], cases=(NOISE,), num_train=100, random_seed=3) for _ in range(2))
    assert first == second


def test_a_case_names_a_registered_oracle_and_its_column_is_unique():
    assert {case.model for case in CASES} <= set(registry.names("representations"))
    assert len({case.name for case in CASES}) == len(CASES)


def test_a_metric_that_fails_leaves_its_reason(metric):
    def only_two_factors(ground_truth_data, representation_function, random_state, artifact_dir=None):
        if ground_truth_data.num_factors != 2:
            raise errors.InvalidInput("I take two factors.")
        return {"score": 1.0}

    metric(only_two_factors)
    two = Case("two", "", "perfect_oracle", factors=("object", "color"))
    (row,) = calibrate(["passing_by"], cases=(PERFECT, two))
    assert (row.score, row.cells) == ("score", ("I take two factors.", 1.0))


def test_a_bug_in_a_metric_is_shown_and_the_table_goes_on(metric):
    def broken(ground_truth_data, representation_function, random_state, artifact_dir=None):
        return {"score": 1 / 0}

    metric(broken)
    rows = calibrate(["passing_by", "irs"], cases=(PERFECT,), num_train=100)
    assert rows[0].cells == ("ZeroDivisionError: division by zero",)
    assert rows[1].cells[0] >= 0.999


def test_a_headline_that_is_not_returned(metric):
    def score(ground_truth_data, representation_function, random_state, artifact_dir=None):
        return {"b": 2.0}

    metric(score, headline="a", also=("b",))
    assert [row.cells for row in calibrate(["passing_by"], cases=(PERFECT,))] == [
        ("It returns no number 'a' here.",),
        (2.0,),
    ]


def test_a_classifier_is_shared_by_the_metrics_that_take_one(metric):
    seen = []

    def judge(ground_truth_data, representation_function, random_state, artifact_dir=None, classifier=None):
        seen.append(classifier)
        return {"score": 0.0}

    metric(judge)
    calibrate(["passing_by", "passing_by"], cases=(PERFECT, NOISE))
    assert len(seen) == 4 and len({id(classifier) for classifier in seen}) == 1


def test_unknown_metrics_and_too_few_points():
    with pytest.raises(errors.UnknownName, match="Did you mean 'irs'"):
        calibrate(["isr"])
    with pytest.raises(errors.InvalidInput, match="`num_train` must be at least 2; given: 1"):
        calibrate(["irs"], num_train=1)


def entry(**details):
    return Entry("metrics", "one", "test", print, "", details)


def test_headlines_are_declared_or_all_that_is_not_a_detail():
    scores = {
        "score": 1.0,
        "whole": np.float64(2.0),
        "score_factor_color": 0.5,
        "gap_code_3": 0.1,
        "mean_fairness:pred0:sens1": 0.2,
        "train_accuracy_factor_0": 0.3,
        "num_active_dims": 6,
        "estimator": "trees",
        "flag": True,
    }
    assert list(headlines(entry(), [scores])) == ["score", "whole"]
    assert list(headlines(entry(), [{"a": 1}, {"b": 2.0, "a": 1}])) == ["a", "b"]
    assert list(headlines(entry(headline="x"), [scores])) == ["x"]
    assert list(headlines(entry(headline="x", also=("y",)), [scores])) == ["x", "y"]
    assert list(headlines(entry(headline="x", also=("y", "z")), [])) == ["x", "y", "z"]
    assert list(headlines(entry(also=("y",)), [scores])) == ["y"]
    assert list(headlines(entry(headline="10000:mean_test_accuracy"), [])) == ["mean_test_accuracy"]


def test_a_score_may_be_better_when_it_is_lower():
    assert headlines(entry(headline="x", better="higher", also=("y (lower)",)), []) == {"x": False, "y": True}
    assert headlines(entry(headline="x", better="lower", also=("y",)), []) == {"x": True, "y": True}


def test_small_samples_are_asked_for_by_the_names_a_metric_has():
    def with_both(data, num_train=10_000, num_test=5_000, batch_size=16):
        pass

    def with_a_series(data, num_train=(10, 100), num_eval=5):
        pass

    assert small_sample(with_both, 100) == {"num_train": 100, "num_test": 50}
    assert small_sample(with_a_series, 100) == {"num_train": (100,), "num_eval": 50}
    assert small_sample(lambda data: None, 100) == {}
