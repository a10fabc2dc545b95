"""Pos, Neg and F1 of layers whose answers are known."""

import numpy as np
import pytest
from causal_disent_crl.flow import Flow
from causal_disent_crl.oracles import causal_noise_oracle, causal_oracle, linear_causal_oracle
from causal_disent_crl.pendulum import Pendulum

from causal_disent import adapter, errors
from causal_disent.metrics import crl_scores
from causal_disent.metrics.concepts import find_concepts

FAST = {"floor_draws": 0, "num_jobs": 1}
#: CausalVAE's published first graph, the same for both data sets.
PUBLISHED_EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]


class Layer:
    """z = (I - A^T)^-1 noise on codes that are the labels."""

    def __init__(self, names, edges, dims=1):
        self.concept_names = names
        self.concepts = [list(range(i * dims, (i + 1) * dims)) for i in range(len(names))]
        self.adjacency = np.zeros((len(names),) * 2)
        for i, j in edges:
            self.adjacency[i, j] = 1.0
        self.dims = dims

    def noise(self, labels):
        kept = labels @ (np.eye(len(labels[0])) - self.adjacency)
        return np.repeat(kept, self.dims, axis=1)

    def causal_layer(self, noise):
        blocks = noise.reshape(len(noise), -1, self.dims)
        return np.einsum("nid,ij->njd", blocks, np.linalg.inv(np.eye(blocks.shape[1]) - self.adjacency)).reshape(
            noise.shape
        )

    def concept_values(self, codes):
        return codes[:, :: self.dims]


def labels_of(data):
    return data.factor_values(data.factor_table.index.to_numpy())


def edges_of(data):
    names = list(data.factor_names)
    return [(names.index(i), names.index(j)) for i, j in data.edges]


def scored(data, layer, **options):
    labels = labels_of(data)
    noise = layer.noise(labels)
    random_state = np.random.RandomState(0)
    concepts = find_concepts(
        layer, layer.causal_layer(noise), labels, data.factor_names, metric="crl_scores", random_state=random_state
    )
    return crl_scores(noise, labels, concepts, data.edges, names=data.factor_names, **FAST, **options)


@pytest.fixture(scope="module")
def pendulum():
    return Pendulum(split="test", labels="published", scaling="causalvae")


@pytest.fixture(scope="module")
def flow():
    return Flow(split="test", labels="published", scaling="causalvae")


@pytest.mark.parametrize(
    ("which", "graph", "joint", "pos"),
    [
        # Computed before from the published labels, with minepy's algorithm.
        ("pendulum", "true", False, (52.4, 42.1)),
        ("flow", "true", True, (23.4, 18.4)),
        ("flow", "true", False, (49.1, 43.0)),
        ("flow", "published", True, (12.8, 9.0)),
        ("flow", "published", False, (19.8, 14.6)),
    ],
)
def test_the_caps_of_layers_on_perfect_labels(request, which, graph, joint, pos):
    data = request.getfixturevalue(which)
    layer = Layer(data.factor_names, edges_of(data) if graph == "true" else PUBLISHED_EDGES)
    found = scored(data, layer, joint=joint)
    assert (100 * found.pos_mic, 100 * found.pos_tic) == pytest.approx(pos, abs=0.15)
    if graph == "true" and (which == "pendulum" or joint):
        assert found.neg_mic == found.neg_tic == 0  # no edge leads back to a cause


def test_mic_e_of_the_same(pendulum):
    found = scored(pendulum, Layer(pendulum.factor_names, edges_of(pendulum)), estimator="mic_e")
    assert (100 * found.pos_mic, 100 * found.pos_tic) == pytest.approx((47.1, 41.0), abs=0.15)


def test_dimensions_that_agree_count_once(pendulum):
    one, four = (Layer(pendulum.factor_names, edges_of(pendulum), dims) for dims in (1, 4))
    assert scored(pendulum, one).pos_mic == pytest.approx(scored(pendulum, four).pos_mic)
    assert scored(pendulum, four, dimensions="max").pos_mic == pytest.approx(scored(pendulum, one).pos_mic)


def test_an_edge_of_nothing_counts_in_full_unless_it_is_cut(pendulum):
    layer = Layer(pendulum.factor_names, [])
    layer.adjacency[3, 1] = 1e-8  # position -> light
    kept = scored(pendulum, layer, threshold=0.0)
    assert kept.neg_mic > 0.2 and kept.edges == ("position -> light",) and kept.conventions["edges_cut"] == 0
    cut = scored(pendulum, layer)
    assert cut.neg_mic == 0 and cut.edges == () and cut.conventions["edges_cut"] == 1


def test_cutting_from_outside_is_what_the_layer_would_do(pendulum):
    layer = Layer(pendulum.factor_names, edges_of(pendulum))
    layer.adjacency[3, 1] = 0.01
    noise = layer.noise(labels_of(pendulum))
    concepts = find_concepts(
        layer, noise, labels_of(pendulum), pendulum.factor_names, metric="", random_state=np.random.RandomState(0)
    )
    cut = concepts.layer(0.05)[0](noise)
    layer.adjacency[3, 1] = 0.0
    np.testing.assert_allclose(cut, layer.causal_layer(noise), atol=1e-12)


def test_an_edge_that_cannot_be_cut_is_told(pendulum):
    class Bent(Layer):
        def causal_layer(self, noise):
            return np.tanh(super().causal_layer(noise))

    layer = Bent(pendulum.factor_names, edges_of(pendulum))
    layer.adjacency[3, 1] = 1e-8
    with pytest.warns(UserWarning, match="1 edges below the threshold of 0.05 stay"):
        scored(pendulum, layer)


def test_the_true_mechanism_is_perfect_where_effects_have_no_noise():
    data = Pendulum(split="test", size=64)
    scores = adapter.on_data(crl_scores)(data, causal_oracle(data), np.random.RandomState(0), **FAST)
    assert scores["PosMIC"] > 0.99 and scores["NegMIC"] == 0 and scores["F1_MIC"] > 0.99
    assert scores["convention_concepts"] == "concepts by name" and scores["convention_tap"] == "z"


def test_the_true_mechanism_of_flow_is_capped_by_the_noise_of_the_height(flow):
    data = Flow(split="test", size=64)
    oracle = causal_oracle(data)
    factors = labels_of(data)
    concepts = find_concepts(
        oracle, factors, factors, data.factor_names, metric="", random_state=np.random.RandomState(0)
    )
    noise = oracle._noise_of(factors)
    options = {"names": data.factor_names, **FAST}
    # Scored against the labels in the files' names, as in the tables: about 27 together, 57.5 one at a time.
    published = labels_of(flow)
    joint = crl_scores(noise, published, concepts, data.edges, joint=True, **options)
    alone = crl_scores(noise, published, concepts, data.edges, **options)
    assert 100 * joint.pos_mic == pytest.approx(27, abs=1.5)
    assert 100 * alone.pos_mic == pytest.approx(57.5, abs=1.5)


def test_empty_reversed_and_noise():
    data = Pendulum(split="test", size=64)

    def of(model):
        return adapter.on_data(crl_scores)(data, model, np.random.RandomState(0), num_jobs=1, floor_draws=2)

    empty, back, noise = (
        of(linear_causal_oracle(data, edges="empty")),
        of(linear_causal_oracle(data, edges="reversed")),
        of(causal_noise_oracle(data)),
    )
    assert empty["PosMIC"] == empty["NegMIC"] == empty["F1_MIC"] == 0
    assert back["PosMIC"] == 0 and back["NegMIC"] > 0.3
    # Noise is at the floor: at 1,826 points 0.11 and 0.025 to 0.04.
    assert noise["PosMIC"] == pytest.approx(noise["floor_MIC"], abs=0.03)
    assert noise["floor_MIC"] == pytest.approx(0.11, abs=0.02) and noise["PosTIC"] < 0.06


def test_intervals_hold_the_score_and_shrink_with_points(pendulum):
    layer = Layer(pendulum.factor_names, edges_of(pendulum))
    labels = labels_of(pendulum)
    widths = []
    for step in (16, 2):
        few = labels[::step]
        noise = layer.noise(few)
        concepts = find_concepts(
            layer, few, few, pendulum.factor_names, metric="", random_state=np.random.RandomState(0)
        )
        found = crl_scores(
            noise,
            few,
            concepts,
            pendulum.edges,
            names=pendulum.factor_names,
            resamples=12,
            estimator="mic_e",
            **FAST,
        )
        low, high = found.intervals["PosMIC"]
        assert low < found.pos_mic < high
        widths.append(high - low)
        assert found.intervals["NegMIC"] == (0.0, 0.0)
    assert widths[1] < widths[0]


def test_a_factor_with_a_role_counts_once(flow):
    layer = Layer(flow.factor_names, edges_of(flow))
    both = scored(flow, layer)
    once = scored(flow, layer, roles={"height": "effect"})
    assert both.neg_mic > 0 and once.neg_mic == 0 and once.pos_mic == both.pos_mic
    with pytest.raises(errors.UnknownName, match="Did you mean 'height'"):
        scored(flow, layer, roles={"heigth": "effect"})
    with pytest.raises(errors.InvalidInput, match="`roles` must be a dict"):
        scored(flow, layer, roles="effect")
    with pytest.raises(errors.InvalidInput, match="`joint` must"):
        scored(flow, layer, joint="no")


def test_what_cannot_be_scored(pendulum):
    layer = Layer(pendulum.factor_names, edges_of(pendulum))
    labels = labels_of(pendulum)
    concepts = find_concepts(
        layer, labels, labels, pendulum.factor_names, metric="", random_state=np.random.RandomState(0)
    )
    with pytest.raises(errors.InvalidInput, match="at least 4 points; given: 3"):
        crl_scores(labels[:3], labels[:3], concepts, pendulum.edges)
    with pytest.raises(errors.InvalidInput, match="point 0 has nan in column 0"):
        crl_scores(labels * np.nan, labels, concepts, pendulum.edges)
    with pytest.raises(errors.InvalidInput, match="must be the 4 factors .*; they are: angle, size"):
        crl_scores(labels, labels, concepts, [("angle", "size")], names=pendulum.factor_names)
    with pytest.raises(errors.InvalidInput, match="no cycles; this one has angle -> light -> angle"):
        crl_scores(labels, labels, concepts, [("angle", "light"), ("light", "angle")])
    with pytest.raises(errors.InvalidInput, match="'w' for models with a `masked"):
        scored(pendulum, layer, tap="w")
    with pytest.warns(UserWarning, match="never vary: angle"):
        crl_scores(labels * [0, 1, 1, 1], labels, concepts, pendulum.edges, names=pendulum.factor_names, **FAST)
