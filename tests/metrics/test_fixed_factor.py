"""Tests of `causal_disent.metrics.fixed_factor`."""

import numpy as np
import pytest
from dlib_reference import PlainCandle, case_name, data_and_encoder, recomputed, reference_cases

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.data.view import view
from causal_disent.metrics import fixed_factor as _fixed_factor
from causal_disent.metrics.fixed_factor import (
    beta_vae_of_differences,
    beta_vae_sklearn,
    factor_vae_of_variances,
    factor_vae_score,
    prune_dims,
)

# --- What the metrics that fix a factor promise alike

SMALL = {"batch_size": 16, "num_train": 400, "num_eval": 200}

both = pytest.mark.parametrize("metric", [beta_vae_sklearn, factor_vae_score], ids=lambda metric: metric.__name__)


@both
def test_noise_is_chance(metric, random_state):
    codes, factors = random_state.normal(size=(1000, 4)), random_state.randint([3, 4, 5, 2], size=(1000, 4))
    assert metric(codes, factors, **SMALL).eval_accuracy < 0.4


@both
def test_each_distinct_image_is_encoded_once(metric, small_data, random_state):
    on_data = adapter.on_data(metric)
    on_data(small_data, lambda images: images.reshape(len(images), -1), random_state, **SMALL)
    assert small_data.num_observed == 12


@both
def test_confounded_data_never_shows_what_does_not_exist(metric, random_state):
    data = view(PlainCandle(), confounding="candle_color")
    allowed = {tuple(row) for row in data.sample_factors(20_000, random_state)[:, :2]}
    seen = set()

    def encode(images):
        factors = np.rint(np.asarray(images).reshape(len(images), 6) * 255)
        seen.update(map(tuple, factors[:, :2].astype(int)))
        return factors

    scores = adapter.on_data(metric)(data, encode, random_state, **SMALL)
    assert seen == allowed and len(allowed) < 25
    assert 0 <= scores["eval_accuracy"] <= 1


# --- The beta-VAE metric

on_data = adapter.on_data(beta_vae_sklearn)

SMALL_BETA = {"batch_size": 16, "num_train": 400, "num_eval": 200}


@pytest.fixture
def factors(random_state):
    return random_state.randint([3, 4, 5, 2], size=(1000, 4))


def test_perfect_codes(factors):
    assert beta_vae_sklearn(factors * 1.0, factors, **SMALL_BETA).eval_accuracy > 0.98


def test_duplicated_codes_are_as_good(factors):
    assert beta_vae_sklearn(np.repeat(factors, 2, axis=1), factors, **SMALL_BETA).eval_accuracy > 0.98


def test_order_and_shift_of_codes(factors):
    codes = factors @ np.arange(16).reshape(4, 4).astype(float) ** 0.5
    score = beta_vae_sklearn(codes, factors, **SMALL_BETA)
    # The optimiser meets the codes in another order, so a prediction on the border may flip.
    assert beta_vae_sklearn(codes[:, ::-1] + 8, factors, **SMALL_BETA).eval_accuracy == pytest.approx(
        score.eval_accuracy, abs=0.02
    )


def test_the_seed_decides(factors, random_state):
    noise = random_state.normal(size=(1000, 4))
    assert beta_vae_sklearn(noise, factors, **SMALL_BETA) == beta_vae_sklearn(
        noise, factors, random_state=0, **SMALL_BETA
    )
    assert beta_vae_sklearn(noise, factors, **SMALL_BETA) != beta_vae_sklearn(
        noise, factors, random_state=1, **SMALL_BETA
    )


@pytest.mark.parametrize("case", reference_cases("beta_vae_sklearn"), ids=case_name)
def test_scores_of_disentanglement_lib(case):
    # lbfgs stops at a gradient of 1e-4 or after 100 steps, where depends on the last bits of the processor's
    # products; so a few of the 150 points, near the border between two classes, may flip.
    assert recomputed(case, on_data) == pytest.approx(case["scores"], abs=0.02)


def test_constant_factors_and_codes_give_a_finite_score(factors):
    factors[:, 0] = 1
    assert 0 <= beta_vae_sklearn(np.ones((1000, 2)), factors, **SMALL_BETA).eval_accuracy <= 1


@pytest.mark.parametrize(
    ("codes", "labels", "message"),
    [
        (np.zeros((4, 2)), np.zeros((4, 1)), "At least 2 factors are needed"),
        (np.full((4, 2), np.nan), np.eye(4), "must be finite"),
        (np.zeros((3, 2)), np.eye(4), "3 and 4 rows"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "at least one of each"),
    ],
)
def test_bad_input(codes, labels, message):
    with pytest.raises(errors.InvalidInput, match=message):
        beta_vae_sklearn(codes, labels)


@pytest.mark.parametrize("name", ["batch_size", "num_train", "num_eval"])
def test_bad_sizes(name, factors, random_state):
    with pytest.raises(errors.InvalidInput, match=f"`{name}` must be a whole number, at least 1; given: 0"):
        beta_vae_sklearn(factors, factors, **{name: 0})
    with pytest.raises(errors.InvalidInput, match=f"`{name}` must be a whole number, at least 1; given: 0"):
        on_data(*data_and_encoder("identity_data", "identity"), random_state, **{name: 0})


def test_one_kind_of_difference_cannot_be_classified():
    with pytest.raises(errors.InvalidInput, match="given: factor 2 in all 3. Raise `num_train`"):
        beta_vae_of_differences((np.zeros((3, 2)), np.full(3, 2)), (np.zeros((1, 2)), np.array([1])))


# --- The FactorVAE metric

on_data_votes = adapter.on_data(factor_vae_score)

SMALL_VOTES = {"batch_size": 16, "num_train": 400, "num_eval": 200}


@pytest.fixture
def factors_votes(random_state):
    return random_state.randint([3, 4, 5, 2], size=(1000, 4))


def test_perfect_codes_of_votes(factors_votes):
    result = factor_vae_score(factors_votes * 1.0, factors_votes, **SMALL_VOTES)
    assert result.train_accuracy == result.eval_accuracy == 1
    assert result.num_active_codes == 4
    assert (result.votes == np.diag(np.diag(result.votes))).all() and result.votes.sum() == 400


def test_duplicated_codes_are_as_good_of_votes(factors_votes):
    assert factor_vae_score(np.repeat(factors_votes, 2, axis=1), factors_votes, **SMALL_VOTES).eval_accuracy == 1


def test_order_scale_and_shift_of_codes(factors_votes, random_state):
    codes = factors_votes @ random_state.normal(size=(4, 4))
    result = factor_vae_score(codes, factors_votes, **SMALL_VOTES)
    order = [2, 0, 3, 1]
    moved = factor_vae_score(codes[:, order] * [4, -0.5, 2, 8], factors_votes, **SMALL_VOTES)
    assert moved.eval_accuracy == result.eval_accuracy
    assert np.array_equal(moved.votes, result.votes[:, order])


def test_votes_by_hand():
    train = (np.array([[0.1, 4.0], [0.2, 9.0], [5.0, 1.0], [0.1, 1.0]]), np.array([0, 0, 1, 1]))
    test = (np.array([[0.1, 4.0], [0.1, 4.0]]), np.array([0, 1]))
    result = factor_vae_of_variances(train, test, np.array([1.0, 4.0]), np.array([True, True]), 2)
    assert result.votes.tolist() == [[2, 0], [1, 1]]
    assert (result.train_accuracy, result.eval_accuracy) == (0.75, 0.5)


@pytest.mark.parametrize("case", reference_cases("factor_vae_score"), ids=case_name)
def test_scores_of_disentanglement_lib_of_votes(case):
    with gin_config(bindings=[f"{name} = {value!r}" for name, value in case["bindings"].items()]):
        scores = recomputed(case, on_data_votes)
    # There, the number of codes is reported, active or not; here one is constant where a threshold is bound.
    expected = {**case["scores"], "num_active_dims": case["scores"]["num_active_dims"] - len(case["bindings"])}
    assert scores == pytest.approx(expected, abs=1e-9)


def test_blocks_change_nothing(monkeypatch):
    case = reference_cases("factor_vae_score")[0]
    monkeypatch.setattr(_fixed_factor, "BLOCK", 7)
    assert recomputed(case, on_data_votes) == pytest.approx(case["scores"], abs=1e-9)


def test_points_that_share_a_value(factors_votes, random_state):
    points = random_state.randint(1000, size=50)
    found = _fixed_factor.draw_points_sharing(factors_votes[:, 2], points, 30, random_state)
    assert found.shape == (50, 30)
    assert (factors_votes[found, 2] == factors_votes[points, 2][:, None]).all()
    assert len(np.unique(found[0])) > 20


def test_a_code_that_never_varies_gets_no_vote(factors_votes):
    codes = np.hstack([np.full((1000, 1), 0.1), factors_votes])
    result = factor_vae_score(codes, factors_votes, **SMALL_VOTES)
    assert result.eval_accuracy == 1 and result.num_active_codes == 4
    assert result.votes[:, 0].sum() == 0


def test_no_active_code(factors_votes):
    result = factor_vae_score(np.ones((1000, 3)), factors_votes, **SMALL_VOTES)
    assert (result.train_accuracy, result.eval_accuracy, result.num_active_codes) == (0, 0, 0)
    assert (
        factor_vae_score(factors_votes * 0.001, factors_votes, threshold=0.05, **SMALL_VOTES).num_active_codes == 0
    )


def test_threshold_is_of_the_standard_deviation():
    assert prune_dims(np.array([0.01, 0.0]), threshold=0.1).tolist() == [True, False]
    assert prune_dims(np.array([0.01, 0.0])).tolist() == [True, True]


def test_a_constant_factor_gives_a_finite_score(factors_votes):
    factors_votes[:, 0] = 1
    assert 0 <= factor_vae_score(factors_votes, factors_votes, **SMALL_VOTES).eval_accuracy <= 1


@pytest.mark.parametrize(
    ("codes", "labels", "message"),
    [
        (np.full((4, 2), np.nan), np.eye(4), "must be finite"),
        (np.zeros((3, 2)), np.eye(4), "3 and 4 rows"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "at least one of each"),
    ],
)
def test_bad_input_of_votes(codes, labels, message):
    with pytest.raises(errors.InvalidInput, match=message):
        factor_vae_score(codes, labels)


@pytest.mark.parametrize(
    ("name", "least"), [("batch_size", 2), ("num_variance_estimate", 2), ("num_train", 1), ("num_eval", 1)]
)
def test_bad_sizes_of_votes(name, least, random_state):
    with pytest.raises(errors.InvalidInput, match=f"`{name}` must be a whole number, at least {least}; given: 0"):
        on_data_votes(*data_and_encoder("identity_data", "identity"), random_state, **{name: 0})


def test_codes_that_are_not_numbers_are_reported(random_state):
    data, _ = data_and_encoder("identity_data", "identity")
    with pytest.raises(errors.InvalidInput, match="`codes` must be finite"):
        on_data_votes(data, lambda images: np.full((len(images), 2), np.nan), random_state, **SMALL_VOTES)
