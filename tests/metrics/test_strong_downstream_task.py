"""Predictions where another factor has values that were not seen."""

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture, assert_same_scores, reference_cases
from fitting_promises import FAST as BINDINGS
from fitting_promises import assert_repeatable_and_private, bad_pairs, encode, grid, run

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.data.view import view
from causal_disent.metrics.downstream import Shift, StrongDownstreamResult, strong_downstream_task

on_data = adapter.on_data(strong_downstream_task)

FAST = {"estimator": "histogram_boosting"}
SMALL = {"num_train": [40], "num_test": 30, "n_experiment": 1}


def shifted(codes, factors, target=0, column=2):
    seen = factors[:, column] == 0
    return Shift(target, (codes[seen], factors[seen]), (codes[~seen], factors[~seen]))


def test_perfect_codes_lose_nothing():
    result = strong_downstream_task(*grid(), [shifted(*grid())], test=grid(), **FAST)
    assert result.generalization_gap == 0.0 and result.strong_test_accuracy.tolist() == [1.0]


def test_entangled_codes_lose():
    codes, factors = grid()
    entangled = codes + 10 * codes[:, 2:] * [1, 0, 0]
    result = strong_downstream_task(
        entangled[:, :1], factors, [shifted(entangled[:, :1], factors)], test=(entangled[:, :1], factors), **FAST
    )
    assert result.generalization_gap > 0.3


def test_duplicated_codes_lose_nothing():
    codes, factors = grid()
    points = (codes.repeat(2, axis=1), factors)
    assert strong_downstream_task(*points, [shifted(*points)], test=points, **FAST).generalization_gap == 0


def test_noise_has_little_to_lose(random_state):
    train, test = ((random_state.normal(size=(480, 3)), grid()[1]) for _ in range(2))
    assert strong_downstream_task(*train, [shifted(*train)], test=test, **FAST).test_accuracy.mean() < 0.45


def test_no_accuracy_means_no_gap():
    assert StrongDownstreamResult(*np.zeros((4, 2))).generalization_gap == 0.0


@pytest.mark.parametrize("case", reference_cases("strong_downstream_task"))
def test_scores_of_disentanglement_lib(case):
    assert_same_scores(case, on_data)


def test_the_same_seed_gives_the_same_score():
    assert_repeatable_and_private(on_data, **SMALL)


def test_shifts_of_one_set_of_points_differ_from_those_of_the_next():
    scores = run(on_data, 0, **{**SMALL, "num_train": [40, 40]})
    assert len(scores) == 5


def test_a_shift_needs_another_factor_that_varies():
    class OneFactor(NoisyMixture):
        factors_num_values = [3, 1, 1]

    with pytest.raises(errors.InvalidInput, match="besides the target that has at least two values"):
        on_data(OneFactor(), encode, np.random.RandomState(0), **SMALL)


def test_a_confounded_data_set_is_never_asked_for_what_it_lacks(small_data):
    data = view(small_data, confounding="only shape=cube: color=red|green")
    with gin_config(bindings=BINDINGS):
        scores = on_data(data, lambda images: images.reshape(len(images), -1), np.random.RandomState(0), **SMALL)
    assert scores["40:mean_test_accuracy"] == 1.0


def test_messages():
    codes, factors = grid(2)
    with pytest.raises(errors.InvalidInput, match="`shifts` must hold at least one"):
        strong_downstream_task(codes, factors, [], test=(codes, factors))
    with pytest.raises(errors.InvalidInput, match="target is from 0 to 2; given: 3"):
        strong_downstream_task(codes, factors, [shifted(codes, factors, target=3)], test=(codes, factors))


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        strong_downstream_task(*train, [Shift(0, train, train)], test=train)
