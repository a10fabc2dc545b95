"""Networks of the published sizes: dense ones for Pendulum; convolutions for CelebA, which are trained."""

import math

import numpy as np
import pytest
import written_celeba as written

torch = pytest.importorskip("torch")

from causal_disent_crl import plugin  # noqa: E402
from causal_disent_crl.celeba import CelebaBeard  # noqa: E402
from causal_disent_crl.models.causal_decoder import CausalDecoder  # noqa: E402
from causal_disent_crl.models.causal_vae import causal_vae  # noqa: E402
from causal_disent_crl.models.condition_vae import ConditionEncoder, MlpDecoder  # noqa: E402
from causal_disent_crl.models.layers import MlpEncoder  # noqa: E402
from causal_disent_torch.backend import TorchBackend  # noqa: E402

from causal_disent.registry import Register, registry  # noqa: E402
from causal_disent.runs.train import train_with_gin  # noqa: E402

PENDULUM = (96, 96, 4)
#: Some images of each kind.
COUNTS = (1, 4, 0, 0, 3, 5, 1, 2, 1, 12, 0, 1, 4, 4, 1, 1)


def shapes(network):
    """Of the weights without biases."""
    return [tuple(weight.shape) for weight in network.parameters() if weight.ndim > 1]


def dense(network):
    """(given, made) of each dense layer."""
    return [(shape[1], shape[0]) for shape in shapes(network) if len(shape) == 2]


def test_the_dense_networks_of_pendulum():
    pixels = math.prod(PENDULUM)
    with torch.device("meta"):  # 170 million weights that take no memory
        encoder, decoder = MlpEncoder(PENDULUM, 16), CausalDecoder(PENDULUM, 16).images
        condition, conditioned = ConditionEncoder(PENDULUM, 20), MlpDecoder(PENDULUM, 20)
    assert dense(encoder) == [(pixels, 900), (900, 300), (300, 32)]
    assert [tuple(weight.shape) for weight in decoder.hidden.weights] == [
        (4, 4, 300),
        (4, 300, 300),
        (4, 300, 1024),
    ]
    assert dense(decoder.last) == [(4 * 1024, pixels)]  # the average of four last layers
    assert dense(condition)[:4] == [(pixels, 300), (304, 300), (300, 300), (300, 32)]
    assert dense(conditioned) == [(20, 300), (300, 300), (300, pixels)]


@pytest.fixture(scope="module")
def celeba(tmp_path_factory):
    """A folder with 40 faces."""
    folder = written.write(tmp_path_factory.mktemp("celeba"), counts=COUNTS)
    written.write_images(folder, sum(COUNTS))
    return folder


def test_the_convolutions_of_celeba_learn_from_a_tenth_of_the_labels(celeba, tmp_path):
    restores = []
    plugin.register_datasets(
        Register("datasets", "causal_disent_crl", lambda e: restores.append(registry.replace(e)))
    )
    bindings = [
        f"celeba_beard.folder = '{celeba}'",
        "celeba_beard.split = 'all'",
        "model.batch_size = 8",
        "model.training_steps = 2",
        "model.eval_steps = 1",
    ]
    try:
        train_with_gin(
            tmp_path / "model", gin_config_files=["models/causal_vae_celeba.gin"], gin_bindings=bindings
        )
    finally:
        for restore in restores:
            restore()
    data = CelebaBeard(celeba)
    model = TorchBackend(device="cpu").read(tmp_path / "model", data)
    sizes = [(3, 32), (32, 64), (64, 1), (1, 1)]
    assert shapes(model.encoder) == [*((made, given, 4, 4) for given, made in sizes), (128, 64)]
    (doubling, *others) = [shapes(net) for net in model.decoder.images.nets]
    ups = [(64, 64), (64, 32), (32, 32), (32, 32), (32, 3)]
    assert doubling == [(128, 16, 1, 1), (128, 64, 4, 4), *((given, made, 4, 4) for given, made in ups)]
    assert others == [doubling] * 3
    assert model.concept_names == ["age", "gender", "bald", "beard"]
    images = data.observations(data.factor_table.index.to_numpy()[:3])
    set_codes = model.intervene(model(images), {3: 1.0})
    np.testing.assert_allclose(model.concept_values(set_codes)[:, 3], 1.0, atol=1e-4)
    assert model.decode(set_codes).shape == (3, 128, 128, 3)


@pytest.mark.parametrize(("fraction", "number"), [(0.1, 4), (0.25, 10), (0.4, 16), (1.0, 40), (0.001, 1)])
def test_labels_of_10_to_40_percent(celeba, fraction, number):
    data = CelebaBeard(celeba)
    with torch.device("meta"):
        decoder = CausalDecoder((128, 128, 3), 64, images="conv")
    objective = causal_vae(labelled_fraction=fraction)
    objective.prepare(data, {"decoder": decoder}, 0)
    indices = data.factor_table.index.to_numpy()
    known = objective.labels.of(indices, torch.device("cpu"))[2]
    assert known.sum() == number
