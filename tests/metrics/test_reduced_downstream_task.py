"""What is left of a factor without its codes."""

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture, assert_same_scores, reference_cases
from fitting_promises import assert_repeatable_and_private, bad_pairs, encode, grid, mixture

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.metrics.downstream import factorwise_dci, reduced_downstream_task

on_data = adapter.on_data(reduced_downstream_task)

FAST = {"estimator": "histogram_boosting"}


def fast_importance(codes, factors, test_codes, test_factors):
    return factorwise_dci(codes, factors, test_codes, test_factors, estimator_fn="histogram_boosting")


def test_perfect_codes_forget_their_factor_and_no_other():
    result = reduced_downstream_task(*grid(5), test=grid(5), measure=fast_importance, **FAST)
    np.testing.assert_allclose(result.test_accuracy.diagonal(), [1 / 3, 1 / 2, 1 / 4])
    assert (result.test_accuracy[~np.eye(3, dtype=bool)] == 1).all()
    np.testing.assert_array_equal(result.removed, [[0], [1], [2]])
    assert result.gap == pytest.approx(1 - (1 / 3 + 1 / 2 + 1 / 4) / 3)


def test_duplicated_codes_need_two_removals():
    codes, factors = grid(2)
    points = (codes.repeat(2, axis=1), factors)
    once = reduced_downstream_task(*points, test=points, measure=fast_importance, **FAST)
    twice = reduced_downstream_task(*points, test=points, num_factors_to_remove=2, measure=fast_importance, **FAST)
    assert once.test_accuracy.min() == 1 and twice.test_accuracy[0, 0] < 0.5
    np.testing.assert_array_equal(twice.removed, [[0, 1], [2, 3], [4, 5]])


def test_noise_has_nothing_to_lose(random_state):
    points = (random_state.normal(size=(240, 3)), grid(10)[1])
    test = (random_state.normal(size=(240, 3)), grid(10)[1])
    assert abs(reduced_downstream_task(*points, test=test, measure=fast_importance, **FAST).gap) < 0.15


def test_removing_none_is_the_downstream_task():
    result = reduced_downstream_task(*grid(5), test=grid(5), num_factors_to_remove=0, **FAST)
    assert result.test_accuracy.min() == 1 and result.removed.shape == (3, 0)


@pytest.mark.parametrize("case", reference_cases("reduced_downstream_task"))
def test_scores_of_disentanglement_lib(case):
    assert_same_scores(case, on_data)


def test_the_same_seed_gives_the_same_score():
    scores = assert_repeatable_and_private(
        on_data,
        bindings=["factorwise_dci.estimator_fn = @histogram_boosting"],
        num_train=[25],
        num_test=20,
    )
    assert len(scores) == 2 * (3 * (2 + 3) + 2)


def test_the_measure_can_be_bound():
    bindings = [
        "predictor.predictor_fn = @histogram_boosting",
        "reduced_representation.correlation_measure = @factorwise_dci",
        "factorwise_dci.estimator_fn = @histogram_boosting",
    ]
    with gin_config(bindings=bindings):
        scores = on_data(
            NoisyMixture(), encode, np.random.RandomState(0), num_train=[100], num_test=50, num_factors_to_remove=2
        )
    assert scores["100:reduced_factor_0:mean_test_accuracy_reduced_factor"] < 0.6


def test_a_foreign_measure_sees_all_factors():
    shapes = []

    def measure(codes, factors, test_codes, test_factors):
        shapes.append((codes.shape, factors.shape, test_codes.shape, test_factors.shape))
        return np.ones((len(codes), len(factors)))

    result = reduced_downstream_task(
        *mixture(60), test=mixture(40, seed=1), num_factors_to_remove=2, measure=measure, **FAST
    )
    assert shapes == [((5, 60), (3, 60), (5, 40), (3, 40))] + 3 * [((4, 60), (3, 60), (4, 40), (3, 40))]
    np.testing.assert_array_equal(result.removed, [[0, 1]] * 3)


def test_messages():
    with pytest.raises(errors.InvalidInput, match="must leave a code of 3; given: 3"):
        reduced_downstream_task(*grid(2), test=grid(2), num_factors_to_remove=3)
    with pytest.raises(errors.InvalidInput, match=r"shape \(codes, factors\) = \(3, 3\); given: \(2, 2\)"):
        reduced_downstream_task(*grid(2), test=grid(2), measure=lambda *points: np.ones((2, 2)))
    codes, factors = grid(2)
    with pytest.raises(errors.InvalidInput, match="At least 2 factors are needed; given: 1"):
        reduced_downstream_task(codes, factors[:, :1], test=(codes, factors[:, :1]))


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        reduced_downstream_task(*train, test=train)
