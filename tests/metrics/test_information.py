"""Entropy and mutual information against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import mutual_info_score

from causal_disent import errors
from causal_disent.adapter import codes_in_bins
from causal_disent.config import gin_config
from causal_disent.metrics.information import entropies, mutual_information_matrix
from causal_disent.metrics.irs_uc import mutual_information


def by_scikit_learn(codes, factors):
    return np.array([[mutual_info_score(factor, code) for factor in factors.T] for code in codes.T])


columns = arrays(np.int64, st.tuples(st.integers(1, 40), st.just(5)), elements=st.integers(-3, 3))


@settings(max_examples=60, deadline=None)
@given(columns)
def test_equals_scikit_learn(rows):
    codes, factors = rows[:, :3], rows[:, 3:]
    assert np.allclose(
        mutual_information_matrix(codes, factors), by_scikit_learn(codes, factors), atol=1e-12, rtol=0
    )
    own = [mutual_info_score(factor, factor) for factor in factors.T]
    assert np.allclose(entropies(factors), own, atol=1e-12, rtol=0)


@settings(max_examples=30, deadline=None)
@given(columns)
def test_information_is_symmetric_and_at_most_the_entropy(rows):
    information = mutual_information_matrix(rows, rows)
    assert np.allclose(information, information.T, atol=1e-12)
    assert np.allclose(np.diag(information), entropies(rows), atol=1e-12)
    assert (information >= 0).all()
    assert (information <= np.diag(information)[None, :] + 1e-12).all()


def test_large_sample_equals_scikit_learn(random_state):
    factors = random_state.randint([5, 5, 3, 6, 16, 3], size=(10_000, 6))
    codes = (factors.sum(axis=1, keepdims=True) + random_state.randint(7, size=(10_000, 10))) % 20
    assert np.abs(mutual_information_matrix(codes, factors) - by_scikit_learn(codes, factors)).max() < 1e-12


@pytest.mark.parametrize("scale", [1, 10**12], ids=["many values", "far apart"])
def test_many_values_take_little_memory(scale):
    distinct = np.arange(20_000)[:, None] * scale  # a table of all pairs would have 4e8 cells
    assert mutual_information_matrix(distinct, distinct)[0, 0] == pytest.approx(np.log(20_000), abs=1e-12)


def test_values_may_be_any_numbers():
    words = np.array([[0.5, -7.25], [0.5, 1e9], [2.0, -7.25], [2.0, 1e9]])
    assert np.allclose(mutual_information_matrix(words, words), np.log(2) * np.eye(2))


def test_a_constant_column_says_exactly_nothing(random_state):
    codes = random_state.randint(9, size=(1000, 3))
    assert (mutual_information_matrix(codes, np.ones((1000, 1), dtype=int)) == 0).all()
    assert entropies(np.ones((1000, 1), dtype=int)) == 0


def test_the_attribution_is_the_matrix_of_codes_in_20_bins(random_state):
    factors = random_state.randint(4, size=(500, 2))
    codes = random_state.normal(size=(500, 3)) + factors[:, :1]
    expected = by_scikit_learn(codes_in_bins(codes), factors)
    assert np.allclose(mutual_information(codes, factors, random_state), expected, atol=1e-12)


def test_codes_are_binned_as_gin_says(random_state):
    codes = random_state.normal(size=(300, 2))
    assert codes_in_bins(codes).max() == 20
    with gin_config(bindings=["discretizer.num_bins = 7"]):
        assert codes_in_bins(codes).max() == 7
    with gin_config(bindings=["discretizer.discretizer_fn = @histogram_discretizer", "discretizer.num_bins = 9"]):
        assert codes_in_bins(codes).max() == 9


def test_a_discretizer_is_a_function():
    with (
        pytest.raises(errors.CausalDisentError, match="discretizer_fn must be a function or None; given: 0.5"),
        gin_config(bindings=["discretizer.discretizer_fn = 0.5"]),
    ):
        pass
