"""The FactorVAE metric."""

import numpy as np
import pytest
from dlib_reference import case_name, data_and_encoder, recomputed, reference_cases

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.metrics import fixed_factor as _fixed_factor
from causal_disent.metrics.fixed_factor import factor_vae_of_variances, factor_vae_score, prune_dims

on_data = adapter.on_data(factor_vae_score)

SMALL = {"batch_size": 16, "num_train": 400, "num_eval": 200}


@pytest.fixture
def factors(random_state):
    return random_state.randint([3, 4, 5, 2], size=(1000, 4))


def test_perfect_codes(factors):
    result = factor_vae_score(factors * 1.0, factors, **SMALL)
    assert result.train_accuracy == result.eval_accuracy == 1
    assert result.num_active_codes == 4
    assert (result.votes == np.diag(np.diag(result.votes))).all() and result.votes.sum() == 400


def test_duplicated_codes_are_as_good(factors):
    assert factor_vae_score(np.repeat(factors, 2, axis=1), factors, **SMALL).eval_accuracy == 1


def test_order_scale_and_shift_of_codes(factors, random_state):
    codes = factors @ random_state.normal(size=(4, 4))
    result = factor_vae_score(codes, factors, **SMALL)
    order = [2, 0, 3, 1]
    moved = factor_vae_score(codes[:, order] * [4, -0.5, 2, 8], factors, **SMALL)
    assert moved.eval_accuracy == result.eval_accuracy
    assert np.array_equal(moved.votes, result.votes[:, order])


def test_votes_by_hand():
    train = (np.array([[0.1, 4.0], [0.2, 9.0], [5.0, 1.0], [0.1, 1.0]]), np.array([0, 0, 1, 1]))
    test = (np.array([[0.1, 4.0], [0.1, 4.0]]), np.array([0, 1]))
    result = factor_vae_of_variances(train, test, np.array([1.0, 4.0]), np.array([True, True]), 2)
    assert result.votes.tolist() == [[2, 0], [1, 1]]
    assert (result.train_accuracy, result.eval_accuracy) == (0.75, 0.5)


@pytest.mark.parametrize("case", reference_cases("factor_vae_score"), ids=case_name)
def test_scores_of_disentanglement_lib(case):
    with gin_config(bindings=[f"{name} = {value!r}" for name, value in case["bindings"].items()]):
        scores = recomputed(case, on_data)
    # There, the number of codes is reported, active or not; here one is constant where a threshold is bound.
    expected = {**case["scores"], "num_active_dims": case["scores"]["num_active_dims"] - len(case["bindings"])}
    assert scores == pytest.approx(expected, abs=1e-9)


def test_blocks_change_nothing(monkeypatch):
    case = reference_cases("factor_vae_score")[0]
    monkeypatch.setattr(_fixed_factor, "BLOCK", 7)
    assert recomputed(case, on_data) == pytest.approx(case["scores"], abs=1e-9)


def test_points_that_share_a_value(factors, random_state):
    points = random_state.randint(1000, size=50)
    found = _fixed_factor.points_sharing(factors[:, 2], points, 30, random_state)
    assert found.shape == (50, 30)
    assert (factors[found, 2] == factors[points, 2][:, None]).all()
    assert len(np.unique(found[0])) > 20


def test_a_code_that_never_varies_gets_no_vote(factors):
    codes = np.hstack([np.full((1000, 1), 0.1), factors])
    result = factor_vae_score(codes, factors, **SMALL)
    assert result.eval_accuracy == 1 and result.num_active_codes == 4
    assert result.votes[:, 0].sum() == 0


def test_no_active_code(factors):
    result = factor_vae_score(np.ones((1000, 3)), factors, **SMALL)
    assert (result.train_accuracy, result.eval_accuracy, result.num_active_codes) == (0, 0, 0)
    assert factor_vae_score(factors * 0.001, factors, threshold=0.05, **SMALL).num_active_codes == 0


def test_threshold_is_of_the_standard_deviation():
    assert prune_dims(np.array([0.01, 0.0]), threshold=0.1).tolist() == [True, False]
    assert prune_dims(np.array([0.01, 0.0])).tolist() == [True, True]


def test_a_constant_factor_gives_a_finite_score(factors):
    factors[:, 0] = 1
    assert 0 <= factor_vae_score(factors, factors, **SMALL).eval_accuracy <= 1


@pytest.mark.parametrize(
    ("codes", "labels", "message"),
    [
        (np.full((4, 2), np.nan), np.eye(4), "must be finite"),
        (np.zeros((3, 2)), np.eye(4), "3 and 4 rows"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "at least one of each"),
    ],
)
def test_bad_input(codes, labels, message):
    with pytest.raises(errors.InvalidInput, match=message):
        factor_vae_score(codes, labels)


@pytest.mark.parametrize(
    ("name", "least"), [("batch_size", 2), ("num_variance_estimate", 2), ("num_train", 1), ("num_eval", 1)]
)
def test_bad_sizes(name, least, random_state):
    with pytest.raises(errors.InvalidInput, match=f"`{name}` must be a whole number, at least {least}; given: 0"):
        on_data(*data_and_encoder("identity_data", "identity"), random_state, **{name: 0})


def test_codes_that_are_not_numbers_are_reported(random_state):
    data, _ = data_and_encoder("identity_data", "identity")
    with pytest.raises(errors.InvalidInput, match="`codes` must be finite"):
        on_data(data, lambda images: np.full((len(images), 2), np.nan), random_state, **SMALL)
