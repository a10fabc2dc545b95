"""A user's own architectures in training: their options, their seeds, and what they must give."""

import json

import numpy as np
import pytest
import torch
from causal_disent_torch import architecture
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.training import Trainer
from rounding import assert_same_outputs
from safetensors.torch import load_file
from small_trainers import interrupt_at
from torch import nn
from training_configs import unsupervised

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.runs.postprocess import postprocess_with_gin
from causal_disent.runs.train import train_with_gin
from causal_disent.training.networks import make_saved

pytestmark = pytest.mark.usefixtures("global_generators")


class Encoder(nn.Module):
    """Two layers with torch's own initial weights, and dropout."""

    def __init__(self, image_shape, num_latent, width=4, power=1, dropout=0.5):
        super().__init__()
        self.image_shape, self.num_latent, self.power = image_shape, num_latent, power
        self.first = nn.Linear(int(np.prod(image_shape)), width)
        self.norm, self.dropout = nn.BatchNorm1d(width), nn.Dropout(dropout)
        self.second = nn.Linear(width, 2 * num_latent)

    def forward(self, images):
        hidden = self.dropout(self.norm(self.first(images.flatten(1) ** self.power)))
        return tuple(self.second(hidden).chunk(2, dim=1))


class Decoder(nn.Module):
    """One layer."""

    def __init__(self, image_shape, num_latent):
        super().__init__()
        self.shape = image_shape
        self.layer = nn.Linear(num_latent, int(np.prod(image_shape)))

    def forward(self, codes):
        return self.layer(codes).unflatten(1, self.shape)


@architecture("own_encoder", "encoder")
def own_encoder(image_shape, num_latent, generator, width=4, power=1, sizes=(), activation=None):
    return Encoder(image_shape, num_latent, width, power)


@architecture("own_decoder", "decoder")
def own_decoder(image_shape, num_latent, generator=None):
    return Decoder(image_shape, num_latent)


OWN = ["encoder.encoder_fn = @own_encoder", "decoder.decoder_fn = @own_decoder"]


def train(folder, *more, **options):
    options = {"device": "cpu", "tensorboard": False, **options}
    return train_with_gin(folder, gin_bindings=unsupervised("vae", *OWN, *more), **options)


def weights(folder):
    return load_file(folder / "model" / "weights.safetensors")


def same(first, second):
    first, second = weights(first), weights(second)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def change(folder, **content):
    path = folder / "model" / "model.json"
    described = {**json.loads(path.read_text()), **content}
    path.write_text(json.dumps({name: value for name, value in described.items() if value != "left out"}))


def test_what_was_bound_for_an_architecture_is_used_when_it_is_read(tiny, tmp_path):
    train(tmp_path / "m", "own_encoder.width = 7", "own_encoder.power = 3", "own_encoder.sizes = [1, 'a', None]")
    described = json.loads((tmp_path / "m" / "model" / "model.json").read_text())
    bound = {"width": 7, "power": 3, "sizes": [1, "a", None]}
    assert described["options"] == {"encoder": bound, "decoder": {}}
    bindings = ["postprocess.postprocess_fn = @mean_representation", "postprocess.random_seed = 0"]
    postprocess_with_gin(tmp_path / "m", tmp_path / "r", gin_bindings=bindings)
    postprocess_with_gin(tmp_path / "r", tmp_path / "s", gin_bindings=[*bindings, "own_encoder.power = 2"])
    images = tiny.observations(np.arange(9))
    codes = TorchBackend(device="cpu").read(tmp_path / "m")(images)
    for folder in ("r", "s"):
        model = TorchBackend(device="cpu").read(tmp_path / folder)
        assert model.encoder.power == 3 and model.encoder.first.out_features == 7
        assert_same_outputs(model(images), codes)


def test_a_description_without_options_leaves_them_to_the_config(tiny, tmp_path):
    train(tmp_path / "m", "own_encoder.width = 7")
    change(tmp_path / "m", options="left out")
    with pytest.raises(errors.InvalidInput, match=r"has shape \(7, 256\); \(4, 256\) is needed"):
        TorchBackend(device="cpu").read(tmp_path / "m")
    with gin_config(bindings=["own_encoder.width = 7"]):
        assert TorchBackend(device="cpu").read(tmp_path / "m").encoder.first.out_features == 7


def test_a_description_of_before_does_not_tell_the_plugins(tiny, tmp_path):
    train(tmp_path / "m", "model.training_steps = 0")
    described = json.loads((tmp_path / "m" / "model" / "model.json").read_text())
    assert described["owners"] == {"encoder": __name__, "decoder": __name__}
    codes = TorchBackend(device="cpu").read(tmp_path / "m")(tiny.observations(np.arange(9)))
    change(tmp_path / "m", owners="left out")
    assert_same_outputs(TorchBackend(device="cpu").read(tmp_path / "m")(tiny.observations(np.arange(9))), codes)
    for owners in ({"encoder": "a"}, {"encoder": "a", "decoder": 3}, ["a", "b"]):
        change(tmp_path / "m", owners=owners)
        with pytest.raises(errors.InvalidInput, match="'owners' cannot be"):
            TorchBackend(device="cpu").read(tmp_path / "m")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoder": {"widht": 7}, "decoder": {}}, "own_encoder' takes no widht. What it takes: width, power"),
        ({"encoder": {"num_latent": 7}, "decoder": {}}, "takes no num_latent"),
        ({"encoder": {"width": "seven"}, "decoder": {}}, "cannot be made with {'width': 'seven'}"),
        ({"encoder": {"width": {}}, "decoder": {}}, "'options' cannot be"),
        ({"encoder": {"width": [[1]]}, "decoder": {}}, "'options' cannot be"),
        ({"encoder": {"width": float("inf")}, "decoder": {}}, "'options' cannot be"),
        ({"encoder": [], "decoder": {}}, "'options' cannot be"),
        ({"encoder": {}}, "'options' cannot be"),
        ({"encoder": {}, "decoder": {}, "more": {}}, "'options' cannot be"),
        (3, "'options' cannot be 3"),
    ],
)
def test_options_of_strangers(options, message, tiny, tmp_path):
    train(tmp_path / "m", "model.training_steps = 0")
    change(tmp_path / "m", options=options)
    with pytest.raises(errors.InvalidInput, match=message):
        TorchBackend(device="cpu").read(tmp_path / "m")


@pytest.mark.parametrize("value", ["(1, 2)", "{'a': 1}", "1e400", "@AdamOptimizer", "[[1]]"])
def test_what_cannot_be_stored_is_refused_before_training(value, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(Trainer, "step", lambda self: pytest.fail("training has started"))
    with pytest.raises(errors.InvalidInput, match="own_encoder.activation is stored with the model"):
        train(tmp_path / "m", f"own_encoder.activation = {value}")


def test_the_seed_of_the_model_decides_on_the_weights_and_nothing_else_does(tiny, tmp_path):
    before = torch.get_rng_state()
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        torch.manual_seed(ord(name))
        train(tmp_path / name, f"model.random_seed = {seed}")
    torch.set_rng_state(before)
    assert same(tmp_path / "a", tmp_path / "b")
    first, other = weights(tmp_path / "a"), weights(tmp_path / "c")
    assert not torch.equal(first["encoder.first.weight"], other["encoder.first.weight"])


def test_a_resumed_run_goes_on_with_the_same_dropout(tiny, tmp_path, monkeypatch):
    train(tmp_path / "whole")
    interrupt_at(5, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "killed", checkpoint_every=2)
    monkeypatch.undo()
    train(tmp_path / "killed", checkpoint_every=2)
    assert same(tmp_path / "whole", tmp_path / "killed")


def test_reading_and_checking_leave_no_trace(tiny, tmp_path):
    """The generators are those of the fixture; the statistics of the batches are those of the steps alone."""
    train(tmp_path / "m", "model.training_steps = 0")
    stored = weights(tmp_path / "m")
    assert stored["encoder.norm.num_batches_tracked"] == 0
    assert not stored["encoder.norm.running_mean"].any()
    TorchBackend(device="cpu").read(tmp_path / "m")


class Changed(nn.Module):
    """A network whose output is changed."""

    def __init__(self, network, function):
        super().__init__()
        self.network, self.function = network, function
        self.image_shape, self.num_latent = (16, 16, 1), 3

    def forward(self, given):
        return self.function(self.network(given))


def without(module, attribute):
    delattr(module, attribute)
    return module


ENCODERS = {
    "nothing": (lambda *sizes: None, "must be a torch.nn.Module; its function returns a NoneType"),
    "function": (lambda *sizes: len, "must be a torch.nn.Module; its function returns a builtin_function"),
    "no_size": (lambda *sizes: without(Encoder(*sizes), "num_latent"), "have the attribute num_latent, here 3"),
    "no_shape": (lambda *sizes: without(Encoder(*sizes), "image_shape"), "attribute image_shape, here .16, 16, 1"),
    "other_size": (lambda shape, num: Encoder(shape, num + 1), "attribute num_latent, here 3; it has 4"),
    "one": (lambda *sizes: Changed(Encoder(*sizes), lambda out: out[0]), "two tensors.*it gives a tensor"),
    "listed": (
        lambda *sizes: Changed(Encoder(*sizes), list),
        "a tuple of two tensors.*it gives a list of 2",
    ),
    "wide": (lambda shape, num: Changed(Encoder(shape, num + 1), tuple), r"means of shape \(2, 3\).*\(2, 4\)"),
    "narrow": (
        lambda *sizes: Changed(Encoder(*sizes), lambda out: (out[0], out[1][:, :1])),
        r"log variances of shape \(2, 3\), float32.*a tensor of shape \(2, 1\)",
    ),
    "double": (
        lambda *sizes: Changed(Encoder(*sizes), lambda out: (out[0].double(), out[1])),
        "means of shape .*float32.*it gives a tensor of shape .*float64",
    ),
    "all_double": (lambda *sizes: Encoder(*sizes).double(), "cannot be applied to .*RuntimeError"),
    "none": (lambda *sizes: Changed(Encoder(*sizes), lambda out: None), "it gives None"),
}
DECODERS = {
    "channels_first": (
        lambda *sizes: Changed(Decoder(*sizes), lambda out: out.permute(0, 3, 1, 2)),
        r"images of shape \(2, 16, 16, 1\), float32.*it gives a tensor of shape \(2, 1, 16, 16\)",
    ),
    "one_pixel": (lambda *sizes: Changed(Decoder(*sizes), lambda out: out[:, :1, :1]), r"\(2, 1, 1, 1\)"),
    "double": (lambda *sizes: Changed(Decoder(*sizes), torch.Tensor.double), "float64"),
    "pair": (lambda *sizes: Changed(Decoder(*sizes), lambda out: (out, out)), "it gives a tuple of 2"),
}


@pytest.mark.parametrize(
    ("kind", "case"), [*(("encoder", case) for case in ENCODERS), *(("decoder", case) for case in DECODERS)]
)
def test_networks_that_do_not_fit_are_refused_before_training(kind, case, tiny, tmp_path, monkeypatch):
    make, message = {"encoder": ENCODERS, "decoder": DECODERS}[kind][case]
    name = f"unfit_{case}_{kind}"
    architecture(name, kind)(lambda image_shape, num_latent, generator=None: make(image_shape, num_latent))
    monkeypatch.setattr(Trainer, "step", lambda self: pytest.fail("training has started"))
    loss = "reconstruction_loss.loss_fn = @l2_loss"
    with pytest.raises(errors.InvalidInput, match=f"The {kind} '{name}' .*{message}"):
        train(tmp_path / "m", f"{kind}.{kind}_fn = @{name}", loss)


def test_a_function_that_does_not_take_what_is_supplied():
    with pytest.raises(errors.InvalidInput, match=r"image_shape, num_latent, generator; it takes \(shape\)"):
        architecture("own_short", "encoder")(lambda shape: None)
    with pytest.raises(errors.UnknownName, match="own_short"):
        make_saved("encoder", "own_short", "torch")
