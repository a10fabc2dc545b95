"""Accuracy of classifiers for each factor."""

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture, assert_same_scores, reference_cases
from fitting_promises import FAST as BINDINGS
from fitting_promises import assert_repeatable_and_private, bad_pairs, encode, grid, run

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.metrics.downstream import downstream_task, sizes_of

on_data = adapter.on_data(downstream_task)

FAST = {"estimator": "histogram_boosting"}


def test_perfect_codes():
    result = downstream_task(*grid(), test=grid(), **FAST)
    np.testing.assert_array_equal(result.test_accuracy, [1, 1, 1])
    assert result.score == 1.0


def test_noise_is_at_chance(random_state):
    factors = grid(50)[1]
    train, test = ((random_state.normal(size=(1200, 4)), factors) for _ in range(2))
    np.testing.assert_allclose(
        downstream_task(*train, test=test, **FAST).test_accuracy, [1 / 3, 1 / 2, 1 / 4], atol=0.06
    )


def test_duplicated_codes_change_nothing():
    codes, factors = grid()
    points = (codes.repeat(2, axis=1), factors)
    assert downstream_task(*points, test=points, **FAST).score == 1.0


@pytest.mark.parametrize("case", reference_cases("downstream_task"))
def test_scores_of_disentanglement_lib(case):
    assert_same_scores(case, on_data)


def test_the_same_seed_gives_the_same_score():
    scores = assert_repeatable_and_private(on_data, num_train=[30, 60], num_test=50)
    assert len(scores) == 2 * (4 + 2 * 3)


def test_the_classifiers_do_not_shift_the_draws():
    later = run(on_data, 0, num_train=[30, 60], num_test=50)
    drawn = np.random.RandomState(0)
    for size in (30, 50):
        for start in range(0, size, 16):
            NoisyMixture().sample(min(16, size - start), drawn)
    with gin_config(bindings=BINDINGS):
        alone = on_data(NoisyMixture(), encode, drawn, num_train=[60], num_test=50)
    assert alone == {key: value for key, value in later.items() if key.startswith("60:")}


def test_a_factor_with_one_value_is_predicted():
    codes, factors = grid(2)
    padded = np.hstack([factors, np.full((len(factors), 1), 3)])
    assert downstream_task(codes, padded, test=(codes, padded), **FAST).test_accuracy[3] == 1.0


def test_very_few_points_still_score():
    scores = run(on_data, 0, num_train=[1, 3], num_test=20)
    assert all(0 <= value <= 1 for value in scores.values())


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        downstream_task(*train, test=train)


def test_sizes():
    assert sizes_of(5) == [5] and sizes_of((1, 2)) == [1, 2]
    with pytest.raises(errors.InvalidInput, match="at least one size of a training set; given: none"):
        sizes_of([])
    with pytest.raises(errors.InvalidInput, match="`num_train` must be a whole number, at least 1; given: 0"):
        sizes_of([0])
