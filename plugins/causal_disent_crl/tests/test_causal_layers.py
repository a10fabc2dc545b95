"""Causal layers: codes from noise, noise from codes, interventions, acyclicity; against brute force."""

import itertools

import numpy as np
import pytest
from scipy.linalg import expm

torch = pytest.importorskip("torch")

from causal_disent_crl.models.causal_decoder import CausalDecoder  # noqa: E402
from causal_disent_crl.models.layers import GaeLayer, LinearLayer  # noqa: E402
from plain_networks import chain, leaky, weights_of  # noqa: E402
from small_models import SHAPE  # noqa: E402

from causal_disent.errors import InvalidInput, UnknownName  # noqa: E402
from causal_disent.metrics.concepts import gae_discovery  # noqa: E402

#: 0 -> 2 -> 3 and 1 -> 3.
WEIGHTS = np.array([[0, 0, 0.7, 0], [0, 0, 0, -0.4], [0, 0, 0, 1.2], [0, 0, 0, 0]])
DESCENDANTS = {0: {0, 2, 3}, 1: {1, 3}, 2: {2, 3}, 3: {3}}


def layer_of(kind, weights=WEIGHTS):
    torch.manual_seed(0)
    layer = LinearLayer(4) if kind == "linear" else GaeLayer(4, 3)
    if kind == "gae":  # so that effects of effects are large enough to be seen
        for name, weight in layer.named_parameters():
            weight.data *= 1.0 if name == "weights" else 2.0
    layer.weights.data = torch.tensor(weights, dtype=torch.float32)
    return layer


def noise_of(n=5):
    return torch.from_numpy(np.random.RandomState(1).normal(size=(n, 4, 3)).astype(np.float32))


def test_linear_codes_follow_in_the_order_of_the_graph():
    noise = noise_of()
    codes = np.zeros(noise.shape)
    for concept in range(4):  # causes come before effects here
        codes[:, concept] = noise[:, concept]
        for cause in range(concept):
            codes[:, concept] += WEIGHTS[cause, concept] * codes[:, cause]
    np.testing.assert_allclose(layer_of("linear")(noise).detach(), codes, atol=1e-5)


def test_a_graph_autoencoder_says_what_its_networks_do():
    layer, codes = layer_of("gae"), noise_of()
    weights = weights_of(layer)
    inner = chain(weights, "inward", codes.double().numpy(), (0, 2, 4), leaky(0.05))
    mixed = np.einsum("ij,nid->njd", WEIGHTS, inner)
    expected = chain(weights, "outward", mixed, (0, 2, 4), leaky(0.05))
    np.testing.assert_allclose(layer.expected(codes).detach(), expected, atol=1e-5)
    said = layer.expected(codes).detach()[:, :2]
    np.testing.assert_allclose(said, said[:1, :1].expand_as(said), atol=1e-6)  # what has no causes is constant


def test_the_layer_and_the_discovery_of_the_core_are_one_formula():
    values = np.random.RandomState(0).normal(size=(40, 3))
    found = gae_discovery(values, 0, hidden=5, steps=30, rounds=2)
    layer = GaeLayer(3, 1, hidden=(5, 5))
    layer.weights.data = torch.tensor(found.scale * found.adjacency, dtype=torch.float32)
    for network, weights in ((layer.inward, found.encoder), (layer.outward, found.decoder)):
        for parameter, weight in zip(network.parameters(), weights, strict=True):
            parameter.data = torch.tensor(weight.T)
    codes = torch.tensor(values[:, :, None], dtype=torch.float32)
    said = layer.expected(codes).detach()[:, :, 0]
    np.testing.assert_allclose(said, found.causal_layer(values), atol=1e-5)
    # What is reported is of one step before the last.
    assert ((said.numpy() - values) ** 2).mean() == pytest.approx(found.error, rel=0.01)
    assert layer.acyclicity().item() == pytest.approx(found.cycles, rel=0.2, abs=1e-6)


def test_the_sizes_of_a_graph_autoencoder_are_arguments():
    layer = CausalDecoder(SHAPE, 16, layer="gae", layer_hidden=[7], layer_latent=1).layer
    shapes = [tuple(weight.shape) for weight in layer.parameters() if weight.ndim == 2]
    assert shapes == [(4, 4), (7, 4), (1, 7), (7, 1), (4, 7)]
    published = [weight for weight in GaeLayer(4, 1, latent=1).parameters() if weight.ndim == 2]
    assert [tuple(weight.shape) for weight in published] == [(4, 4), *[(16, 1), (16, 16), (1, 16)] * 2]


@pytest.mark.parametrize("kind", ["linear", "gae"])
def test_noise_and_codes_are_each_others_inverse(kind):
    layer, noise = layer_of(kind), noise_of()
    codes = layer(noise)
    np.testing.assert_allclose(layer.noise(codes).detach(), noise, atol=1e-5)
    np.testing.assert_allclose(codes.detach(), (layer.expected(codes) + noise).detach(), atol=1e-5)


@pytest.mark.parametrize(("kind", "concept"), [*itertools.product(["linear", "gae"], range(4))])
def test_an_intervention_moves_descendants_only(kind, concept):
    layer = layer_of(kind)
    codes = layer(noise_of()).detach()
    mask = torch.arange(4)[None, :, None] == concept
    after = layer.follow(codes, torch.full_like(codes, 5.0), mask).detach()
    moved = {i for i in range(4) if (after[:, i] - codes[:, i]).abs().max() > 1e-3}
    assert moved == DESCENDANTS[concept]
    assert (after[:, concept] == 5.0).all()
    rest = [i for i in range(4) if i != concept]
    np.testing.assert_allclose(
        layer.noise(after)[:, rest].detach(), layer.noise(codes)[:, rest].detach(), atol=1e-4
    )


@pytest.mark.parametrize("kind", ["linear", "gae"])
def test_setting_what_is_changes_nothing_even_in_a_cycle(kind):
    layer = layer_of(kind, WEIGHTS + 0.3 * WEIGHTS.T)
    codes = noise_of()
    mask = torch.tensor([True, False, True, False])[None, :, None]
    np.testing.assert_allclose(layer.follow(codes, codes, mask).detach(), codes, atol=1e-5)


def test_acyclicity_by_its_definition():
    cyclic = WEIGHTS + 0.5 * np.eye(4)[::-1]
    np.fill_diagonal(cyclic, 0)
    polynomial = np.trace(np.linalg.matrix_power(np.eye(4) + cyclic**2 / 4, 4)) - 4
    assert layer_of("linear", cyclic).acyclicity().item() == pytest.approx(polynomial, rel=1e-4)
    assert layer_of("gae", cyclic).acyclicity().item() == pytest.approx(np.trace(expm(cyclic**2)) - 4, rel=1e-4)
    for kind in ("linear", "gae"):
        assert layer_of(kind).acyclicity().item() == pytest.approx(0, abs=1e-5)


def test_the_diagonal_counts_only_where_it_is_free():
    weights = torch.full((3, 3), 0.5)
    free, bound = LinearLayer(3, free_diagonal=True), LinearLayer(3)
    free.weights.data, bound.weights.data = weights, weights
    assert free.adjacency.diag().tolist() == [0.5] * 3
    assert bound.adjacency.diag().tolist() == [0.0] * 3
    (bound.adjacency.sum()).backward()
    assert bound.weights.grad.diag().tolist() == [0.0] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"concepts": 3}, "divisible by causal_decoder.concepts.* 16 and 3"),
        ({"concepts": 0}, "causal_decoder.concepts"),
        ({"layer_hidden": 16}, "causal_decoder.layer_hidden must be a list"),
        ({"layer": "gae", "layer_latent": 0}, "causal_decoder.layer_latent"),
        ({"layer": "linaer"}, "Did you mean 'linear'"),
        ({"images": "cnov"}, "Did you mean 'conv'"),
        ({"encoder_gives": "x"}, "encoder_gives"),
        ({"masked": 1}, "causal_decoder.masked"),
        ({"hidden": []}, "causal_decoder.hidden"),
        ({"names": ["a"]}, "lists of 4"),
        ({"scale": [1.0, 1.0, 0.0, 1.0]}, "scale without 0"),
    ],
)
def test_a_decoder_that_cannot_be_is_an_error(options, message):
    with pytest.raises((InvalidInput, UnknownName), match=message):
        CausalDecoder(SHAPE, 16, **options)
