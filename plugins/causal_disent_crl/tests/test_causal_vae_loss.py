"""CausalVAE's loss, term by term, against numpy; and each quirk of the published program."""

import networkx as nx
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from causal_disent_crl.models.causal_decoder import CausalDecoder  # noqa: E402
from causal_disent_crl.models.causal_vae import (  # noqa: E402
    Labels,
    causal_vae,
    causal_vae_unsupervised,
)
from causal_disent_crl.models.layers import MlpEncoder  # noqa: E402
from plain_networks import (  # noqa: E402
    chain,
    concept_mlps,
    cross_entropy,
    divergence,
    weights_of,
)
from small_models import SHAPE, batch_of, labels_of, small_data  # noqa: E402

from causal_disent.errors import CausalDisentError, InvalidInput  # noqa: E402
from causal_disent.training.batches import Batches  # noqa: E402

K, D = 4, 2


@pytest.fixture(scope="module")
def data():
    return small_data()


def networks_of(**options):
    torch.manual_seed(0)
    return {
        "encoder": MlpEncoder(SHAPE, K * D, hidden=[9, 7]),
        "decoder": CausalDecoder(SHAPE, K * D, hidden=[5, 6], **options),
    }


def faithful_networks():
    return networks_of(attention=True, free_diagonal=True)


def start(networks, seed=3):
    """Weights of a graph with cycles, so that every term counts."""
    weights = np.random.RandomState(seed).normal(size=(K, K)) * 0.4
    networks["decoder"].layer.weights.data = torch.tensor(weights, dtype=torch.float32)


def plain_terms(networks, batch, noise, labels, is_labelled, *, faithful=False, alpha=0.3, weight=None):
    """The loss in numpy; `labels` are scaled and raw ones."""
    encoder, decoder = (weights_of(networks[role]) for role in ("encoder", "decoder"))
    images = batch.images.double().numpy()
    n = len(images)
    mean, log_var = np.split(chain(encoder, "body", images.reshape(n, -1), (0, 2, 4)), 2, axis=1)
    adjacency = decoder["layer.weights"].copy()
    if not faithful:
        np.fill_diagonal(adjacency, 0)

    def codes_of(eps):
        return np.einsum("ij,njd->nid", np.linalg.inv(np.eye(K) - adjacency.T), eps)

    def masked(z, eps):
        said = concept_mlps(decoder, "mechanisms", np.einsum("ij,njd->nid", adjacency.T, z))
        if not faithful:
            return said + eps
        mixed = np.empty_like(eps)
        for i in range(n):
            scores = 1 / (1 + np.exp(-(z[i] @ decoder["attention"] @ eps[i].T)))
            share = np.exp(scores) / np.exp(scores).sum(axis=0)  # each column sums to 1: over the axis of z
            mixed[i] = share @ eps[i]
        return said + mixed

    eps = mean.reshape(n, K, D)
    z = codes_of(eps)
    w = masked(z, eps)
    if faithful:
        shown = w + np.sqrt(0.001) * noise.reshape(n, K, D)
    else:
        drawn = (mean + np.exp(log_var / 2) * noise).reshape(n, K, D)
        shown = masked(codes_of(drawn), drawn)
    hidden = concept_mlps(decoder, "images.hidden", shown, active=True).reshape(n, -1)
    logits = (hidden @ decoder["images.last.weight"].T + decoder["images.last.bias"]) / K
    height, width, channels = SHAPE
    weight = 1 / (height * channels) if weight is None else weight
    h = np.trace(np.linalg.matrix_power(np.eye(K) + adjacency**2 / K, K)) - K
    terms = {
        "reconstruction_loss": weight * cross_entropy(images, logits.reshape(images.shape)).mean(),
        "kl_loss": alpha * ((mean**2).sum(axis=1) / 2 if faithful else divergence(mean, log_var)).mean(),
        "acyclicity": 3 * h + 0.5 * h**2,
    }
    if labels is None:
        return terms
    scaled, raw = labels
    known = is_labelled.astype(bool)
    terms["code_labels"] = ((z - scaled[:, :, None])[known] ** 2).sum((1, 2)).mean() / 2
    terms["masked_labels"] = ((w - scaled[:, :, None])[known] ** 2).sum((1, 2)).mean() / 2
    u = raw if faithful else scaled
    said = concept_mlps(decoder, "label_mechanisms", (u @ adjacency)[:, :, None])[:, :, 0]
    terms["label_graph"] = ((said - u)[known] ** 2).mean()
    return terms


def compare(objective, networks, data, *, batch=None, is_labelled=None, **plain):
    objective.prepare(data, networks, 0)
    start(networks)
    batch, noise = batch or batch_of(data)
    found = objective.losses(networks, batch)
    labels = labels_of(data, batch.indices, objective.labels) if getattr(objective, "labels", None) else None
    known = np.ones(len(batch.images)) if is_labelled is None else is_labelled
    expected = plain_terms(
        networks, batch, noise[0].double().numpy().reshape(len(batch.images), -1), labels, known, **plain
    )
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value, rel=2e-4), name
    return found


def test_each_term_is_what_its_formula_says(data):
    compare(causal_vae(), networks_of(), data)


def test_weights_count(data):
    compare(causal_vae(alpha=2.0, reconstruction=0.25), networks_of(), data, alpha=2.0, weight=0.25)


def test_without_labels_there_are_no_terms_of_labels(data):
    found = compare(causal_vae_unsupervised(), networks_of(), data)
    assert list(found) == ["reconstruction_loss", "kl_loss", "acyclicity"]


def test_the_published_program_term_by_term(data):
    compare(causal_vae(faithful=True, initial="small"), faithful_networks(), data, faithful=True)


def test_labels_of_a_fraction_count_alone(data):
    objective, networks = causal_vae(labelled_fraction=0.5), networks_of()
    batch = batch_of(data, size=10)
    objective.prepare(data, networks, 0)
    known = objective.labels.of(batch[0].indices, torch.device("cpu"))[2][:, 0].numpy()
    assert 0 < known.sum() < len(known)
    compare(objective, networks, data, batch=batch, is_labelled=known)


def test_every_weight_that_is_used_has_a_gradient(data):
    objective, networks = causal_vae(), networks_of()
    objective.prepare(data, networks, 0)
    sum(objective.losses(networks, batch_of(data)[0]).values()).backward()
    for role, network in networks.items():
        for name, weight in network.named_parameters():
            assert weight.grad is not None and weight.grad.abs().sum() > 0, f"{role}.{name}"


def test_faithful_noise_is_not_drawn_and_its_variance_does_not_count(data):
    objective, networks = causal_vae(faithful=True), faithful_networks()
    objective.prepare(data, networks, 0)
    sum(objective.losses(networks, batch_of(data)[0]).values()).backward()
    last = networks["encoder"].body[4]
    assert last.weight.grad[: K * D].abs().sum() > 0
    assert last.weight.grad[K * D :].abs().sum() == 0  # the log variances


def test_faithful_starts_from_the_five_edges_for_any_data(data):
    objective, networks = causal_vae(faithful=True), faithful_networks()
    objective.prepare(data, networks, 0)
    edges = {tuple(edge) for edge in networks["decoder"].layer.adjacency.nonzero().tolist()}
    assert edges == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)}
    assert causal_vae().initial == "small"


def test_faithful_graph_is_fitted_to_labels_that_are_not_scaled(data):
    found = []
    for scaling in ("z_score", None):
        objective, networks = causal_vae(faithful=True, scaling=scaling), faithful_networks()
        objective.prepare(data, networks, 0)
        found.append(objective.losses(networks, batch_of(data)[0]))
    assert found[0]["label_graph"].item() == found[1]["label_graph"].item()
    assert found[0]["code_labels"].item() != found[1]["code_labels"].item()


def test_faithful_images_come_in_their_order(data):
    assert causal_vae(faithful=True).in_order and not causal_vae().in_order
    batches = Batches(data, 12, 0)
    drawn = [batches.draw_known(step, in_order=True)[1].tolist() for step in range(3)]
    assert drawn == [list(range(12)), list(range(12, 24)), [*range(24, 32), *range(4)]]
    images, indices = batches.draw_known(0)
    np.testing.assert_array_equal(images, data.observations(indices))
    assert indices.tolist() != list(range(12))


def test_faithful_attention_shares_the_noise_out_over_the_concepts_of_z():
    decoder = faithful_networks()["decoder"]
    codes, noise = torch.randn(3, K, D), torch.randn(3, K, D)
    said = decoder.mechanisms(decoder.layer.expected(codes))
    mixed = decoder.masked(codes, noise) - said
    # Over the axis of z, all shares of one noise sum to 1, so that the sum over concepts stays.
    torch.testing.assert_close(mixed.sum(1), noise.sum(1), atol=1e-5, rtol=1e-4)


def test_faithful_needs_the_published_decoder(data):
    with pytest.raises(InvalidInput, match="causal_decoder.attention = True"):
        causal_vae(faithful=True).prepare(data, networks_of(), 0)


def test_the_graph_of_the_data_as_a_start():
    data = small_data()
    data.graph = nx.DiGraph([("light", "edge"), ("place", "edge"), ("light", "image")])
    data.graph.add_nodes_from(["shade"])
    networks = networks_of()
    causal_vae(initial="graph").prepare(data, networks, 0)
    assert networks["decoder"].layer.adjacency.nonzero().tolist() == [[0, 2], [1, 2]]


def test_concepts_are_named_after_the_factors_they_are_taught(data):
    networks = networks_of()
    causal_vae(factors=["edge", "light"], scaling="min_max").prepare(data, networks, 0)
    decoder = networks["decoder"]
    assert decoder.names == ["edge", "light", "concept 2", "concept 3"]
    assert decoder.centre == [0, 0, 0, 0] and decoder.scale == [9, 3, 1, 1]
    assert decoder.bound_options["names"] == decoder.names


class Endless:
    """A data set without a known set of images."""

    factor_names = ("a",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda data: Labels("causal_vae", Endless(), 4),
            "needs labels, and the data set Endless has no known set",
        ),
        (lambda data: Labels("causal_vae", data, 4, fraction=0), "causal_vae.labelled_fraction.*given: 0"),
        (lambda data: Labels("causal_vae", data, 3), "3 concepts for 4 factors"),
        (lambda data: Labels("causal_vae", data, 4, factors=["lihgt"]), "lihgt"),
        (lambda data: Labels("causal_vae", data, 4, scaling="causalvea"), "scaling"),
        (lambda data: causal_vae(initial="grahp"), "Did you mean 'graph'"),
        (lambda data: causal_vae(alpha="x"), "causal_vae.alpha"),
        (lambda data: causal_vae(reconstruction=0), "causal_vae.reconstruction"),
        (lambda data: causal_vae(faithful="yes"), "causal_vae.faithful"),
        (lambda data: causal_vae(initial="graph").prepare(data, networks_of(), 0), "graph"),
        (lambda data: causal_vae().prepare(data, networks_of(masked=False), 0), "causal_decoder.masked = True"),
        (
            lambda data: causal_vae().prepare(data, {"decoder": torch.nn.Identity()}, 0),
            "bind decoder.decoder_fn = @causal_decoder",
        ),
    ],
)
def test_what_does_not_fit_is_an_error(data, make, message):
    with pytest.raises(CausalDisentError, match=message):
        make(data)


def test_labels_that_are_missing_are_named():
    data = small_data()
    values = np.ones((32, 4))
    values[3, 1] = np.nan
    data.factor_values = lambda indices: values[indices]
    with pytest.raises(InvalidInput, match="lacks some of place"):
        Labels("causal_vae", data, 4)


def test_a_factor_that_never_varies_is_centred_alone():
    data = small_data()
    values = np.ones((32, 4))
    data.factor_values = lambda indices: values[indices]
    scaled, _, _ = Labels("causal_vae", data, 4).of(np.arange(3), torch.device("cpu"))
    assert (scaled == 0).all()
