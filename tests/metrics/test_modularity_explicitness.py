"""Modularity and explicitness."""

import numpy as np
import pytest
from dlib_reference import case_name, recomputed, reference_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import roc_auc_score

from causal_disent import adapter, errors
from causal_disent.metrics.linear import area_under_roc, code_modularities, modularity_explicitness

on_data = adapter.on_data(modularity_explicitness)


def points(num, seed, encode=lambda factors, generator: factors.astype(float)):
    generator = np.random.RandomState(seed)
    factors = generator.randint([3, 2, 4], size=(num, 3))
    return encode(factors, generator), factors


def scores(encode=lambda factors, generator: factors.astype(float)):
    result = modularity_explicitness(*points(1500, 0, encode), test=points(800, 1, encode))
    return result.modularity, result.explicitness_train, result.explicitness_test


def test_perfect_codes():
    assert scores() == pytest.approx((1, 1, 1), abs=0.01)


def test_noise_is_not_explicit():
    _, train, test = scores(lambda factors, generator: generator.normal(size=(len(factors), 3)))
    assert train == pytest.approx(0.5, abs=0.06) and test == pytest.approx(0.5, abs=0.06)


def test_duplicated_codes_stay_modular_and_explicit():
    assert scores(lambda factors, generator: np.repeat(factors, 2, axis=1)) == pytest.approx((1, 1, 1), abs=0.01)


def test_mixed_codes_are_explicit_but_not_modular():
    mixing = np.array([[1.0, 0.9, 0.8], [0.9, -1.0, 0.7], [0.8, 0.7, -1.0]])
    modularity, _, test = scores(lambda factors, generator: factors @ mixing)
    assert modularity < 0.95 and test > 0.95


def test_modularity_by_hand():
    information = np.array([[2.0, 1.0, 1.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    assert code_modularities(information).tolist() == [0.75, 1.0, 0.0]


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, 12, elements=st.integers(0, 5).map(float)), arrays(bool, 12))
def test_area_equals_scikit_learns(values, positive):
    if positive.any() and not positive.all():
        assert area_under_roc(values, positive) == pytest.approx(roc_auc_score(positive, values), abs=1e-12)


def test_invariances():
    train, test = (
        points(num, num, lambda f, g: f @ np.arange(9).reshape(3, 3) + g.normal(size=f.shape))
        for num in (400, 200)
    )
    result = modularity_explicitness(*train, test=test)
    order = [2, 0, 1]
    moved = modularity_explicitness(
        train[0][:, order] * 4 - 8, train[1] * 3, test=(test[0][:, order] * 4 - 8, test[1] * 3)
    )
    assert moved.modularity == pytest.approx(result.modularity, abs=1e-12)
    assert moved.explicitness_test == pytest.approx(result.explicitness_test, abs=1e-4)


@pytest.mark.parametrize("case", reference_cases("modularity_explicitness"), ids=case_name)
def test_scores_of_disentanglement_lib(case):
    result = recomputed(case, on_data)
    assert result["modularity_score"] == pytest.approx(case["scores"]["modularity_score"], abs=1e-9)
    # The regression stops at a gradient of 1e-4, each processor's elsewhere; here and there by up to 1e-5.
    assert result == pytest.approx(case["scores"], abs=1e-4)


def test_constant_factors_and_codes():
    def add_constant(pair):
        return np.hstack([pair[0], np.full((len(pair[0]), 1), 0.1)]), np.hstack(
            [pair[1], np.ones((len(pair[1]), 1), int)]
        )

    train, test = points(300, 0), points(200, 1)
    with pytest.warns(UserWarning, match="modularity_explicitness leaves out factors that never vary: 3"):
        result = modularity_explicitness(*add_constant(train), test=add_constant(test))
    assert result.modularities[3] == 0 and np.isnan(result.explicitnesses_train[3])
    assert result.explicitness_test == pytest.approx(modularity_explicitness(*train, test=test).explicitness_test)


def test_no_code_varies():
    _, factors = points(300, 0)
    result = modularity_explicitness(np.ones((300, 2)), factors, test=(np.ones((300, 2)), factors))
    assert result.modularity == 0 and result.explicitness_train == result.explicitness_test == 0.5


def test_values_missing_from_a_set_are_left_out():
    codes, factors = points(300, 0)
    rest = factors[:, 2] < 3
    result = modularity_explicitness(codes, factors, test=(codes[rest], factors[rest]))
    assert np.isfinite(result.explicitnesses_test).all()
    result = modularity_explicitness(codes[rest], factors[rest], test=(codes, factors))
    assert np.isfinite(result.explicitnesses_test).all()
    same = factors[:, 1] == 0
    result = modularity_explicitness(codes, factors, test=(codes[same], factors[same]))
    assert np.isnan(result.explicitnesses_test[1]) and np.isfinite(result.explicitness_test)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        (
            (np.zeros((4, 2)), np.ones((4, 1))),
            (np.zeros((4, 2)), np.ones((4, 1))),
            "At least 2 factors are needed",
        ),
        ((np.full((4, 2), np.nan), np.eye(4)), (np.zeros((4, 2)), np.eye(4)), "`train`: `codes` must be finite"),
        ((np.zeros((4, 2)), np.eye(4)), (np.zeros((3, 2)), np.eye(4)), "`test`: .* 3 and 4 rows"),
        ((np.zeros((0, 2)), np.zeros((0, 2))), (np.zeros((3, 2)), np.eye(3)), "`train`: .* at least one of each"),
        ((np.zeros((4, 2)), np.ones((4, 2))), (np.zeros((4, 2)), np.ones((4, 2))), "all 2 are constant"),
    ],
)
def test_bad_input(train, test, message):
    with pytest.raises(errors.InvalidInput, match=message):
        modularity_explicitness(*train, test=test)
