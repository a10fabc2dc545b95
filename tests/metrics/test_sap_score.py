"""Separated attribute predictability."""

import numpy as np
import pytest
from dlib_reference import case_name, recomputed, reference_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import adapter, errors
from causal_disent.metrics.linear import sap_score, top_two_gaps

on_data = adapter.on_data(sap_score)
on_fixed_data = adapter.on_fixed_data(sap_score)

CASES = {"sap_score": on_data, "sap_score_validation": on_fixed_data}


def points(num, seed, encode=lambda factors, generator: factors.astype(float)):
    generator = np.random.RandomState(seed)
    factors = generator.randint([3, 2, 3], size=(num, 3))
    return encode(factors, generator), factors


def noise(factors, generator):
    return generator.normal(size=(len(factors), 4))


def duplicated(factors, generator):
    return np.repeat(factors, 2, axis=1).astype(float)


@pytest.mark.parametrize(("continuous", "least"), [(False, 0.25), (True, 0.95)])
def test_perfect_codes_score_above_noise_and_duplicates(continuous, least):
    scores = [
        sap_score(*points(1000, 0, *encode), test=points(500, 1, *encode), continuous_factors=continuous).score
        for encode in ((), (noise,), (duplicated,))
    ]
    assert scores[0] > least and scores[1] < 0.05 and scores[2] < 0.01


def test_gaps_by_hand():
    assert np.allclose(top_two_gaps(np.array([[0.1, 0.9], [0.7, 0.2], [0.4, 0.8]])), [0.3, 0.1])


def test_squared_correlations_equal_numpys():
    train = points(200, 0, lambda f, g: f @ g.normal(size=(3, 4)) + g.normal(size=(len(f), 4)))
    expected = np.square(np.corrcoef(train[0].T, train[1].T)[:4, 4:])
    assert np.allclose(sap_score(*train, test=train, continuous_factors=True).matrix, expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(4)), st.floats(0.1, 10), st.floats(-5, 5))
def test_continuous_score_ignores_order_scale_and_shift(seed, order, scale, shift):
    codes, factors = points(60, seed, noise)
    score = sap_score(codes, factors, test=(codes, factors), continuous_factors=True).score
    moved = codes[:, order] * -scale + shift
    again = sap_score(moved, factors * 2 + 1, test=(moved, factors), continuous_factors=True).score
    assert 0 <= score <= 1 and again == pytest.approx(score, abs=1e-9)


def test_codes_may_change_places():
    (codes, factors), (test_codes, test_factors) = points(400, 0), points(200, 1)
    score = sap_score(codes, factors, test=(test_codes, test_factors)).score
    assert sap_score(codes[:, ::-1], factors, test=(test_codes[:, ::-1], test_factors)).score == score


@pytest.mark.parametrize("case", [c for name in CASES for c in reference_cases(name)], ids=case_name)
def test_scores_of_disentanglement_lib(case):
    # Support vector machines stop where their solver does, which releases of scikit-learn may move a little.
    tolerance = 1e-9 if case["parameters"]["continuous_factors"] else 0.01
    assert recomputed(case, CASES[case["metric"]]) == pytest.approx(case["scores"], abs=tolerance)


def test_constant_factors_are_left_out():
    codes, factors = points(300, 0)
    padded = np.hstack([factors, np.ones((300, 1), dtype=int)])
    for continuous in (False, True):
        with pytest.warns(UserWarning, match="sap_score leaves out factors that never vary: 3"):
            result = sap_score(codes, padded, test=(codes, padded), continuous_factors=continuous)
        alone = sap_score(codes, factors, test=(codes, factors), continuous_factors=continuous)
        assert result.score == alone.score and np.isnan(result.per_factor[3])


def test_constant_codes_explain_nothing():
    codes, factors = points(300, 0)
    codes[:, 1] = 0.1
    result = sap_score(codes, factors, test=(codes, factors), continuous_factors=True)
    assert (result.matrix[1] == 0).all() and np.isfinite(result.score)
    assert np.isfinite(sap_score(codes, factors, test=(codes, factors)).score)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ((np.zeros((4, 1)), np.eye(4)), (np.zeros((4, 1)), np.eye(4)), "`train`: At least 2 codes are needed"),
        ((np.full((4, 2), np.inf), np.eye(4)), (np.zeros((4, 2)), np.eye(4)), "`train`: `codes` must be finite"),
        ((np.zeros((4, 2)), np.eye(4)), (np.zeros((0, 2)), np.zeros((0, 4))), "`test`: .* at least one of each"),
        ((np.zeros((4, 2)), np.eye(4)), (np.zeros((3, 2)), np.eye(4)), "`test`: .* 3 and 4 rows"),
        ((np.zeros((4, 2)), np.ones((4, 2))), (np.zeros((4, 2)), np.ones((4, 2))), "all 2 are constant"),
    ],
)
def test_bad_input(train, test, message):
    with pytest.raises(errors.InvalidInput, match=message):
        sap_score(*train, test=test)
