"""How far codes are from independent."""

import numpy as np
import pytest
from dlib_reference import case_name, data_and_encoder, recomputed, reference_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import sqrtm

from causal_disent import adapter, errors
from causal_disent.metrics.others import (
    gaussian_total_correlation,
    gaussian_wasserstein_correlation,
    unsupervised_metrics,
)

on_data = adapter.on_data(unsupervised_metrics)


def correlated(seed, num=400, codes=4):
    generator = np.random.RandomState(seed)
    return generator.normal(size=(num, codes)) @ generator.normal(size=(codes, codes))


def numbers(result):
    return [
        result.gaussian_total_correlation,
        result.gaussian_wasserstein_correlation,
        result.gaussian_wasserstein_correlation_norm,
        result.mutual_info_score,
    ]


def test_independent_codes(random_state):
    assert np.allclose(numbers(unsupervised_metrics(random_state.normal(size=(20_000, 3)))), 0, atol=0.02)


def test_duplicated_codes_share_everything(random_state):
    codes = random_state.randint(4, size=(2000, 1)).repeat(2, axis=1)
    result = unsupervised_metrics(codes)
    assert result.gaussian_total_correlation == np.inf
    assert result.mutual_info_score == pytest.approx(np.log(4), abs=0.01)
    assert result.gaussian_wasserstein_correlation_norm == pytest.approx(2 - np.sqrt(2))


def test_a_gaussian_by_hand():
    covariance = np.array([[1.0, 0.9], [0.9, 1.0]])
    assert gaussian_total_correlation(covariance) == pytest.approx(-0.5 * np.log(1 - 0.81))
    assert gaussian_wasserstein_correlation(covariance) == pytest.approx(4 - 2 * (np.sqrt(1.9) + np.sqrt(0.1)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_wasserstein_equals_the_matrix_root(seed):
    covariance = np.cov(correlated(seed), rowvar=False)
    expected = 2 * np.trace(covariance) - 2 * np.trace(sqrtm(covariance * np.diag(covariance)[:, None]))
    assert gaussian_wasserstein_correlation(covariance) == pytest.approx(expected, abs=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_order_and_scale_of_codes(seed, order):
    codes = correlated(seed)
    result, moved = unsupervised_metrics(codes), unsupervised_metrics(codes[:, order] * 4.0)
    assert moved.gaussian_total_correlation == pytest.approx(result.gaussian_total_correlation, abs=1e-9)
    assert moved.mutual_info_score == pytest.approx(result.mutual_info_score, abs=1e-12)
    norm = result.gaussian_wasserstein_correlation_norm
    assert moved.gaussian_wasserstein_correlation_norm == pytest.approx(norm, abs=1e-9)
    assert min(numbers(result)) >= 0


@pytest.mark.parametrize("case", reference_cases("unsupervised_metrics"), ids=case_name)
def test_scores_of_disentanglement_lib(case):
    assert recomputed(case, on_data) == pytest.approx(case["scores"], abs=1e-9)


def test_constant_codes_depend_on_nothing():
    codes = np.hstack([correlated(0), np.full((400, 1), 0.1)])
    with_constant, without = unsupervised_metrics(codes), unsupervised_metrics(codes[:, :4])
    assert numbers(with_constant)[:3] == pytest.approx(numbers(without)[:3])
    assert with_constant.mutual_info_score == pytest.approx(without.mutual_info_score * 12 / 20)
    assert numbers(unsupervised_metrics(np.full((5, 2), 0.1))) == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.zeros((4, 1)), "At least 2 points and 2 codes are needed; given: 4 and 1"),
        (np.zeros((1, 4)), "given: 1 and 4"),
        (np.full((4, 2), np.nan), "must be finite"),
        (np.zeros((0, 2)), "at least one of each"),
    ],
)
def test_bad_input(codes, message):
    with pytest.raises(errors.InvalidInput, match=message):
        unsupervised_metrics(codes)


def test_one_code_through_gin_is_an_error(random_state):
    data, _ = data_and_encoder("identity_data", "identity")
    with pytest.raises(errors.InvalidInput, match="At least 2 points and 2 codes"):
        on_data(data, lambda images: np.asarray(images)[:, :1], random_state, num_train=50)
