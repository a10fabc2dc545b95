"""Disentanglement, completeness, informativeness."""

import numpy as np
import pytest
from dlib_reference_fitted import assert_same_scores, reference_cases
from fitting_promises import assert_repeatable_and_private, bad_pairs, grid, mixture
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causal_disent import adapter, errors
from causal_disent.metrics.dci import completeness, dci, disentanglement

on_data = adapter.on_data(dci)
on_fixed_data = adapter.on_fixed_data(dci)

FAST = {"estimator": "histogram_boosting"}


@pytest.mark.parametrize("estimator", ["histogram_boosting", "gradient_boosting", "random_forest"])
def test_perfect_codes(estimator):
    codes, factors = grid(10)
    result = dci(codes, factors, test=(codes, factors), estimator=estimator)
    least = 0.9 if estimator == "random_forest" else 0.99  # a forest tries each code now and then
    assert result.disentanglement > least and result.completeness > least
    assert result.informativeness_train == result.informativeness_test == 1.0
    assert result.estimator == estimator
    np.testing.assert_array_equal(result.importance.argmax(axis=0), [0, 1, 2])


def test_noise(random_state):
    codes, factors = random_state.normal(size=(600, 4)), grid(25)[1]
    result = dci(codes, factors, test=(codes[::-1], factors), **FAST)
    assert result.disentanglement < 0.1 and result.completeness < 0.1 and result.informativeness_test < 0.5


def test_duplicated_codes_are_disentangled_but_not_complete():
    codes, factors = grid(10)
    points = (codes.repeat(2, axis=1), factors)
    result = dci(*points, test=points, **FAST)
    assert result.disentanglement > 0.99 and result.completeness < 0.8


def test_the_fast_trees_score_as_the_default_ones():
    train, test = mixture(600), mixture(300, seed=1)
    fast, default = dci(*train, test=test, **FAST), dci(*train, test=test)
    assert fast.disentanglement == pytest.approx(default.disentanglement, abs=0.02)
    assert fast.completeness == pytest.approx(default.completeness, abs=0.02)
    assert fast.informativeness_test == pytest.approx(default.informativeness_test, abs=0.03)


@pytest.mark.parametrize(
    ("case", "compute"),
    [
        *(pytest.param(*c.values, on_data, id=c.id) for c in reference_cases("dci")),
        *(pytest.param(*c.values, on_fixed_data, id=c.id) for c in reference_cases("dci_validation")),
    ],
)
def test_scores_of_disentanglement_lib(case, compute):
    assert_same_scores(case, compute)


def test_the_same_seed_gives_the_same_score():
    scores = assert_repeatable_and_private(on_data, num_train=120, num_test=60, estimator_fn="histogram_boosting")
    assert scores["estimator"] == "histogram_boosting"


@given(arrays(np.float64, (4, 3), elements=st.floats(0, 1)))
def test_scores_of_a_matrix_are_in_range_and_mirror_each_other(matrix):
    assert -1e-9 <= disentanglement(matrix) <= 1 + 1e-9
    assert disentanglement(matrix) == pytest.approx(completeness(matrix.T))
    order = [2, 0, 3, 1]
    assert disentanglement(matrix[order]) == pytest.approx(disentanglement(matrix))


def test_a_matrix_by_hand():
    matrix = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert disentanglement(matrix) == pytest.approx(0.5, abs=1e-9)
    thirds = 1 + (2 / 3 * np.log2(2 / 3) + 1 / 3 * np.log2(1 / 3))
    assert completeness(matrix) == pytest.approx((1.5 * thirds + 0.5 * 1) / 2, abs=1e-9)


def test_a_constant_factor_is_left_out():
    codes, factors = grid(5)
    padded = np.hstack([factors, np.full((len(factors), 1), 3)])
    with pytest.warns(UserWarning, match="dci leaves out factors that never vary: 3"):
        result = dci(codes, padded, test=(codes, padded), **FAST)
    assert result.disentanglement == pytest.approx(1) and result.informativeness_test == 1.0
    assert np.isnan(result.completeness_per_factor[3]) and not result.importance[:, 3].any()
    with pytest.raises(errors.InvalidInput, match="dci needs a factor that varies; all 3 are constant"):
        dci(codes, factors * 0, test=(codes, factors * 0), **FAST)


def test_constant_codes_give_finite_scores():
    factors = grid(2)[1]
    result = dci(np.ones((48, 2)), factors, test=(np.ones((48, 2)), factors), **FAST)
    assert (result.disentanglement, result.completeness) == (pytest.approx(0), pytest.approx(0))


def test_one_factor_and_one_code():
    codes, factors = grid(2)
    result = dci(codes[:, :1], factors[:, :1], test=(codes[:, :1], factors[:, :1]), **FAST)
    assert (result.disentanglement, result.completeness) == (1.0, 1.0)


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        dci(*train, test=train)


def test_train_and_test_must_match():
    codes, factors = grid(2)
    with pytest.raises(errors.InvalidInput, match="must have the same codes and factors"):
        dci(codes, factors, test=(codes[:, :2], factors))
