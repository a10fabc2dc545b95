import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import r2_score

from causal_disent import errors
from causal_disent.metrics.linear import r2

FACTORS = np.random.RandomState(0).randint(6, size=(600, 3))
TRAIN, TEST = slice(0, 400), slice(400, None)


def r2_of(codes, factors=FACTORS, **arguments):
    return r2(codes[TRAIN], factors[TRAIN], test=(codes[TEST], factors[TEST]), **arguments)


def noisy_mixture():
    random_state = np.random.RandomState(1)
    return FACTORS @ random_state.normal(size=(3, 5)) + random_state.normal(size=(600, 5))


def test_linear_mixtures_are_perfect_both_ways(random_state):
    result = r2_of(FACTORS @ random_state.normal(size=(3, 3)))
    assert result.score == pytest.approx(1.0)
    assert result.reverse == pytest.approx(1.0)


def test_noise_is_near_the_worst(random_state):
    result = r2_of(random_state.normal(size=(600, 4)))
    assert abs(result.score) < 0.1
    assert abs(result.reverse) < 0.1


def test_against_scikit_learn():
    codes = noisy_mixture()
    result = r2_of(codes)
    forward = LinearRegression().fit(codes[TRAIN], FACTORS[TRAIN]).predict(codes[TEST])
    backward = LinearRegression().fit(FACTORS[TRAIN], codes[TRAIN]).predict(FACTORS[TEST])
    assert result.per_factor == pytest.approx(r2_score(FACTORS[TEST], forward, multioutput="raw_values"))
    assert result.per_code == pytest.approx(r2_score(codes[TEST], backward, multioutput="raw_values"))


def test_ridge_against_scikit_learn():
    codes = noisy_mixture()
    mean, deviation = codes[TRAIN].mean(axis=0), codes[TRAIN].std(axis=0)
    scaled = (codes - mean) / deviation
    predicted = Ridge(alpha=0.3 * 400).fit(scaled[TRAIN], FACTORS[TRAIN]).predict(scaled[TEST])
    expected = r2_score(FACTORS[TEST], predicted, multioutput="raw_values")
    assert r2_of(codes, ridge=0.3).per_factor == pytest.approx(expected)


def test_extra_codes_lower_only_the_reverse(random_state):
    codes = np.hstack([FACTORS, random_state.normal(size=(600, 3))])
    result = r2_of(codes)
    assert result.score == pytest.approx(1.0)
    assert result.reverse == pytest.approx(0.5, abs=0.05)


def test_duplicated_codes_do_no_harm():
    codes = noisy_mixture()
    assert r2_of(np.hstack([codes, codes])).score == pytest.approx(r2_of(codes).score)


def test_codes_that_never_vary_say_nothing():
    result = r2_of(np.full((600, 2), 0.1))
    assert result.score == pytest.approx(0.0, abs=0.02)
    assert result.reverse == 0.0
    assert np.isnan(result.per_code).all()


def test_a_factor_that_is_constant_in_the_test_set_is_left_out():
    factors = FACTORS.copy()
    factors[TEST, 1] = 2
    with pytest.warns(UserWarning, match="never vary: 1"):
        assert np.isnan(r2_of(FACTORS, factors).per_factor).tolist() == [False, True, False]


def test_bad_arguments():
    with pytest.raises(errors.InvalidInput, match="`ridge` must be a finite number, at least 0; given: -1"):
        r2_of(FACTORS, ridge=-1)
    with pytest.raises(errors.InvalidInput, match="`train` and `test` must have the same codes and factors"):
        r2(FACTORS, FACTORS, test=(FACTORS[:, :2], FACTORS))


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(5)), scales=st.lists(st.floats(0.01, 100.0), min_size=5, max_size=5))
def test_order_and_scale_of_codes_do_not_matter(order, scales):
    codes = noisy_mixture()
    changed = r2_of(codes[:, order] * scales - 1.0)
    assert changed.score == pytest.approx(r2_of(codes).score)
    assert changed.reverse == pytest.approx(r2_of(codes).reverse)
