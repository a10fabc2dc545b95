from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from causal_disent import errors
from causal_disent.metrics.linear import matched_correlation, mcc

FACTORS = np.random.RandomState(0).randint(6, size=(400, 3))


def test_perfect_codes_in_another_order_and_sign():
    result = mcc(FACTORS[:, [2, 0, 1]] * [-1.0, 4.0, 0.5] + 3.0, FACTORS)
    assert result.score == pytest.approx(1.0)
    assert result.matches == (1, 2, 0)


def test_noise_is_near_the_worst(random_state):
    assert mcc(random_state.normal(size=(400, 3)), FACTORS).score < 0.15


def test_spearman_sees_through_an_increasing_function_and_pearson_does_not():
    bent = np.exp(2.0 * FACTORS)
    assert mcc(bent, FACTORS, correlation="spearman").score == pytest.approx(1.0)
    assert mcc(bent, FACTORS).score < 0.8


@pytest.mark.parametrize(("kind", "function"), [("pearson", pearsonr), ("spearman", spearmanr)])
def test_against_all_assignments(kind, function, random_state):
    codes = random_state.normal(size=(400, 4)) + FACTORS[:, [0, 1, 1, 2]]
    matrix = np.array([[abs(function(code, factor)[0]) for factor in FACTORS.T] for code in codes.T])
    best = max(sum(matrix[code, i] for i, code in enumerate(order)) for order in permutations(range(4), 3))
    result = mcc(codes, FACTORS, correlation=kind)
    assert result.matrix == pytest.approx(matrix)
    assert result.score == pytest.approx(best / 3)


def test_the_assignment_is_not_greedy():
    values, matches = matched_correlation(np.array([[1.0, 0.9], [0.8, 0.0]]))
    assert matches == [1, 0]
    assert values.tolist() == [0.8, 0.9]


def test_fewer_codes_than_factors_leave_factors_at_zero():
    result = mcc(FACTORS[:, :1], FACTORS)
    assert result.score == pytest.approx(1 / 3)
    assert result.matches == (0, None, None)
    assert result.per_factor.tolist() == pytest.approx([1.0, 0.0, 0.0])


def test_duplicated_codes_and_codes_that_never_vary_change_nothing():
    codes = FACTORS + np.random.RandomState(1).normal(size=FACTORS.shape)
    expected = mcc(codes, FACTORS).score
    assert mcc(np.hstack([codes, codes]), FACTORS).score == pytest.approx(expected)
    assert mcc(np.hstack([np.full((400, 2), 0.1), codes]), FACTORS).score == pytest.approx(expected)


def test_continuous_factors(random_state):
    factors = random_state.normal(size=(200, 2))
    assert mcc(factors[:, ::-1], factors).score == pytest.approx(1.0)


def test_unknown_correlation():
    with pytest.raises(errors.UnknownName, match="Unknown `correlation` 'spearmen'. Did you mean 'spearman'"):
        mcc(FACTORS, FACTORS, correlation="spearmen")


@settings(max_examples=25, deadline=None)
@given(
    order=st.permutations(range(4)),
    scales=st.lists(st.floats(0.01, 100.0), min_size=4, max_size=4),
    signs=st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4),
    kind=st.sampled_from(["pearson", "spearman"]),
)
def test_order_scale_and_sign_of_codes_do_not_matter(order, scales, signs, kind):
    codes = FACTORS[:, [0, 1, 2, 2]] + np.random.RandomState(2).normal(size=(400, 4))
    changed = codes[:, order] * scales * signs
    expected = mcc(codes, FACTORS, correlation=kind).score
    assert mcc(changed, FACTORS, correlation=kind).score == pytest.approx(expected)
