"""A Keras file or a SavedModel of anybody's, given to ``dlib_evaluate`` as it is."""

import json
import shutil
import zipfile

import h5py
import numpy as np
import pytest

from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.errors import InvalidInput

pytest.importorskip("tensorflow")
import tensorflow as tf
from causal_disent_tf import TfBackend
from causal_disent_tf.keras_files import load_keras

keras, layers = tf.keras, tf.keras.layers
SHAPE, CODES = (8, 8, 1), 4


class Data:
    observation_shape = SHAPE


@pytest.fixture(scope="module")
def models():
    """An encoder that gives mean and log variance, and a decoder of pixels."""
    keras.utils.set_random_seed(0)
    images, codes = keras.Input(SHAPE), keras.Input((CODES,))
    hidden = layers.Dropout(0.9)(layers.Conv2D(4, 3, strides=2, activation="relu")(images))
    hidden = layers.Flatten()(layers.BatchNormalization()(hidden))
    encoder = keras.Model(images, [layers.Dense(CODES)(hidden), layers.Dense(CODES)(hidden)])
    decoder = keras.Model(codes, layers.Reshape(SHAPE)(layers.Dense(64, activation="sigmoid")(codes)))
    return {"encoder": encoder, "decoder": decoder}


@pytest.fixture(scope="module")
def places(models, tmp_path_factory):
    """Way of saving -> role -> path."""
    root = tmp_path_factory.mktemp("any")
    found = {
        way: {role: root / f"{role}{way}" for role in models} for way in (".keras", ".h5", "_saved", "_export")
    }
    for role, model in models.items():
        model.save(found[".keras"][role])
        model.save(found[".h5"][role])
        tf.saved_model.save(model, str(found["_saved"][role]))
        model.export(str(found["_export"][role]), verbose=False)
    return found


@pytest.mark.parametrize("way", [".keras", ".h5", "_saved", "_export"])
def test_codes_and_images_are_those_of_the_model(models, places, way):
    paths = places[way]
    found = TfBackend().read(paths["encoder"], Data(), model_dir=paths["decoder"])
    images = np.random.RandomState(0).uniform(size=(300, *SHAPE)).astype(np.float32)
    codes = np.asarray(models["encoder"](images, training=False)[0])
    np.testing.assert_allclose(found(images), codes, atol=1e-5)
    np.testing.assert_allclose(found.decode(codes), models["decoder"](codes), atol=1e-5)
    assert found.folders == {"representation": paths["encoder"], "decoder": paths["decoder"]}
    assert not hasattr(TfBackend().read(paths["encoder"]), "decode")


def test_a_decoder_of_another_kind_is_taken_too(places):
    found = TfBackend().read(places[".keras"]["encoder"], model_dir=places["_export"]["decoder"])
    assert found.decode(np.zeros((2, CODES))).shape == (2, *SHAPE)


@pytest.mark.parametrize("way", [".keras", "_export"])
def test_the_command(tmp_path, capsys, way):
    model = keras.Sequential([keras.Input((64, 64, 1)), layers.AveragePooling2D(32), layers.Flatten()])
    path = tmp_path / f"mine{way}"
    model.save(path) if way == ".keras" else model.export(str(path), verbose=False)
    words = ["--input_dir", str(path), "--gin_config", "metrics/irs.gin", "--gin_bindings", "irs.num_train = 60"]
    assert main([*words, "--output_dir", str(tmp_path / "none")]) == 2
    assert "The config names no data set" in capsys.readouterr().err
    bound = ["--gin_bindings", "dataset.name = 'dummy_data'"]
    assert main([*words, *bound, "--output_dir", str(tmp_path / "scores")]) == 0
    scores = json.loads((tmp_path / "scores/results/json/evaluation_results.json").read_text())
    assert 0 <= scores["IRS"] <= 1
    assert (scores["backend"], scores["folder_of_representation"]) == ("tf", str(path))
    other = ["--gin_bindings", "dataset.name = 'candle_mini'", "--output_dir", str(tmp_path / "other")]
    assert main([*words, *other]) == 2
    assert "takes images of shape (64, 64, 1), and those of the data set have shape" in capsys.readouterr().err


def test_files_that_are_no_models(tmp_path, capsys):
    (tmp_path / "codes.npz").write_bytes(b"")
    words = ["--output_dir", str(tmp_path / "out"), "--gin_config", "metrics/irs.gin", "--input_dir"]
    assert main([*words, str(tmp_path / "codes.npz")]) == 2
    assert "codes.npz holds no model: none of the backends" in capsys.readouterr().err
    (tmp_path / "damaged.keras").write_bytes(b"PK")
    dataset = ["--gin_bindings", "dataset.name = 'dummy_data'"]
    assert main([*words, str(tmp_path / "damaged.keras"), *dataset]) == 2
    assert "it is no whole .keras file" in capsys.readouterr().err
    assert main([*words, str(tmp_path / "nowhere.keras"), *dataset]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_pairs_that_do_not_belong_together(places):
    with pytest.raises(InvalidInput, match="they belong to different models"):
        TfBackend().read(places[".keras"]["encoder"], model_dir=places[".keras"]["encoder"])


def test_models_of_several_inputs_or_named_outputs(tmp_path):
    one, other = keras.Input((3,)), keras.Input((3,))
    keras.Model([one, other], layers.Add()([one, other])).save(tmp_path / "two.keras")
    with pytest.raises(InvalidInput, match="must take one tensor; it takes"):
        TfBackend().read(tmp_path / "two.keras")
    keras.Model(one, {"codes": layers.Dense(2)(one), "more": layers.Dense(2)(one)}).save(tmp_path / "named.keras")
    with pytest.raises(InvalidInput, match="must give a tensor, or a list that begins with"):
        TfBackend().read(tmp_path / "named.keras")(np.zeros((2, 3)))


def test_logits_are_told_from_pixels(places, tmp_path):
    keras.Sequential([keras.Input((CODES,)), layers.Rescaling(9), layers.Dense(64), layers.Reshape(SHAPE)]).save(
        tmp_path / "logits.keras"
    )
    found = TfBackend().read(places[".keras"]["encoder"], model_dir=tmp_path / "logits.keras")
    with pytest.raises(InvalidInput, match=r"images are in \[0, 1\].*keras_module.activation"):
        found.decode(np.ones((2, CODES)))


def test_code_is_refused_and_trust_is_named(tmp_path):
    keras.Sequential([keras.Input(SHAPE), layers.Lambda(lambda images: images)]).save(tmp_path / "code.keras")
    with pytest.raises(InvalidInput, match=r"not known to be harmless: Lambda.*pass --trust\."):
        TfBackend().read(tmp_path / "code.keras")


@pytest.mark.parametrize("way", [".keras", ".h5"])
def test_a_layer_larger_than_its_weights_takes_no_memory(places, tmp_path, way):
    path, huge = tmp_path / f"huge{way}", (f'"units": {CODES}', '"units": 500000000000')
    shutil.copy(places[way]["encoder"], path)
    if way == ".h5":
        with h5py.File(path, "r+") as file:
            file.attrs["model_config"] = file.attrs["model_config"].replace(*huge)
    else:
        with zipfile.ZipFile(places[way]["encoder"]) as source, zipfile.ZipFile(path, "w") as target:
            for name in source.namelist():
                content = source.read(name)
                target.writestr(name, content.decode().replace(*huge) if name == "config.json" else content)
    with pytest.raises(InvalidInput, match=r"Keras cannot load it: ValueError"):
        load_keras(path)


def test_arrays_that_hold_nothing_take_no_memory(places, tmp_path):
    shutil.copy(places[".h5"]["encoder"], tmp_path / "hollow.h5")
    with h5py.File(tmp_path / "hollow.h5", "r+") as file:
        file.create_dataset("hollow", (10**6, 10**6), np.float32, chunks=(1000, 1000))
    with pytest.raises(InvalidInput, match="its arrays would take 4,000,0"):
        load_keras(tmp_path / "hollow.h5")
