"""Tests of `causal_disent.metrics.others`."""

import numpy as np
import pytest
from dlib_reference import case_name, data_and_encoder, recomputed
from dlib_reference import reference_cases as plain_cases
from dlib_reference_fitted import NoisyMixture, assert_same_scores, reference_cases
from fitting_promises import FAST as BINDINGS
from fitting_promises import assert_repeatable_and_private, bad_pairs, encode, grid, mixture
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import sqrtm

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.data.view import view
from causal_disent.metrics.dci import dci
from causal_disent.metrics.gaps import mig
from causal_disent.metrics.others import (
    factor_merges,
    fairness,
    gaussian_total_correlation,
    gaussian_wasserstein_correlation,
    independent_groups,
    precision_curve,
    reduce_matrix,
    total_variation,
    unified_scores,
    unsupervised_metrics,
)

# --- Every reduction of every matrix

on_data = adapter.on_data(unified_scores)
on_fixed_data = adapter.on_fixed_data(unified_scores)

INFORMATION = "mutual_information_matrix"
FEW = {"num_train": 200, "num_test": 100}


def test_perfect_codes():
    scores = unified_scores(*grid(), test=grid(), matrices=[INFORMATION]).scores[INFORMATION]
    assert scores["dci"] > 0.99 and scores["mig"] > 0.99 and scores["modularity"] > 0.99
    assert scores["max_precision"] == 3


def test_duplicated_codes_have_no_gap():
    codes, factors = grid()
    points = (codes.repeat(2, axis=1), factors)
    scores = unified_scores(*points, test=points, matrices=[INFORMATION]).scores[INFORMATION]
    assert scores["mig"] == pytest.approx(0, abs=1e-12) and scores["dci_disentanglement"] > 0.99


def test_noise(random_state):
    points = (random_state.normal(size=(480, 4)), grid()[1])
    assert unified_scores(*points, test=points, matrices=[INFORMATION]).scores[INFORMATION]["mig"] < 0.1


def test_the_matrix_and_reduction_of_a_metric_give_that_metric():
    train, test = mixture(60), mixture(40, seed=1)
    result = unified_scores(*train, test=test, random_state=0)
    published = dci(*train, test=test, random_state=0)
    boosted = result.scores["importance_gbt_matrix"]
    np.testing.assert_array_equal(result.matrices["importance_gbt_matrix"], published.importance)
    assert boosted["dci_disentanglement"] == boosted["dci"] == published.disentanglement
    assert boosted["dci_completeness"] == published.completeness
    assert result.scores[INFORMATION]["mig"] == pytest.approx(mig(*train).score)


@pytest.mark.parametrize(
    ("case", "compute"),
    [
        *(pytest.param(*c.values, on_data, id=c.id) for c in reference_cases("unified_scores")),
        *(pytest.param(*c.values, on_fixed_data, id=c.id) for c in reference_cases("unified_score_validation")),
    ],
)
def test_scores_of_disentanglement_lib(case, compute):
    assert_same_scores(case, compute)


def test_the_same_seed_gives_the_same_score():
    assert_repeatable_and_private(on_data, **FEW, matrix_fns=[INFORMATION, "accuracy_svm_matrix"])


def test_matrices_bound_in_gin_and_saved(tmp_path):
    with gin_config(bindings=["importance_gbt_matrix.estimator_fn = @histogram_boosting"]):
        scores = on_data(
            NoisyMixture(),
            encode,
            np.random.RandomState(0),
            str(tmp_path / "new"),
            **FEW,
            matrix_fns=["importance_gbt_matrix"],
        )
    lines = (tmp_path / "new" / "importance_gbt_matrix.csv").read_text().splitlines()
    assert lines[0] == "shape,light,size" and len(lines) == 6
    merged = [key for key in scores if ".merge_" in key]
    assert len(merged) == 3


def test_a_constant_factor_is_left_out():
    codes, factors = grid(5)
    padded = np.insert(factors, 1, 7, axis=1)
    with pytest.warns(UserWarning, match="unified_scores leaves out factors that never vary: 1"):
        result = unified_scores(codes, padded, test=(codes, padded), matrices=[INFORMATION])
    scores = result.scores[INFORMATION]
    assert scores["mig"] > 0.99 and "mig.factor_1" not in scores and "mig.factor_3" in scores
    assert not result.matrices[INFORMATION][:, 1].any()


@given(arrays(np.float64, (4, 3), elements=st.integers(0, 5).map(lambda value: value / 5)))
def test_reductions_of_any_matrix_are_finite(matrix):
    scores = reduce_matrix(matrix, np.ones(3))
    assert all(np.isfinite(list(scores.values())))
    assert 0 <= scores["max_precision"] <= 3


def test_groups_and_merges_by_hand():
    matrix = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.0, 0.0, 0.5]])
    assert independent_groups(matrix, 0.5) == 3
    assert independent_groups(matrix, 0.15) == 2
    assert precision_curve(matrix)[1].tolist() == [1, 2, 3, 2, 2, 2, 2, 2, 2]
    merges = factor_merges(matrix)
    assert merges[0, 1] == 3 and len(merges) == 3 and max(merges.values()) > 4


def test_messages():
    codes, factors = grid(2)
    with pytest.raises(errors.UnknownName, match="Did you mean 'mutual_information_matrix'"):
        unified_scores(codes, factors, test=(codes, factors), matrices=["mutual_information"])
    with pytest.raises(
        errors.InvalidInput, match=r"must have shape \(codes, factors\) = \(3, 3\); given: \(1, 3\)"
    ):
        unified_scores(codes, factors, test=(codes, factors), matrices=[lambda *points: np.ones((1, 3))])


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        unified_scores(*train, test=train)


# --- How far codes are from independent

on_data_unsupervised = adapter.on_data(unsupervised_metrics)


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


@pytest.mark.parametrize("case", plain_cases("unsupervised_metrics"), ids=case_name)
def test_scores_of_disentanglement_lib_of_unsupervised(case):
    assert recomputed(case, on_data_unsupervised) == pytest.approx(case["scores"], abs=1e-9)


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
        on_data_unsupervised(data, lambda images: np.asarray(images)[:, :1], random_state, num_train=50)


# --- Predictions of one factor while another is set by hand

on_data_fairness = adapter.on_data(fairness)

FAST = {"estimator": "histogram_boosting"}
SMALL = {"num_train": 60, "num_test_points_per_class": 15}
SIZES = (3, 2, 4)


def interventions(encode):
    """Codes of the grid with each factor set to each of its values."""
    factors = grid(2)[1]
    found = {}
    for j, size in enumerate(SIZES):
        values = []
        for value in range(size):
            fixed = factors.copy()
            fixed[:, j] = value
            values.append(encode(fixed))
        found.update({(i, j): values for i in range(3) if i != j})
    return found


def measured(encode):
    codes, factors = grid(5)
    return fairness(encode(factors), factors, interventions(encode), **FAST)


def test_perfect_codes_are_fair():
    result = measured(lambda factors: factors.astype(float))
    assert result.score == 0.0 and result.maximum[~np.eye(3, dtype=bool)].max() == 0
    assert np.isnan(result.mean.diagonal()).all()


def test_duplicated_codes_are_fair():
    assert measured(lambda factors: factors.repeat(2, axis=1)).score == 0.0


def test_entangled_codes_are_not():
    result = measured(lambda factors: factors.sum(axis=1, keepdims=True))
    assert result.score > 0.1 and (result.maximum >= result.mean - 1e-6)[~np.eye(3, dtype=bool)].all()


def test_noise_is_fair_as_far_as_points_tell(random_state):
    assert measured(lambda factors: random_state.normal(size=factors.shape)).score < 0.2


def test_total_variation_by_hand():
    mean, most = total_variation(np.array([[3, 0, 1], [1, 4, 3]]))
    assert mean == pytest.approx((5 / 12 + 1 / 3 + 1 / 12) / 3, abs=1e-6)
    assert most == pytest.approx(5 / 12, abs=1e-6)


@pytest.mark.parametrize("case", reference_cases("fairness"))
def test_scores_of_disentanglement_lib_of_fairness(case):
    assert_same_scores(case, on_data_fairness)


def test_the_same_seed_gives_the_same_score_of_fairness():
    scores = assert_repeatable_and_private(on_data_fairness, **SMALL)
    assert len(scores) == 2 * (6 + 12 + 8)
    assert scores["mean_fairness:mean_pred:mean_sens"] == pytest.approx(
        np.mean([scores[f"mean_fairness:pred{i}:sens{j}"] for i in range(3) for j in range(3) if i != j])
    )


def test_a_confounded_data_set_is_never_asked_for_what_it_lacks(small_data):
    data = view(small_data, confounding="only shape=cube: color=red|green")
    with gin_config(bindings=BINDINGS):
        scores = on_data_fairness(
            data, lambda images: images.reshape(len(images), -1), np.random.RandomState(0), **SMALL
        )
    assert 0 <= scores["mean_fairness:mean_pred:mean_sens"] <= 1


def test_messages_of_fairness():
    codes, factors = grid(2)
    complete = interventions(lambda f: f.astype(float))
    with pytest.raises(errors.InvalidInput, match=r"for predicting factor 0, under the key \(0, 1\)"):
        fairness(codes, factors, {})
    with pytest.raises(errors.InvalidInput, match="must have the codes of `train`, 3; given: 2"):
        fairness(codes, factors, {**complete, (0, 1): [codes[:, :2]]})
    with pytest.raises(errors.InvalidInput, match="At least 2 factors are needed; given: 1"):
        fairness(codes, factors[:, :1], complete)


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs_of_fairness(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        fairness(*train, {})
