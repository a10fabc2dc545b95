import numpy as np
import pytest
from scipy.linalg import expm

from causal_disent.errors import InvalidInput
from causal_disent.metrics.concepts import LEAK, CodesAsConcepts, _first_weights, _gradients, gae_discovery


def lagrangian(values, weights, l1, multiplier, penalty):
    """The loss, node by node and point by point, as the paper writes it."""

    def network(number, parts):
        hidden = np.array([number])
        for place in range(0, 6, 2):
            hidden = hidden @ parts[place] + parts[place + 1]
            hidden = hidden if place == 4 else np.where(hidden > 0, hidden, LEAK * hidden)
        return hidden[0]

    adjacency, total = weights[0], 0.0
    for row in values:
        coded = [network(number, weights[1:7]) for number in row]
        for j, number in enumerate(row):
            mixed = sum(adjacency[i, j] * coded[i] for i in range(len(row)))
            total += (network(mixed, weights[7:]) - number) ** 2
    cycles = np.trace(expm(adjacency**2)) - len(adjacency)
    return total / 2 / len(values) + l1 * np.abs(adjacency).sum() + multiplier * cycles + penalty / 2 * cycles**2


def test_gradients_by_differences():
    random_state = np.random.RandomState(0)
    values = random_state.normal(size=(6, 3))
    # Biases that are not 0: no step crosses the place where the leaky part begins.
    first = _first_weights(3, 4, random_state)
    weights = [weight.astype(np.float64) + random_state.normal(size=weight.shape) / 2 for weight in first]
    gradients = list(_gradients(values, weights, 0.7, 0.3, 2.0)[0])
    for weight, gradient in zip(weights, gradients, strict=True):
        place = (0, 1) if weight.ndim == 2 and weight.shape == (3, 3) else (0,) * weight.ndim
        before, ends = weight[place], []
        for step in (1e-6, -1e-6):
            weight[place] = before + step
            ends.append(lagrangian(values, weights, 0.7, 0.3, 2.0))
        weight[place] = before
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-3, abs=1e-6)


def test_a_column_that_others_make_is_given_back_and_noise_is_not():
    random_state = np.random.RandomState(0)
    causes = random_state.normal(size=(300, 2))
    values = np.column_stack([causes[:, 0], causes[:, 0], causes[:, 1]])  # two that agree, and one alone
    found = gae_discovery(values, 0, steps=200, rounds=4)
    assert np.abs(found.adjacency).max() == pytest.approx(1) and not found.adjacency.diagonal().any()
    error = ((found.causal_layer(values) - values) ** 2).mean(axis=0)
    assert error[:2].min() < 0.3 and error[2] > 0.5
    again = gae_discovery(values, 0, steps=200, rounds=4)
    np.testing.assert_array_equal(found.adjacency, again.adjacency)


def test_a_root_comes_out_constant():
    found = gae_discovery(np.random.RandomState(0).normal(size=(50, 2)), 0, steps=5, rounds=1)
    out = found.causal_layer(np.random.RandomState(1).normal(size=(20, 2)), np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert np.ptp(out[:, 0]) == 0 and np.ptp(out[:, 1]) > 0


def test_a_function_that_cannot_be_turned_round_is_found():
    random_state = np.random.RandomState(0)
    cause = random_state.uniform(-2, 2, 150)
    values = np.column_stack([cause, cause**2 + 0.1 * random_state.normal(size=150)])
    found = gae_discovery((values - values.mean(axis=0)) / values.std(axis=0), 0, rounds=4)
    assert abs(found.adjacency[0, 1]) > 2 * abs(found.adjacency[1, 0]) and found.cycles < 0.1


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((5, 1)), {}, "two columns or more; given: 1"),
        (np.full((5, 2), np.nan), {}, "must be finite"),
        (np.ones(5), {}, r"shape \(points, columns\)"),
        (np.ones((5, 2)), {"steps": 0}, "steps"),
        (np.ones((5, 2)), {"max_points": 0}, "max_points"),
    ],
)
def test_what_cannot_be_fitted_is_an_error(values, options, message):
    with pytest.raises(InvalidInput, match=message):
        gae_discovery(values, **options)


def test_constant_columns_have_no_causes_to_find():
    found = gae_discovery(np.ones((6, 2)), steps=5, rounds=1, max_points=None)
    assert np.isfinite(found.adjacency).all() and np.isfinite(found.error)


def test_codes_as_concepts():
    codes = np.random.RandomState(0).normal(size=(50, 4)) * 3 + 1
    model = CodesAsConcepts(lambda images: codes, codes, [2, 0], None, np.random.RandomState(0))
    np.testing.assert_allclose(model.noise(None).std(axis=0), 1)
    np.testing.assert_array_equal(model.causal_layer(codes), codes)
    changed = model.intervene(codes, {1: 5.0})
    assert (changed[:, 1] == 5).all() and (changed[:, [0, 2, 3]] == codes[:, [0, 2, 3]]).all()
    assert not model.adjacency.any()
