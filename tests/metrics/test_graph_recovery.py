import numpy as np
import pytest

from causal_disent import errors
from causal_disent.metrics import graph_recovery
from causal_disent.metrics.concepts import find_concepts, match

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
    assert match(concepts, factors, "pearson") == best


def test_too_few_concepts():
    codes = np.random.RandomState(0).normal(size=(20, 2))
    with pytest.raises(
        errors.InvalidInput, match="a concept for each of the 3 factors a, b, c; the model has 2 codes"
    ):
        find_concepts(lambda x: x, codes, np.zeros((20, 3)), ["a", "b", "c"], metric="me", random_state=None)
