"""Models trained by the program, saved, and read back as causal models."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from causal_disent_crl import plugin  # noqa: E402
from causal_disent_torch import TorchRepresentation  # noqa: E402
from causal_disent_torch.backend import TorchBackend  # noqa: E402
from small_models import SHAPE, small_data  # noqa: E402

from causal_disent.errors import CausalDisentError, InvalidInput  # noqa: E402
from causal_disent.registry import Entry, Register, registry  # noqa: E402
from causal_disent.runs.postprocess import postprocess_with_gin  # noqa: E402
from causal_disent.runs.train import train_with_gin  # noqa: E402
from causal_disent.testing import parametrize_checks  # noqa: E402

ENTRIES = []
plugin.register_models(Register("models", "causal_disent_crl", ENTRIES.append))
SHORT = [
    "dataset.name = 'small_crl'",
    "model.training_steps = 2",
    "model.batch_size = 8",
    "model.eval_steps = 1",
    "causal_decoder.hidden = [8]",
    "crl_encoder.hidden = [8]",
]


@pytest.fixture(autouse=True)
def small_crl():
    """A data set that configs can name."""
    restore = registry.replace(Entry("datasets", "small_crl", "tests", small_data, "small", {}))
    yield
    restore()


@parametrize_checks("models", ENTRIES)
def test_every_model_passes_the_checks(check):
    check()


def train(folder, config, *more):
    return train_with_gin(folder, gin_config_files=[f"models/{config}.gin"], gin_bindings=[*SHORT, *more])


def read(folder):
    return TorchBackend(device="cpu").read(folder, small_data())


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model folder of causal_vae, with a graph that has strong edges."""
    folder = tmp_path_factory.mktemp("models") / "causal_vae"
    with pytest.MonkeyPatch.context():
        restore = registry.replace(Entry("datasets", "small_crl", "tests", small_data, "small", {}))
        train(folder, "causal_vae", "causal_vae.initial = 'published'")
        restore()
    return folder


def test_a_model_that_was_read_is_a_causal_model(trained):
    model, data = read(trained), small_data()
    images = data.observations(np.arange(6))
    codes = model(images)
    assert codes.shape == (6, 16)
    assert model.concepts == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    assert model.concept_names == ["light", "place", "edge", "shade"]
    assert model.adjacency.shape == (4, 4) and (np.diag(model.adjacency) == 0).all()
    np.testing.assert_allclose(model.causal_layer(model.noise(images)), codes, atol=1e-5)
    cut = model.causal_layer(model.noise(images), adjacency=np.zeros((4, 4)))
    np.testing.assert_allclose(cut, model.noise(images), atol=1e-5)
    assert model.decode(codes).shape == (6, *SHAPE)
    assert model.masked(codes).shape == codes.shape


def test_values_are_in_the_units_of_the_factors(trained):
    model, data = read(trained), small_data()
    codes = model(data.observations(np.arange(6)))
    table = data.factor_table.astype(float).to_numpy()
    expected = codes.reshape(6, 4, 4).mean(axis=2) * table.std(axis=0) + table.mean(axis=0)
    np.testing.assert_allclose(model.concept_values(codes), expected, rtol=1e-4)


def test_a_concept_that_is_set_has_its_value_and_moves_what_it_causes(trained):
    model, data = read(trained), small_data()
    codes = model(data.observations(np.arange(6)))
    wanted = np.linspace(0, 9, 6)
    after = model.intervene(codes, {2: wanted, 3: 5.0})
    values = model.concept_values(after)
    np.testing.assert_allclose(values[:, 2], wanted, atol=1e-4)
    np.testing.assert_allclose(values[:, 3], 5.0, atol=1e-4)
    assert not np.allclose(model.intervene(codes, {0: 3.0})[:, 4:8], codes[:, 4:8], atol=1e-3)
    np.testing.assert_array_equal(model.intervene(codes, {}), codes)
    same = model.intervene(model.intervene(codes, {0: 3.0}), {})
    assert same.shape == codes.shape


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ({4: 1.0}, "from 0 to 3; given: 4"),
        ({"angle": 1.0}, "given: 'angle'"),
        ({0: np.nan}, "finite number"),
        ({0: np.zeros(5)}, "one for each of 6 rows"),
    ],
)
def test_what_cannot_be_set_is_an_error(trained, do, message):
    model = read(trained)
    with pytest.raises(InvalidInput, match=message):
        model.intervene(np.zeros((6, 16)), do)


def test_names_and_units_are_saved_with_the_model(trained):
    options = json.loads((trained / "model/model.json").read_text())["options"]["decoder"]
    assert options["names"] == ["light", "place", "edge", "shade"]
    assert len(options["centre"]) == len(options["scale"]) == 4


def test_a_postprocessed_model_is_a_causal_model_still(trained, tmp_path):
    bindings = ["postprocess.postprocess_fn = @mean_representation", "postprocess.random_seed = 0"]
    postprocess_with_gin(trained, tmp_path / "mean", gin_bindings=bindings)
    model, images = read(tmp_path / "mean"), small_data().observations(np.arange(3))
    assert model.concept_names == ["light", "place", "edge", "shade"]
    np.testing.assert_allclose(model(images), read(trained)(images), atol=1e-6)


def test_codes_can_be_drawn(trained):
    backend, model = TorchBackend(device="cpu"), read(trained)
    images = small_data().observations(np.arange(4))
    drawn = type(model)(model.encoder, model.decoder, sample_seed=0)
    again = type(model)(model.encoder, model.decoder, sample_seed=0)
    first = drawn(images)
    np.testing.assert_array_equal(first, again(images))
    assert not np.allclose(first, backend.read(trained)(images), atol=1e-3)


@pytest.mark.parametrize("config", ["do_vae", "ladder_vae", "condition_vae", "causal_vae_small"])
def test_the_shipped_configs_train(config, tmp_path):
    more = {
        "ladder_vae": ["ladder_encoder.hidden = [8, 8]", "ladder_decoder.hidden = [8, 8]"],
        "condition_vae": ["condition_encoder.hidden = [8, 8]", "crl_decoder.hidden = [8]"],
    }
    scores = train(tmp_path / "model", config, *more.get(config, []))
    assert np.isfinite(scores["loss"]) and scores["reconstruction_loss"] > 0
    model = read(tmp_path / "model")
    assert isinstance(model, TorchRepresentation)
    codes = model(small_data().observations(np.arange(3)))
    assert model.decode(codes).shape == (3, *SHAPE)


def test_the_faithful_config_trains(tmp_path):
    more = ["causal_vae.scaling = 'min_max'"]  # the data set here has no published one
    train(tmp_path / "model", "causal_vae_faithful", *more)
    assert np.diag(read(tmp_path / "model").adjacency).any()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("causal_vae.labelled_fraction = 0", "labelled_fraction"),
        ("causal_vae.factors = ['angle']", "angle"),
        ("causal_decoder.concepts = 2", "2 concepts for 4 factors"),
        ("causal_vae.initial = 'graph'", "graph"),
        ("decoder.decoder_fn = @fc_decoder", "@causal_decoder"),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(line, message, tmp_path):
    with pytest.raises(CausalDisentError, match=message):
        train(tmp_path / "model", "causal_vae", line)
    assert list(tmp_path.iterdir()) == []
