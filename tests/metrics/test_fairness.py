"""Predictions of one factor while another is set by hand."""

import numpy as np
import pytest
from dlib_reference_fitted import assert_same_scores, reference_cases
from fitting_promises import FAST as BINDINGS
from fitting_promises import assert_repeatable_and_private, bad_pairs, grid

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.data.view import view
from causal_disent.metrics.others import fairness, total_variation

on_data = adapter.on_data(fairness)

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
def test_scores_of_disentanglement_lib(case):
    assert_same_scores(case, on_data)


def test_the_same_seed_gives_the_same_score():
    scores = assert_repeatable_and_private(on_data, **SMALL)
    assert len(scores) == 2 * (6 + 12 + 8)
    assert scores["mean_fairness:mean_pred:mean_sens"] == pytest.approx(
        np.mean([scores[f"mean_fairness:pred{i}:sens{j}"] for i in range(3) for j in range(3) if i != j])
    )


def test_a_confounded_data_set_is_never_asked_for_what_it_lacks(small_data):
    data = view(small_data, confounding="only shape=cube: color=red|green")
    with gin_config(bindings=BINDINGS):
        scores = on_data(data, lambda images: images.reshape(len(images), -1), np.random.RandomState(0), **SMALL)
    assert 0 <= scores["mean_fairness:mean_pred:mean_sens"] <= 1


def test_messages():
    codes, factors = grid(2)
    complete = interventions(lambda f: f.astype(float))
    with pytest.raises(errors.InvalidInput, match=r"for predicting factor 0, under the key \(0, 1\)"):
        fairness(codes, factors, {})
    with pytest.raises(errors.InvalidInput, match="must have the codes of `train`, 3; given: 2"):
        fairness(codes, factors, {**complete, (0, 1): [codes[:, :2]]})
    with pytest.raises(errors.InvalidInput, match="At least 2 factors are needed; given: 1"):
        fairness(codes, factors[:, :1], complete)


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        fairness(*train, {})
