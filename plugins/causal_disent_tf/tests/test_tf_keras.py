"""Keras files from strangers, and one's own models in configs."""

import json
import zipfile

import h5py
import numpy as np
import pytest
from causal_disent_tf import KerasClassifier
from causal_disent_tf.keras_files import ALLOWED, _check_classes, load_keras

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.config import gin_config
from causal_disent.data.array_data import ArrayDataset
from causal_disent.errors import InvalidInput
from causal_disent.registry import Entry, registry

SIZES = (3, 2)


class Data:
    """Images whose first pixels are the factors."""

    num_factors, factors_num_values, observation_shape = 2, SIZES, (4, 5, 1)
    factor_names = ("shape", "colour")

    def sample(self, num, random_state):
        factors = np.stack([random_state.randint(size, size=num) for size in SIZES], axis=1)
        images = np.zeros((num, *self.observation_shape), dtype=np.float32)
        images[:, 0, :2, 0] = factors / 2
        return factors, images


def expected(images):
    """What the models below say: certain of the first factor, even about the second."""
    first = np.round(images[:, 0, 0, 0] * 2).astype(int)
    return np.eye(3)[first], np.full((len(images), 2), 0.5)


@pytest.fixture(scope="module")
def make(tf):
    """Makes a model: ``make("list")``."""
    layers = tf.keras.layers

    def build(kind, channels_first=False):
        shape = (1, 4, 5) if channels_first else (4, 5, 1)
        images = layers.Input(shape)
        pixel = layers.Flatten()(images)
        hidden = layers.Dense(3, name="hidden")(pixel)
        even = layers.Dense(2, kernel_initializer="zeros", name="even")(pixel)
        if kind == "list":
            outputs = [layers.Softmax()(hidden), layers.Softmax()(even)]
        elif kind == "dict":
            outputs = {"colour": layers.Softmax()(even), "shape": layers.Softmax()(hidden)}
        elif kind == "joined":
            outputs = layers.Concatenate()([layers.Softmax()(hidden), layers.Softmax()(even)])
        elif kind == "sigmoid":
            outputs = layers.Activation("sigmoid")(layers.Concatenate()([hidden, even]))
        else:
            outputs = layers.Concatenate()([hidden, even])
        model = tf.keras.Model(images, outputs)
        # Three straight lines, the first largest at 0, the second at 0.5 and the third at 1.
        kernel = np.zeros((20, 3))
        kernel[0] = [-200, 0, 200]
        model.get_layer("hidden").set_weights([kernel, np.array([50, 0, -150])])
        return model

    return build


IMAGES = Data().sample(40, np.random.RandomState(1))[1]


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
@pytest.mark.parametrize("kind", ["list", "dict", "joined", "sigmoid"])
def test_both_layouts_from_both_formats(make, tmp_path, kind, suffix):
    path = tmp_path / f"model{suffix}"
    make(kind).save(path)
    output = "sigmoid" if kind == "sigmoid" else "softmax"
    classifier = KerasClassifier(Data(), str(path), output=output, batch_size=7)
    found = classifier.predict_proba(IMAGES)
    assert [table.shape for table in found] == [(40, 3), (40, 2)]
    assert all(np.allclose(table.sum(axis=1), 1) for table in found)
    if kind != "sigmoid":
        np.testing.assert_allclose(found[0], expected(IMAGES)[0], atol=1e-3)
    np.testing.assert_allclose(found[1], expected(IMAGES)[1], atol=1e-6)
    assert classifier.accuracy[0] == 1.0 or kind == "sigmoid"
    assert 0.4 < classifier.accuracy[1] < 0.6


def test_sigmoids_are_divided_by_their_sum(make, tmp_path):
    model = make("sigmoid")
    model.save(tmp_path / "m.keras")
    raw = model.predict(IMAGES, verbose=0).astype(np.float64)
    found = KerasClassifier(Data(), str(tmp_path / "m.keras"), output="sigmoid").predict_proba(IMAGES)
    np.testing.assert_allclose(found[0], raw[:, :3] / raw[:, :3].sum(axis=1, keepdims=True), atol=1e-6)


def test_sigmoids_that_are_all_zero_give_an_even_answer(make, tmp_path):
    model = make("sigmoid")
    model.get_layer("hidden").set_weights([np.zeros((20, 3)), np.full(3, -1e4)])
    model.save(tmp_path / "m.keras")
    found = KerasClassifier(Data(), str(tmp_path / "m.keras"), output="sigmoid").predict_proba(IMAGES)
    np.testing.assert_allclose(found[0], 1 / 3)


def test_channels_first(make, tmp_path):
    make("list", channels_first=True).save(tmp_path / "m.keras")
    found = KerasClassifier(Data(), str(tmp_path / "m.keras"), channel_order="channels_first")
    np.testing.assert_allclose(found.predict_proba(IMAGES)[0], expected(IMAGES)[0], atol=1e-3)
    with pytest.raises(InvalidInput, match=r"takes images of shape \(1, 4, 5\).*channel_order"):
        KerasClassifier(Data(), str(tmp_path / "m.keras"))


def test_the_same_seed_gives_the_same_accuracy(make, tmp_path):
    make("list").save(tmp_path / "m.keras")
    path = str(tmp_path / "m.keras")
    accuracies = [KerasClassifier(Data(), path, seed=seed, num_test=50).accuracy for seed in (0, 0, 1)]
    assert accuracies[0] == accuracies[1] != accuracies[2]


def test_outputs_that_are_no_probabilities(make, tmp_path):
    make("logits").save(tmp_path / "logits.keras")
    with pytest.raises(InvalidInput, match="no probabilities"):
        KerasClassifier(Data(), str(tmp_path / "logits.keras")).predict_proba(IMAGES)
    make("sigmoid").save(tmp_path / "sigmoid.keras")
    with pytest.raises(InvalidInput, match="keras_classifier.output = 'sigmoid'"):
        KerasClassifier(Data(), str(tmp_path / "sigmoid.keras")).predict_proba(IMAGES)


def test_outputs_of_another_data_set(make, tmp_path):
    class Other(Data):
        factors_num_values = (3, 4)

    make("list").save(tmp_path / "m.keras")
    with pytest.raises(InvalidInput, match=r"the factors have \[3, 4\] values"):
        KerasClassifier(Other(), str(tmp_path / "m.keras")).predict_proba(IMAGES)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "keras_classifier.path"),
        ({"path": "nowhere.keras"}, "There is no file nowhere.keras"),
        ({"path": "model.pkl"}, "ending with .keras or .h5"),
        ({"path": "m.keras", "output": "logits"}, "Unknown output 'logits'"),
        ({"path": "m.keras", "channel_order": "channel_last"}, "Did you mean 'channels_last'"),
        ({"path": "m.keras", "batch_size": 0}, "`batch_size` must be a whole number, at least 1"),
    ],
)
def test_wrong_options(options, reason):
    with pytest.raises(Exception, match=reason):
        KerasClassifier(Data(), **options)


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_code_in_a_file_does_not_run(tf, tmp_path, monkeypatch, suffix):
    target = tmp_path / "ran"
    monkeypatch.setenv("CAUSAL_DISENT_TEST_TARGET", str(target))
    layers = tf.keras.layers
    # A lambda is stored with its code, and finds nothing of this module when it is read.
    evil = layers.Lambda(
        lambda x: (open(__import__("os").environ["CAUSAL_DISENT_TEST_TARGET"], "w").close(), x)[1],
        output_shape=(4, 5, 1),
    )
    path = tmp_path / f"m{suffix}"
    tf.keras.Sequential([layers.Input((4, 5, 1)), evil]).save(path)
    target.unlink(missing_ok=True)
    with pytest.raises(InvalidInput, match="not known to be harmless: .*Lambda.*trust = True"):
        KerasClassifier(Data(), str(path))
    assert not target.exists()
    load_keras(path, trust=True)(IMAGES[:1])
    assert target.exists()


def archive(path, config, extra=()):
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("metadata.json", "{}")
        target.writestr("config.json", config if isinstance(config, str) else json.dumps(config))
        with h5py.File(path.with_suffix(".weights"), "w"):
            pass
        target.write(path.with_suffix(".weights"), "model.weights.h5")
        for name, data in extra:
            target.writestr(name, data)
    return path


def dense(**changes):
    layer = {"module": "keras.layers", "class_name": "Dense", "config": {"units": 1}, "registered_name": None}
    return {"class_name": "Sequential", "module": "keras", "config": {"layers": [{**layer, **changes}]}}


@pytest.mark.parametrize(
    ("config", "refused"),
    [
        (dense(class_name="Lambda"), "Lambda"),
        (dense(class_name="StringLookup"), "StringLookup"),
        (dense(class_name="TFSMLayer"), "TFSMLayer"),
        (dense(class_name="__lambda__"), "__lambda__"),
        (dense(module="os", class_name="system"), "system"),
        (dense(module="os"), "Dense"),
        (dense(module=["keras"]), "Dense"),
        (dense(class_name={"a": 1}), "a"),
        (dense(registered_name="evil>Dense"), "Dense"),
        (dense(config={"activation": {"class_name": "function", "module": "os", "config": "system"}}), "function"),
        (dense(config={"deep": [[{"x": {"class_name": "GetFile"}}]]}), "GetFile"),
    ],
)
def test_classes_that_are_not_known_are_refused_before_keras_is_asked(tmp_path, config, refused):
    with pytest.raises(InvalidInput, match=f"not known to be harmless: .*{refused}"):
        load_keras(archive(tmp_path / "m.keras", config))


def test_no_allowed_class_reads_files_or_runs_code():
    assert ALLOWED.isdisjoint(
        {"Lambda", "__lambda__", "function", "TFSMLayer", "StringLookup", "IntegerLookup", "TextVectorization"}
    )


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        ([("assets/vocabulary.txt", "x")], "holds what a plain model does not: assets/vocabulary.txt"),
        ([("../escape", "x")], "holds what a plain model does not"),
        ([("config.json", "{}")], "holds what a plain model does not"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_members_are_refused(tmp_path, extra, reason):
    with pytest.raises(InvalidInput, match=reason):
        load_keras(archive(tmp_path / "m.keras", dense(), extra))


def test_damaged_archives_are_refused(tmp_path):
    path = archive(tmp_path / "m.keras", dense())
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(InvalidInput, match="cannot be used"):
            load_keras(path)
    with pytest.raises(InvalidInput, match="not JSON"):
        load_keras(archive(path, "{"))
    with pytest.raises(InvalidInput, match="not JSON|nested too deeply"):
        load_keras(archive(path, "[" * 100_000))
    nested = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(InvalidInput, match="nested too deeply"):
        _check_classes(path, nested, "")


def test_an_archive_that_unpacks_to_much_is_refused(tmp_path):
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", json.dumps(dense()))
        target.writestr("model.weights.h5", bytes(10_000_000))
    with pytest.raises(InvalidInput, match="would unpack to 10,"):
        load_keras(path)


@pytest.mark.parametrize("way", ["external link", "soft link", "external data", "virtual data"])
def test_h5_files_that_lead_elsewhere_are_refused(tmp_path, way):
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(dense())
        group = file.create_group("weights")
        if way == "external link":
            group["x"] = h5py.ExternalLink("other.h5", "/x")
        elif way == "soft link":
            group["x"] = h5py.SoftLink("/weights")
        elif way == "external data":
            group.create_dataset("x", (4,), dtype="u1", external=[(str(tmp_path / "secret"), 0, 4)])
        else:
            layout = h5py.VirtualLayout((4,), dtype="u1")
            layout[:] = h5py.VirtualSource("other.h5", "x", (4,))
            group.create_virtual_dataset("x", layout)
    with pytest.raises(InvalidInput, match="may lead to another file"):
        load_keras(path)


def test_h5_files_that_are_no_models(tmp_path):
    path = tmp_path / "m.h5"
    with h5py.File(path, "w"):
        pass
    with pytest.raises(InvalidInput, match="weights without a model"):
        load_keras(path)
    path.write_bytes(b"not HDF5")
    with pytest.raises(InvalidInput, match="no whole HDF5 file"):
        load_keras(path)


@pytest.mark.slow
def test_cg_asks_a_keras_classifier_that_a_config_names(tf, tmp_path):
    data = get_dataset("candle_mini")
    layers = tf.keras.layers
    images = layers.Input(data.observation_shape)
    pixel = layers.Flatten()(layers.AveragePooling2D(16)(images))
    outputs = [layers.Dense(size, activation="softmax")(pixel) for size in data.factors_num_values]
    tf.keras.Model(images, outputs).save(tmp_path / "m.keras")
    bindings = [
        f"keras_classifier.path = {str(tmp_path / 'm.keras')!r}",
        "keras_classifier.num_test = 20",
        "cg.classifier = @keras_classifier",
        "cg.num_train = 30",
    ]
    oracle = registry.function("representations", "perfect_oracle")(data)
    # The plugin need not be installed for its tests.
    restore = registry.replace(Entry("classifiers", "keras_classifier", "tests", KerasClassifier, "for tests"))
    try:
        with gin_config(bindings=bindings):
            scores = get_metric("cg")(data, oracle, np.random.RandomState(0))
    finally:
        restore()
    assert scores["classifier"] == "keras_classifier" and 0 <= scores["CG"] <= 1
    assert sum(key.startswith("classifier_accuracy_factor_") for key in scores) == data.num_factors


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
