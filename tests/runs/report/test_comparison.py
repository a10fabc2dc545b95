"""Paired comparisons, against brute force and against scipy."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from causal_disent.report.ranking import (
    flips,
    holm,
    interval,
    pairs_needed,
    ranking,
    sign_flip_test,
)


def brute_force(differences):
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    return sum(one >= observed - 1e-9 for one in sums) / len(sums)


def by_flips(differences, seed=0):
    found = np.asarray(differences, dtype=np.float64)
    return sign_flip_test(found, flips(len(found), np.random.RandomState(seed)))


@settings(deadline=None)
@given(st.lists(st.integers(-8, 8), min_size=1, max_size=9))
def test_signs_against_brute_force(differences):
    # Whole numbers have ties, and sums without rounding.
    assert by_flips(differences) == brute_force(differences)


def test_signs_against_scipy():
    differences = np.random.RandomState(3).normal(0.4, 1, 10)
    theirs = stats.permutation_test(
        (differences, np.zeros(10)), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert by_flips(differences) == pytest.approx(theirs.pvalue)


def test_many_pairs_are_drawn_and_nearly_exact():
    differences = np.random.RandomState(0).normal(0.5, 1, 16)
    drawn = by_flips(differences, seed=1)
    # 20,000 draws: four standard errors.
    exact = brute_force(differences)
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4)
    assert drawn == by_flips(differences, seed=1) > 0


def test_nothing_to_compare_has_no_evidence():
    assert by_flips([]) == 1.0
    assert by_flips([0.0, 0.0]) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_against_its_definition(p_values):
    corrected = holm(p_values)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, (len(p_values) - place) * p_values[index])
        assert corrected[index] == pytest.approx(min(largest, 1.0))


def test_interval_against_scipy():
    values = [0.2, 0.5, 0.4, 0.45]
    theirs = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert interval(values) == pytest.approx(theirs)
    assert interval(values[:3]) is None


@pytest.mark.parametrize("num_models", [2, 3, 9])
def test_the_fewest_pairs_that_can_decide(num_models):
    def clear(num_pairs):
        steps = np.arange(num_models) * 10.0
        rows = steps + np.random.RandomState(0).uniform(0, 1, (num_pairs, num_models))
        return ranking(pd.DataFrame(rows, columns=[f"m{i}" for i in range(num_models)]), np.random.RandomState(0))

    needed = pairs_needed(num_models)
    assert clear(needed).decisive
    assert not clear(needed - 1).decisive
    assert f"{needed} are the fewest that can" in clear(needed - 1).sentence()


def test_equal_models_are_not_ranked():
    rows = np.random.RandomState(0).normal(size=(10, 3))
    found = ranking(pd.DataFrame(rows, columns=["a", "b", "c"]), np.random.RandomState(0))
    assert not found.decisive and found.sentence() == "The ranking is not decisive."


def test_a_ranking_that_is_clear_in_part():
    noise = np.random.RandomState(0).normal(size=(12, 2))
    scores = pd.DataFrame({"a": noise[:, 0], "b": noise[:, 1] - 0.01, "c": noise.mean(axis=1) - 9})
    found = ranking(scores, np.random.RandomState(0))
    assert f"{found.best} is better than c; for the rest it is open." in found.sentence()


def test_lower_may_be_better():
    scores = pd.DataFrame({"a": np.arange(8) + 5.0, "b": np.arange(8)})
    found = ranking(scores, np.random.RandomState(0), lower=True)
    assert found.best == "b" and found.decisive
    assert found.comparisons[0].difference == 5 and found.comparisons[0].p == 2 / 2**8


def test_only_runs_that_both_have_are_paired():
    scores = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": [0.0, np.nan, 0.0]})
    found = ranking(scores, np.random.RandomState(0)).comparisons[0]
    assert found.pairs == 1 and found.difference == 1.0 and found.p == 1.0


def test_one_model_alone():
    found = ranking(pd.DataFrame({"a": [1.0, 2.0]}), np.random.RandomState(0))
    assert not found.decisive and found.sentence() == "There is nothing to compare it with."
