"""``keras_module``: Keras models from files and from Python as a representation that configs name."""

import numpy as np
import pytest

from causal_disent import errors, get_representation
from causal_disent.data.array_data import ArrayDataset

pytestmark = pytest.mark.usefixtures("tf")


@pytest.fixture
def data():
    draw = np.random.default_rng(0)
    return ArrayDataset(draw.integers(0, 256, (6, 4, 4, 1), np.uint8), np.indices((3, 2)).reshape(2, -1).T)


@pytest.fixture
def pair(tf):
    """An encoder and a decoder that gives logits."""
    layers = tf.keras.layers
    encoder = tf.keras.Sequential([tf.keras.Input((4, 4, 1)), layers.Flatten(), layers.Dense(3)])
    return encoder, tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(16), layers.Reshape((4, 4, 1))])


def test_files_and_models_give_the_same(tmp_path, data, pair):
    encoder, decoder = pair
    encoder.save(tmp_path / "encoder.keras")
    decoder.save(tmp_path / "decoder.h5")
    files = {"encoder": str(tmp_path / "encoder.keras"), "decoder": str(tmp_path / "decoder.h5")}
    images = data.observations(np.arange(6))
    for parts in ({"encoder": encoder, "decoder": decoder}, files):
        model = get_representation("keras_module", data, activation="logits", **parts)
        codes = model(images)
        np.testing.assert_allclose(codes, encoder(images).numpy(), atol=1e-6)
        expected = 1 / (1 + np.exp(-decoder(codes).numpy()))
        np.testing.assert_allclose(model.decode(codes), expected, atol=1e-6)


def test_a_file_with_code_is_refused(tmp_path, data, tf):
    layers = [tf.keras.Input((4, 4, 1)), tf.keras.layers.Lambda(lambda x: x), tf.keras.layers.Flatten()]
    tf.keras.Sequential(layers).save(tmp_path / "encoder.keras")
    with pytest.raises(
        errors.InvalidInput, match="not known to be harmless: Lambda.*bind keras_module.trust = True"
    ):
        get_representation("keras_module", data, encoder=str(tmp_path / "encoder.keras"))


def test_a_folder_that_trusts_itself_runs_nothing(tmp_path, tf, capsys):
    """A stranger's folder with code in its model; whoever passes --gin_bindings has it run."""
    from causal_disent.cli.dlib import dlib_evaluate as main

    layers = [tf.keras.Input((64, 64, 1)), tf.keras.layers.Lambda(lambda x: x), tf.keras.layers.Flatten()]
    tf.keras.Sequential(layers).save(tmp_path / "encoder.keras")
    named = f"representation.name = 'keras_module'\nkeras_module.encoder = '{tmp_path / 'encoder.keras'}'\n"
    (tmp_path / "representation.gin").write_text(f"{named}keras_module.trust = True\n")
    words = ["--input_dir", str(tmp_path), "--output_dir", str(tmp_path.with_name("scores"))]
    words += ["--gin_config", "metrics/irs.gin", "--gin_bindings", "irs.num_train = 60"]
    words += ["--gin_bindings", "dataset.name = 'dummy_data'"]
    assert main(words) == 2
    assert "'keras_module.trust' cannot be bound here" in capsys.readouterr().err
    (tmp_path / "representation.gin").write_text(named)
    assert main(words) == 2
    assert "not known to be harmless: Lambda" in capsys.readouterr().err
    assert main([*words, "--gin_bindings", "keras_module.trust = True"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "must bind keras_module.encoder"),
        ({"encoder": "encoder.pt"}, "ending with .keras or .h5; given: encoder.pt"),
        ({"encoder": "nowhere.keras"}, "There is no file nowhere.keras"),
        ({"encoder": 7}, "keras_module.encoder must be"),
        ({"encoder": len, "decoder": dict}, "keras_module.decoder must be"),
    ],
)
def test_what_is_wrong_is_told(options, message, data):
    with pytest.raises(errors.CausalDisentError, match=message):
        get_representation("keras_module", data, **options)
