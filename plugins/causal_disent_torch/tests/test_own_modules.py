"""A user's own modules: bound in a config, trained in a config, and read again."""

import json
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.networks import LinearDecoder, LinearEncoder
from safetensors.torch import save_file
from training_configs import unsupervised

from causal_disent import errors, evaluate_with_gin, get_representation
from causal_disent.runs.train import train_with_gin

pytestmark = pytest.mark.usefixtures("global_generators")

PIXELS = """
import gin
import torch


@gin.configurable
class PixelEncoder(torch.nn.Module):
    '''Codes are the means of the rows of pixels, times a number that a config can bind.'''

    def __init__(self, scale=1.0):
        super().__init__()
        self.scale = scale

    def forward(self, images):
        assert not self.training
        return images.mean((2, 3)) * self.scale
"""
ROWS = """
import torch
from causal_disent_torch import architecture


@architecture("row_encoder", "encoder")
def row_encoder(image_shape, num_latent, generator=None, scale=1.0):
    return Rows(image_shape, num_latent, scale)


class Rows(torch.nn.Module):
    '''The means of the first rows, times weights.'''

    def __init__(self, image_shape, num_latent, scale):
        super().__init__()
        self.image_shape, self.num_latent = image_shape, num_latent
        self.weight = torch.nn.Parameter(torch.full((num_latent,), scale))

    def forward(self, images):
        mean = images.mean((2, 3))[:, : self.num_latent] * self.weight
        return mean, torch.zeros_like(mean)
"""


@pytest.fixture
def own_package(tmp_path, monkeypatch):
    """A function that puts a module of a user's own on the path, for a config to import."""
    name = f"own_networks_{tmp_path.name}"

    def write(text):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return name

    yield write
    sys.modules.pop(name, None)


def test_a_module_bound_in_a_config(own_package, tiny, tmp_path):
    module = own_package(PIXELS)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "representation.gin").write_text("representation.name = 'torch_module'\n")
    (tmp_path / "own.gin").write_text(
        textwrap.dedent(f"""
        import {module}
        torch_module.encoder = @{module}.PixelEncoder()
        torch_module.device = 'cpu'
        PixelEncoder.scale = 2.0
        dataset.name = 'tiny'
        """)
    )
    scores = evaluate_with_gin(
        tmp_path / "m",
        tmp_path / "e",
        gin_config_files=["metrics/irs.gin", tmp_path / "own.gin"],
        gin_bindings=["irs.num_train = 100", "dataset.name = 'tiny'"],
    )
    assert 0 <= scores["IRS"] <= 1 and scores["num_active_dims"] > 0


def test_a_module_with_stored_weights(tiny, tmp_path):
    shape = (16, 16, 1)
    trained = LinearEncoder(shape, 2, torch.Generator().manual_seed(8))
    decoder = LinearDecoder(shape, 2, torch.Generator().manual_seed(9))
    parts = torch.nn.ModuleDict({"encoder": trained, "decoder": decoder})
    save_file(parts.state_dict(), tmp_path / "w.safetensors")
    options = {"weights": str(tmp_path / "w.safetensors"), "device": "cpu", "activation": "logits"}
    model = get_representation(
        "torch_module", tiny, encoder=LinearEncoder(shape, 2), decoder=LinearDecoder(shape, 2), **options
    )
    images = tiny.observations(np.arange(9))
    with torch.no_grad():
        expected = trained(torch.from_numpy(images))[0].numpy()
        pixels = torch.sigmoid(decoder(torch.from_numpy(expected))).numpy()
    np.testing.assert_allclose(model(images), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.decode(expected), pixels, rtol=1e-5, atol=1e-6)
    with pytest.raises(errors.InvalidInput, match="does not fit the modules of torch_module"):
        get_representation("torch_module", tiny, encoder=LinearEncoder(shape, 3), **options)


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (None, "must bind torch_module.encoder"),
        (3, "torch_module.encoder must be"),
        (LinearEncoder, "torch_module.encoder must be .*with brackets"),
    ],
)
def test_what_is_no_module(encoder, message, tiny):
    with pytest.raises(errors.CausalDisentError, match=message):
        get_representation("torch_module", tiny, encoder=encoder)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"device": 5}, "torch_module.device must be text; given: 5"),
        ({"weights": 5}, "torch_module.weights must be"),
    ],
)
def test_options_that_cannot_be_used(option, message, tiny):
    with pytest.raises(errors.CausalDisentError, match=message):
        get_representation("torch_module", tiny, encoder=LinearEncoder((16, 16, 1), 2), **option)


def test_an_architecture_of_ones_own_is_trained_and_read_again(own_package, tiny, tmp_path):
    module = own_package(ROWS)
    (tmp_path / "own.gin").write_text(f"import {module}\nrow_encoder.scale = 0.5\n")
    bindings = [*unsupervised("vae"), "encoder.encoder_fn = @row_encoder"]
    train_with_gin(tmp_path / "m", False, [tmp_path / "own.gin"], bindings, device="cpu")
    model = TorchBackend(device="cpu").read(tmp_path / "m", tiny)
    weight = model.encoder.weight.detach().numpy()
    assert not np.array_equal(weight, np.full(3, 0.5, np.float32)), "it was trained"
    images = tiny.observations(np.arange(9))
    np.testing.assert_allclose(model(images), images.mean((2, 3))[:, :3] * weight, rtol=1e-5, atol=1e-6)
    program = (
        "from pathlib import Path; from causal_disent_torch.backend import TorchBackend; "
        f"TorchBackend(device='cpu').read(Path({str(tmp_path / 'm')!r}))"
    )
    elsewhere = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    message = f"Unknown encoder 'row_encoder'. .* comes from '{module}', a plugin that is not installed here or a"
    assert re.search(message, elsewhere.stderr)
    described = json.loads((tmp_path / "m" / "model" / "model.json").read_text())
    assert described["owners"] == {"encoder": module, "decoder": "causal_disent_torch"}


def test_the_plugin_is_found_without_importing_torch():
    program = (
        "import sys; from causal_disent.registry import registry; "
        "assert 'torch' in registry.names('backends') and 'torch_module' in registry.names('representations'); "
        "from causal_disent.config import gin_config; gin_config(['metrics/mig.gin']).__enter__(); "
        "print(sorted({'torch', 'safetensors', 'tensorflow'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
    broken = program.replace("import sys;", "import sys, torch;")
    found = subprocess.run([sys.executable, "-c", broken], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['torch']", "this test must be able to fail"
