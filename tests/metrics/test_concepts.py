"""Tests of `causal_disent.metrics.concepts`."""

import numpy as np
import pytest
from scipy.linalg import expm

from causal_disent import errors
from causal_disent.errors import InvalidInput
from causal_disent.metrics import graph_recovery
from causal_disent.metrics.concepts import (
    LEAK,
    CodesAsConcepts,
    _first_weights,
    _gradients,
    find_concepts,
    gae_discovery,
    match_concepts,
)

# --- graph recovery

PENDULUM = [("angle", "length"), ("light", "length"), ("angle", "position"), ("light", "position")]
FLOW = [("ball", "height"), ("height", "flow"), ("hole", "flow")]
NAMES = {"pendulum": ("angle", "light", "length", "position"), "flow": ("ball", "height", "flow", "hole")}
GRAPHS = {"pendulum": PENDULUM, "flow": FLOW}
#: CausalVAE's published first graph: 0 > 1, 2, 3 and 1 > 2, 3.
FIRST = np.array([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=float)


def truth(name):
    matrix = np.zeros((4, 4))
    for cause, effect in GRAPHS[name]:
        matrix[NAMES[name].index(cause), NAMES[name].index(effect)] = 1
    return matrix


@pytest.mark.parametrize(
    ("name", "estimate", "shd", "sid"),
    [
        ("pendulum", FIRST, 1, 0),
        ("pendulum", np.zeros((4, 4)), 4, 6),
        ("pendulum", truth("pendulum").T, 4, 12),
        ("flow", FIRST, 4, 1),
        ("flow", np.zeros((4, 4)), 3, 4),
        ("flow", truth("flow").T, 3, 11),
    ],
)
def test_known_distances(name, estimate, shd, sid):
    pytest.importorskip("gadjid")
    found = graph_recovery(estimate, GRAPHS[name], names=NAMES[name])
    assert (found.shd, found.sid, found.cycle) == (shd, sid, "")
    true, guess = truth(name) > 0, estimate > 0
    both = (true & guess).sum()
    assert found.f1 == pytest.approx(2 * both / (true.sum() + guess.sum()))


def test_thresholds_by_hand():
    weights = np.array([[0, 0.9, 0.2], [0.4, 0, 0.6], [0, 0, 0]])
    found = graph_recovery(weights, [("a", "b"), ("b", "c")], thresholds=(0.1, 0.5, 0.7))
    # Above 0.1: ab, ac, ba, bc, of which two are true; above 0.5: ab, bc; above 0.7: ab.
    assert found.over_thresholds[0.1] == (pytest.approx(4 / 6), 2)  # pairs ab (both ways) and ac are wrong
    assert found.over_thresholds[0.5] == (1.0, 0)
    assert found.over_thresholds[0.7] == (pytest.approx(2 / 3), 1)
    assert (found.best_f1, found.best_threshold) == (1.0, 0.4)


def test_a_cycle_is_told_and_has_no_sid():
    found = graph_recovery(np.array([[0, 1.0], [1.0, 0]]), [("a", "b")])
    assert found.cycle == "a -> b -> a" and found.sid is None and found.shd == 1
    keys = graph_recovery.declaration.reports(found, ["a", "b"])
    assert "SID" not in keys and keys["cycle"] == "a -> b -> a"


def test_the_graph_must_be_over_the_factors():
    with pytest.raises(errors.InvalidInput, match="pair of the factors a, c, .*; given: .* nodes a, b"):
        graph_recovery(np.zeros((2, 2)), [("a", "b")], names=["a", "c"])
    with pytest.raises(errors.InvalidInput, match="no cycles; this one has a -> b -> a"):
        graph_recovery(np.zeros((2, 2)), [("a", "b"), ("b", "a")])
    with pytest.raises(errors.InvalidInput, match="shape"):
        graph_recovery(np.full((2, 2), np.nan), [("a", "b")])


class Nameless:
    """Three concepts that were taught nothing, in another order than the factors, one of them upside down."""

    concepts, concept_names = [[0, 1], [2, 3], [4, 5]], ["concept 0", "concept 1", "concept 2"]
    adjacency = np.array([[0, 0, 0], [0, 0, 0.8], [0.7, 0, 0]])

    def noise(self, images):
        return images

    def causal_layer(self, noise):
        return noise

    def concept_values(self, codes):
        return codes.reshape(len(codes), 3, 2).mean(axis=2)

    def intervene(self, codes, do):
        codes = codes.copy()
        for place, value in do.items():
            codes[:, self.concepts[place]] = np.asarray(value)[..., None]
        return codes


@pytest.mark.parametrize("matching", ["spearman", "pearson", "mic"])
def test_concepts_without_names_are_matched(matching):
    factors = np.random.RandomState(0).normal(size=(200, 3)) * [1, 10, 100] + [0, 5, 0]
    codes = np.repeat(factors[:, [2, 0, 1]] * [-0.01, 1, 0.1], 2, axis=1)
    found = find_concepts(
        Nameless(), codes, factors, ["a", "b", "c"], metric="", matching=matching, random_state=None
    )
    assert found.places == (1, 2, 0)
    # a -> b, b -> c, which are the concepts 1 -> 2 and 2 -> 0.
    recovered = graph_recovery(found, [("a", "b"), ("b", "c")])
    assert recovered.f1 == 1 and recovered.edges == ("a -> b", "b -> c") and "matched" in recovered.how
    np.testing.assert_allclose(found.values(codes), factors, rtol=1e-9, atol=1e-9)
    set_back = found.intervene(codes, {2: factors[:, 2] + 1, 0: np.full(200, 3.0)})
    np.testing.assert_allclose(found.values(set_back)[:, 2], factors[:, 2] + 1)
    np.testing.assert_allclose(found.values(set_back)[:, :2], np.column_stack([np.full(200, 3.0), factors[:, 1]]))


def test_the_best_assignment_by_brute_force():
    from itertools import permutations

    random_state = np.random.RandomState(1)
    factors = random_state.normal(size=(100, 3))
    concepts = factors @ random_state.normal(size=(3, 4))
    correlations = np.abs(np.corrcoef(concepts.T, factors.T)[:4, 4:])
    best = max(permutations(range(4), 3), key=lambda p: sum(correlations[p[i], i] for i in range(3)))
    assert match_concepts(concepts, factors, "pearson") == best


def test_too_few_concepts():
    codes = np.random.RandomState(0).normal(size=(20, 2))
    with pytest.raises(
        errors.InvalidInput, match="a concept for each of the 3 factors a, b, c; the model has 2 codes"
    ):
        find_concepts(lambda x: x, codes, np.zeros((20, 3)), ["a", "b", "c"], metric="me", random_state=None)


# --- gae


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
