"""The beta-VAE metric."""

import numpy as np
import pytest
from dlib_reference import case_name, data_and_encoder, recomputed, reference_cases

from causal_disent import adapter, errors
from causal_disent.metrics.fixed_factor import beta_vae_of_differences, beta_vae_sklearn

on_data = adapter.on_data(beta_vae_sklearn)

SMALL = {"batch_size": 16, "num_train": 400, "num_eval": 200}


@pytest.fixture
def factors(random_state):
    return random_state.randint([3, 4, 5, 2], size=(1000, 4))


def test_perfect_codes(factors):
    assert beta_vae_sklearn(factors * 1.0, factors, **SMALL).eval_accuracy > 0.98


def test_duplicated_codes_are_as_good(factors):
    assert beta_vae_sklearn(np.repeat(factors, 2, axis=1), factors, **SMALL).eval_accuracy > 0.98


def test_order_and_shift_of_codes(factors):
    codes = factors @ np.arange(16).reshape(4, 4).astype(float) ** 0.5
    score = beta_vae_sklearn(codes, factors, **SMALL)
    # The optimiser meets the codes in another order, so a prediction on the border may flip.
    assert beta_vae_sklearn(codes[:, ::-1] + 8, factors, **SMALL).eval_accuracy == pytest.approx(
        score.eval_accuracy, abs=0.02
    )


def test_the_seed_decides(factors, random_state):
    noise = random_state.normal(size=(1000, 4))
    assert beta_vae_sklearn(noise, factors, **SMALL) == beta_vae_sklearn(noise, factors, random_state=0, **SMALL)
    assert beta_vae_sklearn(noise, factors, **SMALL) != beta_vae_sklearn(noise, factors, random_state=1, **SMALL)


@pytest.mark.parametrize("case", reference_cases("beta_vae_sklearn"), ids=case_name)
def test_scores_of_disentanglement_lib(case):
    # lbfgs stops at a gradient of 1e-4 or after 100 steps, where depends on the last bits of the processor's
    # products; so a few of the 150 points, near the border between two classes, may flip.
    assert recomputed(case, on_data) == pytest.approx(case["scores"], abs=0.02)


def test_constant_factors_and_codes_give_a_finite_score(factors):
    factors[:, 0] = 1
    assert 0 <= beta_vae_sklearn(np.ones((1000, 2)), factors, **SMALL).eval_accuracy <= 1


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
