"""The graph autoencoder as a way to find a graph in a table."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from causal_disent_crl.models.gae import gae  # noqa: E402

from causal_disent.errors import CausalDisentError  # noqa: E402


def chain(n=300, seed=0):
    """x causes y, which causes z; by functions that cannot be turned round."""
    random_state = np.random.RandomState(seed)
    x = random_state.uniform(-2, 2, n)
    y = x**2 + 0.1 * random_state.normal(size=n)
    return np.stack([x, y, np.sin(2 * y) + 0.1 * random_state.normal(size=n)], axis=1)


def test_a_function_that_cannot_be_turned_round_is_found():
    found = gae(chain(150), sparsity=0.02, max_rounds=3, threshold=0.1)
    assert abs(found.weights[0, 1]) > 2 * abs(found.weights[1, 0])
    assert found.adjacency[0, 1] and found.weights[0, 1] == found.adjacency[0, 1]
    assert np.abs(found.weights).max() == pytest.approx(1)
    assert (np.diag(found.weights) == 0).all()
    assert found.h < 0.1


def test_the_same_seed_finds_the_same_and_leaves_the_generator_alone():
    before = torch.get_rng_state()
    one, other = (gae(chain(), max_rounds=1, steps=20) for _ in range(2))
    assert torch.equal(before, torch.get_rng_state())
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-6)
    assert not np.allclose(one.weights, gae(chain(), max_rounds=1, steps=20, seed=1).weights)
    assert "layer" not in repr(one)


def test_what_the_layer_says_is_what_the_error_is_of():
    values = chain()
    found = gae(values, standardise=True, max_rounds=1, steps=20)
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    apart = scaled - found.predict(scaled)
    assert found.error == pytest.approx((apart**2).sum(axis=1).mean() / 2, rel=1e-4)


def test_a_stricter_threshold_cuts_more():
    loose, strict = (gae(chain(), max_rounds=1, steps=20, threshold=value) for value in (0.0, 0.9))
    assert np.count_nonzero(loose.adjacency) == 6 > np.count_nonzero(strict.adjacency)
    np.testing.assert_array_equal(loose.weights, strict.weights)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((5, 1)), {}, "at least 2 rows and 2 columns"),
        (np.full((5, 2), np.nan), {}, "must be finite"),
        (np.ones(5), {}, r"shape \(points, columns\)"),
        (np.ones((5, 2)), {"steps": 0}, "gae.steps"),
        (np.ones((5, 2)), {"rho_factor": 1.0}, "gae.rho_factor"),
        (np.ones((5, 2)), {"learning_rate": 0}, "gae.learning_rate"),
        (np.ones((5, 2)), {"standardise": 2}, "gae.standardise"),
    ],
)
def test_what_cannot_be_fitted_is_an_error(values, options, message):
    with pytest.raises(CausalDisentError, match=message):
        gae(values, **options)


def test_constant_columns_have_no_causes_to_find():
    found = gae(np.ones((6, 2)), max_rounds=1, steps=5)
    assert np.isfinite(found.weights).all() and np.isfinite(found.error)
