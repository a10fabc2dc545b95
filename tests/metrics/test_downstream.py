"""Tests of `causal_disent.metrics.downstream`."""

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture, assert_same_scores, reference_cases
from fitting_promises import FAST as BINDINGS
from fitting_promises import assert_repeatable_and_private, bad_pairs, encode, grid, mixture, run

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.data.view import view
from causal_disent.metrics.downstream import (
    Shift,
    StrongDownstreamResult,
    downstream_task,
    factorwise_dci,
    read_sizes,
    reduced_downstream_task,
    strong_downstream_task,
)

# --- Accuracy of classifiers for each factor

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
    assert read_sizes(5) == [5] and read_sizes((1, 2)) == [1, 2]
    with pytest.raises(errors.InvalidInput, match="at least one size of a training set; given: none"):
        read_sizes([])
    with pytest.raises(errors.InvalidInput, match="`num_train` must be a whole number, at least 1; given: 0"):
        read_sizes([0])


# --- What is left of a factor without its codes

on_data_reduced = adapter.on_data(reduced_downstream_task)

FAST_REDUCED = {"estimator": "histogram_boosting"}


def fast_importance(codes, factors, test_codes, test_factors):
    return factorwise_dci(codes, factors, test_codes, test_factors, estimator_fn="histogram_boosting")


def test_perfect_codes_forget_their_factor_and_no_other():
    result = reduced_downstream_task(*grid(5), test=grid(5), measure=fast_importance, **FAST_REDUCED)
    np.testing.assert_allclose(result.test_accuracy.diagonal(), [1 / 3, 1 / 2, 1 / 4])
    assert (result.test_accuracy[~np.eye(3, dtype=bool)] == 1).all()
    np.testing.assert_array_equal(result.removed, [[0], [1], [2]])
    assert result.gap == pytest.approx(1 - (1 / 3 + 1 / 2 + 1 / 4) / 3)


def test_duplicated_codes_need_two_removals():
    codes, factors = grid(2)
    points = (codes.repeat(2, axis=1), factors)
    once = reduced_downstream_task(*points, test=points, measure=fast_importance, **FAST_REDUCED)
    twice = reduced_downstream_task(
        *points, test=points, num_factors_to_remove=2, measure=fast_importance, **FAST_REDUCED
    )
    assert once.test_accuracy.min() == 1 and twice.test_accuracy[0, 0] < 0.5
    np.testing.assert_array_equal(twice.removed, [[0, 1], [2, 3], [4, 5]])


def test_noise_has_nothing_to_lose(random_state):
    points = (random_state.normal(size=(240, 3)), grid(10)[1])
    test = (random_state.normal(size=(240, 3)), grid(10)[1])
    assert abs(reduced_downstream_task(*points, test=test, measure=fast_importance, **FAST_REDUCED).gap) < 0.15


def test_removing_none_is_the_downstream_task():
    result = reduced_downstream_task(*grid(5), test=grid(5), num_factors_to_remove=0, **FAST_REDUCED)
    assert result.test_accuracy.min() == 1 and result.removed.shape == (3, 0)


@pytest.mark.parametrize("case", reference_cases("reduced_downstream_task"))
def test_scores_of_disentanglement_lib_of_reduced(case):
    assert_same_scores(case, on_data_reduced)


def test_the_same_seed_gives_the_same_score_of_reduced():
    scores = assert_repeatable_and_private(
        on_data_reduced,
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
        scores = on_data_reduced(
            NoisyMixture(), encode, np.random.RandomState(0), num_train=[100], num_test=50, num_factors_to_remove=2
        )
    assert scores["100:reduced_factor_0:mean_test_accuracy_reduced_factor"] < 0.6


def test_a_foreign_measure_sees_all_factors():
    shapes = []

    def measure(codes, factors, test_codes, test_factors):
        shapes.append((codes.shape, factors.shape, test_codes.shape, test_factors.shape))
        return np.ones((len(codes), len(factors)))

    result = reduced_downstream_task(
        *mixture(60), test=mixture(40, seed=1), num_factors_to_remove=2, measure=measure, **FAST_REDUCED
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
def test_bad_inputs_of_reduced(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        reduced_downstream_task(*train, test=train)


# --- Predictions where another factor has values that were not seen

on_data_strong = adapter.on_data(strong_downstream_task)

FAST_STRONG = {"estimator": "histogram_boosting"}
SMALL = {"num_train": [40], "num_test": 30, "n_experiment": 1}


def shifted(codes, factors, target=0, column=2):
    seen = factors[:, column] == 0
    return Shift(target, (codes[seen], factors[seen]), (codes[~seen], factors[~seen]))


def test_perfect_codes_lose_nothing():
    result = strong_downstream_task(*grid(), [shifted(*grid())], test=grid(), **FAST_STRONG)
    assert result.generalization_gap == 0.0 and result.strong_test_accuracy.tolist() == [1.0]


def test_entangled_codes_lose():
    codes, factors = grid()
    entangled = codes + 10 * codes[:, 2:] * [1, 0, 0]
    result = strong_downstream_task(
        entangled[:, :1],
        factors,
        [shifted(entangled[:, :1], factors)],
        test=(entangled[:, :1], factors),
        **FAST_STRONG,
    )
    assert result.generalization_gap > 0.3


def test_duplicated_codes_lose_nothing():
    codes, factors = grid()
    points = (codes.repeat(2, axis=1), factors)
    assert strong_downstream_task(*points, [shifted(*points)], test=points, **FAST_STRONG).generalization_gap == 0


def test_noise_has_little_to_lose(random_state):
    train, test = ((random_state.normal(size=(480, 3)), grid()[1]) for _ in range(2))
    assert strong_downstream_task(*train, [shifted(*train)], test=test, **FAST_STRONG).test_accuracy.mean() < 0.45


def test_no_accuracy_means_no_gap():
    assert StrongDownstreamResult(*np.zeros((4, 2))).generalization_gap == 0.0


@pytest.mark.parametrize("case", reference_cases("strong_downstream_task"))
def test_scores_of_disentanglement_lib_of_strong(case):
    assert_same_scores(case, on_data_strong)


def test_the_same_seed_gives_the_same_score_of_strong():
    assert_repeatable_and_private(on_data_strong, **SMALL)


def test_shifts_of_one_set_of_points_differ_from_those_of_the_next():
    scores = run(on_data_strong, 0, **{**SMALL, "num_train": [40, 40]})
    assert len(scores) == 5


def test_a_shift_needs_another_factor_that_varies():
    class OneFactor(NoisyMixture):
        factors_num_values = [3, 1, 1]

    with pytest.raises(errors.InvalidInput, match="besides the target that has at least two values"):
        on_data_strong(OneFactor(), encode, np.random.RandomState(0), **SMALL)


def test_a_confounded_data_set_is_never_asked_for_what_it_lacks(small_data):
    data = view(small_data, confounding="only shape=cube: color=red|green")
    with gin_config(bindings=BINDINGS):
        scores = on_data_strong(
            data, lambda images: images.reshape(len(images), -1), np.random.RandomState(0), **SMALL
        )
    assert scores["40:mean_test_accuracy"] == 1.0


def test_messages_of_strong():
    codes, factors = grid(2)
    with pytest.raises(errors.InvalidInput, match="`shifts` must hold at least one"):
        strong_downstream_task(codes, factors, [], test=(codes, factors))
    with pytest.raises(errors.InvalidInput, match="target is from 0 to 2; given: 3"):
        strong_downstream_task(codes, factors, [shifted(codes, factors, target=3)], test=(codes, factors))


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs_of_strong(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        strong_downstream_task(*train, [Shift(0, train, train)], test=train)


@pytest.mark.parametrize(
    "strange", [("x", grid(), grid()), (0, "x", grid()), (0, grid(), "x"), (9, grid(), grid())]
)
def test_a_shift_of_something_else_is_refused(strange):
    with pytest.raises(errors.InvalidInput, match="shift|Each|test"):
        strong_downstream_task(*grid(), [Shift(*strange)], test=grid(), **FAST_STRONG)
