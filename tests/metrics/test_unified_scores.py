"""Every reduction of every matrix."""

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture, assert_same_scores, reference_cases
from fitting_promises import assert_repeatable_and_private, bad_pairs, encode, grid, mixture
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.metrics.dci import dci
from causal_disent.metrics.gaps import mig
from causal_disent.metrics.others import (
    factor_merges,
    independent_groups,
    precision_curve,
    reductions,
    unified_scores,
)

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
    scores = reductions(matrix, np.ones(3))
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
