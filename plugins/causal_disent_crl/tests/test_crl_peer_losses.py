"""DoVAE's, ConditionVAE's and LadderVAE's losses against numpy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from causal_disent_crl.models.causal_decoder import CausalDecoder  # noqa: E402
from causal_disent_crl.models.causal_vae import DoVae  # noqa: E402
from causal_disent_crl.models.condition_vae import ConditionEncoder, MlpDecoder, condition_vae  # noqa: E402
from causal_disent_crl.models.ladder_vae import LadderDecoder, LadderEncoder, ladder_vae  # noqa: E402
from causal_disent_crl.models.layers import ConvEncoder, MlpEncoder  # noqa: E402
from causal_disent_torch.representation import represent  # noqa: E402
from plain_networks import (  # noqa: E402
    chain,
    concept_mlps,
    cross_entropy,
    dense,
    divergence,
    elu,
    leaky,
    weights_of,
)
from small_models import SHAPE, batch_of, labels_of, small_data  # noqa: E402

from causal_disent.errors import CausalDisentError, InvalidInput  # noqa: E402

PIXELS = int(np.prod(SHAPE))


@pytest.fixture(scope="module")
def data():
    return small_data()


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value, rel=3e-4), name


def flat(batch):
    return batch.images.double().numpy().reshape(len(batch.images), -1)


def do_networks(**options):
    torch.manual_seed(0)
    sizes = {"layer": "gae", "masked": False, "joint": True, "encoder_gives": "codes", "hidden": [5]}
    decoder = CausalDecoder(SHAPE, 8, **{**sizes, **options})
    decoder.layer.weights.data *= 8
    return {"encoder": MlpEncoder(SHAPE, 8, hidden=[6]), "decoder": decoder}


@pytest.mark.parametrize(
    ("pairs", "step", "grown"), [("previous", 0, 0.0), ("random", 3, 0.5), ("random", 9, 1.0)]
)
def test_the_exchange_of_do_vae(data, pairs, step, grown):
    networks = do_networks()
    batch, noise = batch_of(data, step=step)
    objective = DoVae(
        causes=3, pairs=pairs, beta=2.0, exchange=3.0, layer=5.0, sparsity=7.0, warm_up=6, reconstruction=0.5
    )
    objective.prepare(data, networks, 0)
    found = objective.losses(networks, batch)
    encoder, decoder = (weights_of(networks[role]) for role in ("encoder", "decoder"))
    n, images = len(batch.images), flat(batch)
    mean, log_var = np.split(chain(encoder, "body", images, (0, 2)), 2, axis=1)
    z = (mean + np.exp(log_var / 2) * noise[0].double().numpy()).reshape(n, 4, 2)
    partner = np.argsort(noise[1].numpy()) if pairs == "random" else (np.arange(n) - 1) % n

    def expected(codes):
        inner = chain(decoder, "layer.inward", codes, (0, 2, 4), leaky(0.05))
        mixed = np.einsum("ij,nid->njd", decoder["layer.weights"], inner)
        return chain(decoder, "layer.outward", mixed, (0, 2, 4), leaky(0.05))

    def rebuilt(codes):
        hidden = concept_mlps(decoder, "images.hidden", codes.reshape(n, 1, 8), active=True)[:, 0]
        return cross_entropy(images, dense(decoder, "images.last", hidden)).mean()

    exchanged = z.copy()
    exchanged[:, 3] = z[partner, 3]
    said = z.copy()
    said[:, 3] = expected(exchanged)[:, 3]
    h = networks["decoder"].layer.acyclicity().item()
    same(
        found,
        {
            "reconstruction_loss": 0.5 * rebuilt(z),
            "kl_loss": 2 * divergence(mean, log_var).mean(),
            "exchange": grown * 3 * 0.5 * rebuilt(said),
            "layer": grown * 5 * ((z - expected(z))[:, 3] ** 2).sum(axis=1).mean() / 2,
            "sparsity": grown * 7 * np.abs(decoder["layer.weights"]).sum(),
            "acyclicity": 3 * h + 0.5 * h**2,
        },
    )


def test_do_vae_gives_codes_and_abducts_their_noise(data):
    networks = do_networks()
    weights = torch.zeros(4, 4)
    weights[0, 3] = weights[1, 3] = 2.0
    networks["decoder"].layer.weights.data = weights
    model = represent(**networks)
    images = data.observations(np.arange(5))
    codes = model(images)
    np.testing.assert_allclose(codes, networks["encoder"](torch.from_numpy(images))[0].detach(), atol=1e-5)
    np.testing.assert_allclose(model.causal_layer(model.noise(images)), codes, atol=1e-5)
    cut = model.causal_layer(model.noise(images), adjacency=np.zeros((4, 4)))
    assert not np.allclose(cut[:, 6:], codes[:, 6:], atol=1e-3)  # the only effect
    np.testing.assert_allclose(cut[:, :6], codes[:, :6], atol=1e-5)
    assert networks["decoder"].layer.weights is not None and model.adjacency[0, 3] == 2.0
    assert model.concept_names == ["concept 0", "concept 1", "concept 2", "concept 3"]


def test_condition_vae_is_given_labels_and_guesses_those_it_lacks(data):
    torch.manual_seed(0)
    networks = {
        "encoder": ConditionEncoder(SHAPE, 7, labels=4, hidden=[6, 5]),
        "decoder": MlpDecoder(SHAPE, 7, hidden=[5]),
    }
    objective = condition_vae(beta=2.0, labelled_fraction=0.5)
    objective.prepare(data, networks, 0)
    batch, noise = batch_of(data, size=10)
    found = objective.losses(networks, batch)
    known = objective.labels.of(batch.indices, torch.device("cpu"))[2].numpy().astype(bool)
    assert 0 < known.sum() < len(known)
    encoder, decoder = (weights_of(networks[role]) for role in ("encoder", "decoder"))
    images = flat(batch)
    u, _ = labels_of(data, batch.indices, objective.labels)
    hidden = elu(dense(encoder, "first.0", images))
    guessed = dense(encoder, "head", hidden)
    labels = np.where(known, u, guessed)
    mean, log_var = np.split(chain(encoder, "rest", np.hstack([hidden, labels]), (0, 2)), 2, axis=1)
    z = mean + np.exp(log_var / 2) * noise[0].double().numpy()
    logits = chain(decoder, "body", np.hstack([z, labels]), (0, 2))
    same(
        found,
        {
            "reconstruction_loss": cross_entropy(images, logits).mean(),
            "kl_loss": 2 * divergence(mean, log_var).mean(),
            "guessed_labels": ((guessed - u)[known[:, 0]] ** 2).sum(axis=1).mean() / 2,
        },
    )
    found["guessed_labels"].backward()
    assert networks["encoder"].first[0].weight.grad is None  # the guess does not change the model
    codes = represent(**networks)(batch.images.numpy())
    np.testing.assert_allclose(codes[:, 3:], guessed, atol=1e-4)


def ladder_networks(hidden=(6, 5, 4)):
    torch.manual_seed(0)
    return {
        "encoder": LadderEncoder(SHAPE, 6, hidden=hidden).eval(),
        "decoder": LadderDecoder(SHAPE, 6, hidden=hidden).eval(),
    }


def block(weights, prefix, x):
    """A dense layer, the normalisation of evaluation mode, the activation."""
    x = dense(weights, f"{prefix}.0", x)
    x = (x - weights[f"{prefix}.1.running_mean"]) / np.sqrt(weights[f"{prefix}.1.running_var"] + 1e-5)
    return leaky(0.1)(x * weights[f"{prefix}.1.weight"] + weights[f"{prefix}.1.bias"])


def test_levels_of_ladder_vae(data):
    networks = ladder_networks()
    batch, noise = batch_of(data, step=5)
    objective = ladder_vae(beta=3.0, warm_up=20)
    objective.prepare(data, networks, 0)
    found = objective.losses(networks, batch)
    encoder, decoder = (weights_of(networks[role]) for role in ("encoder", "decoder"))
    hidden, seen = flat(batch), []
    for level in range(3):
        hidden = block(encoder, f"up.{level}", hidden)
        seen.append(np.split(dense(encoder, f"heads.{level}", hidden), 2, axis=1))
    drawn, total = None, 0.0
    for level in (2, 1, 0):
        prior_mean, prior_var = np.zeros((len(hidden), 2)), np.ones((len(hidden), 2))
        if drawn is not None:
            above = dense(decoder, f"priors.{level}.1", block(decoder, f"priors.{level}.0", drawn))
            prior_mean, prior_var = above[:, :2], np.exp(above[:, 2:])
        mean, var = seen[level][0], np.exp(seen[level][1])
        post_var = 1 / (1 / var + 1 / prior_var)
        post_mean = post_var * (mean / var + prior_mean / prior_var)
        total += (
            0.5
            * (np.log(prior_var / post_var) + (post_var + (post_mean - prior_mean) ** 2) / prior_var - 1)
            .sum(axis=1)
            .mean()
        )
        drawn = post_mean + np.sqrt(post_var) * noise[0].double().numpy()[:, 2 * level : 2 * level + 2]
    logits = dense(decoder, "images.1", block(decoder, "images.0", drawn))
    same(
        found,
        {
            "reconstruction_loss": cross_entropy(flat(batch), logits).mean(),
            "kl_loss": 0.25 * 3 * total,
        },
    )


def test_ladder_vae_stays_finite_before_batch_normalisation_has_seen_much(data):
    networks = ladder_networks()
    for head in networks["encoder"].heads:  # log variances of hundreds, as after a few steps on some data
        head.weight.data *= 1000
    batch = batch_of(data)[0]
    losses = ladder_vae(warm_up=0).losses(networks, batch)
    assert all(torch.isfinite(loss) for loss in losses.values())
    assert networks["encoder"](batch.images)[1].abs().max() == 10


def test_codes_of_ladder_vae_decode_as_its_levels_do(data):
    networks = ladder_networks()
    model = represent(**networks)
    images = torch.from_numpy(data.observations(np.arange(4)))
    with torch.no_grad():
        lowest = networks["decoder"].infer(*networks["encoder"](images))[-1][0]
        expected = torch.sigmoid(networks["decoder"].draw(lowest))
    np.testing.assert_allclose(model.decode(model(images.numpy())), expected, atol=1e-5)


def prepared(objective, networks, data):
    objective.prepare(data, networks, 0)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda data: DoVae(causes=0), "do_vae.causes"),
        (lambda data: DoVae(pairs="rnadom"), "do_vae.pairs"),
        (lambda data: prepared(DoVae(causes=4), do_networks(), data), "number of concepts, 4"),
        (lambda data: prepared(DoVae(), do_networks(encoder_gives="noise"), data), "encoder_gives = 'codes'"),
        (lambda data: prepared(DoVae(), ladder_networks(), data), "@causal_decoder"),
        (lambda data: prepared(condition_vae(), ladder_networks(), data), "@condition_encoder"),
        (lambda data: ConditionEncoder(SHAPE, 4, labels=4), "above condition_encoder.labels"),
        (lambda data: prepared(ladder_vae(), do_networks(), data), "@ladder_encoder"),
        (lambda data: LadderEncoder(SHAPE, 7, hidden=[4, 4]), "number of levels, 2"),
        (lambda data: LadderEncoder(SHAPE, 8, hidden=[4]), "number of levels"),
        (lambda data: ConvEncoder((15, 16, 3), 4), "divisible by 16"),
        (lambda data: ladder_vae().losses(ladder_networks(), batch_of(data, size=1)[0]), "model.batch_size to 2"),
    ],
)
def test_what_does_not_fit_the_peers_is_an_error(data, act, message):
    with pytest.raises(CausalDisentError, match=message):
        act(data)


def test_ladders_with_other_levels_do_not_fit(data):
    networks = {"encoder": LadderEncoder(SHAPE, 6, hidden=[4, 4]), "decoder": ladder_networks()["decoder"]}
    with pytest.raises(InvalidInput, match="2 levels"):
        ladder_vae().prepare(data, networks, 0)


@pytest.mark.parametrize("side", [16, 24, 96, 128])
def test_convolutions_draw_images_of_any_even_size(side):
    shape = (side, side, 3)
    decoder = CausalDecoder(shape, 4, concepts=2, images="conv")
    assert decoder(torch.zeros(2, 4)).shape == (2, *shape)
    channels = [layer.out_channels for layer in decoder.images.nets[0] if hasattr(layer, "out_channels")]
    if side == 128:  # the published ones
        assert channels == [128, 64, 64, 32, 32, 32, 3]
