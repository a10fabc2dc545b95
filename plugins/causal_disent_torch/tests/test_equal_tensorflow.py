"""Torch and TensorFlow from the same weights, batch and noise: every term, every gradient, ten steps, the folders.

In double precision, so that what differs is no rounding: ten steps against a discriminator make much of it.
TensorFlow runs in a process of its own: by the interpreter that CAUSAL_DISENT_TF_PYTHON names, or by the running
one.
"""

import importlib.util
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch import losses
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.losses import discriminator_loss
from causal_disent_torch.networks import (
    ConvEncoder,
    DeconvDecoder,
    FcDecoder,
    FcEncoder,
    LinearDecoder,
    LinearEncoder,
)
from causal_disent_torch.saved import save_model
from causal_disent_torch.training import make_trainer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from training_configs import SUPERVISED, UNSUPERVISED, supervised, unsupervised

from causal_disent.training.objective import Given, forward, terms_of

PLUGINS = Path(__file__).parents[2]
SIDE = PLUGINS / "causal_disent_tf/tests"
sys.path.append(str(SIDE))

from equal_case import arrays_of, given_of, trainer_of  # noqa: E402

INTERPRETER = os.environ.get("CAUSAL_DISENT_TF_PYTHON") or (
    sys.executable if importlib.util.find_spec("tensorflow") else None
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        INTERPRETER is None,
        reason="TensorFlow is not installed here, and CAUSAL_DISENT_TF_PYTHON names no interpreter that has it",
    ),
]
STEPS = 10
#: Nearly the papers' 0.0001; Keras keeps a rate in single precision, which has this one exactly.
RATE = 2**-13


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Arrays and a request -> what TensorFlow finds, by one process for the tests of this module."""
    folder = tmp_path_factory.mktemp("exchanged")
    paths = [str(PLUGINS.parent), str(PLUGINS / "causal_disent_tf"), str(SIDE)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["KERAS_BACKEND"] = "tensorflow"  # the tests of an environment without it have torch
    process = subprocess.Popen(
        [INTERPRETER, str(SIDE / "tf_side.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(folder / "errors").open("w"),
        text=True,
        env=environment,
    )

    def asked(arrays, **request):
        files = {"given": str(folder / "given.npz"), "found": str(folder / "found.npz")}
        np.savez(files["given"], **arrays)
        process.stdin.write(json.dumps({**files, **request}) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "done\n", (folder / "errors").read_text()[-3000:]
        return np.load(files["found"])

    yield asked
    process.stdin.close()
    process.wait()


#: Architecture -> its pair of names, and the sizes of images that it takes.
PAIRS = {"conv": ("conv_encoder", "deconv_decoder"), "fc": ("fc_encoder", "fc_decoder")}
SUPERVISIONS = [
    ["supervised_loss.loss_fn = @xent"],
    ["supervised_loss.loss_fn = @l2"],
    ["supervised_loss.loss_fn = @l2", "l2.learn_scale = False"],
    ["supervised_loss.loss_fn = @cov"],
    ["embed.sigma = 'learn'"],
    ["embed.sigma = 1.5", "embed.use_order = True"],
]


@st.composite
def cases(draw, name):
    """Bindings, image shape, number of codes, batch size, first step and seed of a case of that model."""
    side = st.sampled_from([16, 32])
    shape = (draw(side), draw(side), draw(st.sampled_from([1, 3])))
    num_latent, batch = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    encoder, decoder = PAIRS[draw(st.sampled_from(sorted(PAIRS)))]
    number = st.floats(0.5, 20, width=16)
    more = [
        f"encoder.num_latent = {num_latent}",
        f"encoder.encoder_fn = @{encoder}",
        f"decoder.decoder_fn = @{decoder}",
        f"reconstruction_loss.loss_fn = @{draw(st.sampled_from(['bernoulli_loss', 'l2_loss']))}",
        f"reconstruction_loss.activation = '{draw(st.sampled_from(['logits', 'tanh']))}'",
        f"bernoulli_loss.subtract_true_image_entropy = {draw(st.booleans())}",
        *(f"{owner}/AdamOptimizer.learning_rate = {RATE}" for owner in ("vae", "discriminator")),
    ]
    own = [line.split(" =")[0] for line in {**UNSUPERVISED, **SUPERVISED}[name]]
    weighted = [parameter for parameter in own if not parameter.endswith(("dip_type", "threshold"))]
    more += [f"{parameter} = {draw(number)}" for parameter in weighted]
    if "dip_vae" in name:
        more.append(f"{name}.dip_type = '{draw(st.sampled_from(['i', 'ii']))}'")
    if name in SUPERVISED:
        more += [f"{name}.gamma_sup = {draw(number)}", *draw(st.sampled_from(SUPERVISIONS))]
    bindings = (supervised if name in SUPERVISED else unsupervised)(name, *more)
    return bindings, shape, num_latent, batch, draw(st.integers(1, 12)), draw(st.integers(0, 2**16))


def double(array):
    """A tensor, of double precision if it has fractions."""
    tensor = torch.from_numpy(array)
    return tensor.double() if tensor.is_floating_point() else tensor


def torch_steps(trainer, arrays, first):
    """What `tf_side.compare` finds, found by torch."""
    found, weights = {}, trainer.networks.state_dict(keep_vars=True)
    for step in range(first, first + STEPS):
        batch = Given(**given_of(trainer, arrays, step, double))
        passed = forward(trainer.networks, trainer.objective, trainer.reconstruction, losses, batch)
        terms = terms_of(trainer.objective, trainer.reconstruction, passed)
        for optimizer in trainer.optimizers.values():
            optimizer.zero_grad()
        own = [weight for name, weight in weights.items() if not name.startswith("discriminator.")]
        terms["loss"].backward(inputs=own, retain_graph=True)
        if trainer.objective.discriminates:
            discriminator = trainer.networks["discriminator"]
            shuffled = passed.codes.detach().gather(0, torch.from_numpy(arrays["order"]))
            terms["discriminator_loss"] = discriminator_loss(passed.logits, discriminator(shuffled))
            terms["discriminator_loss"].backward(inputs=list(discriminator.parameters()))
        if step == first:
            found.update({f"gradient {name}": weight.grad.numpy().copy() for name, weight in weights.items()})
        for optimizer in trainer.optimizers.values():
            optimizer.step()
        found.update({f"term {step} {name}": term.detach().numpy() for name, term in terms.items()})
    return {**found, **{f"weight {name}": weight.detach().numpy() for name, weight in weights.items()}}


@pytest.mark.parametrize("name", [*UNSUPERVISED, *SUPERVISED])
def test_terms_gradients_and_ten_steps(name, ask):
    @settings(
        max_examples=3,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        phases=[Phase.generate],
    )
    @given(case=cases(name))
    def agree(case):
        bindings, shape, num_latent, batch, first, seed = case
        arrays = arrays_of(shape, num_latent, batch, seed)
        trainer = trainer_of("torch", partial(make_trainer, device=torch.device("cpu")), bindings, arrays)
        trainer.networks.double()
        state = {f"weight {key}": value.numpy().copy() for key, value in trainer.networks.state_dict().items()}
        expected = torch_steps(trainer, arrays, first)
        found = ask({**arrays, **state}, bindings=bindings, first=first, steps=STEPS)
        assert sorted(found) == sorted(expected)
        for key, value in expected.items():
            kind = key.split()[0]
            tolerance = 1e-5 if kind == "gradient" or key.startswith(f"term {first} ") else 1e-4
            assert np.linalg.norm(found[key] - value) <= tolerance * np.linalg.norm(value) + 1e-12, key

    agree()


@pytest.mark.parametrize(
    ("encoder", "decoder", "activation"),
    [
        (ConvEncoder, DeconvDecoder, "logits"),
        (FcEncoder, FcDecoder, "tanh"),
        (LinearEncoder, LinearDecoder, "logits"),
    ],
)
def test_a_folder_goes_there_and_back(ask, encoder, decoder, activation, tmp_path):
    shape, draw = (32, 16, 3), torch.Generator().manual_seed(1)
    save_model(tmp_path / "ours/model", encoder(shape, 4, draw), decoder(shape, 4, draw), activation)
    images = np.random.default_rng(0).random((5, *shape), np.float32)
    found = ask({"images": images}, folder=str(tmp_path / "ours"), copy=str(tmp_path / "theirs"))
    for folder in ("ours", "theirs"):
        model = TorchBackend(device="cpu").read(tmp_path / folder)
        codes = model(images)
        np.testing.assert_allclose(found["codes"], codes, atol=1e-5)
        np.testing.assert_allclose(found["log_var"], model.gaussian_encoder(images)[1], atol=1e-5)
        np.testing.assert_allclose(found["pictures"], model.decode(codes), atol=1e-5)
    assert (tmp_path / "ours/model/weights.safetensors").stat().st_size > 1000
