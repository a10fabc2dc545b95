"""CG of a TensorFlow model and a Keras classifier: images stay on the device, the scores are those of arrays."""

import numpy as np
import pytest

from causal_disent import errors, get_metric
from causal_disent.metrics.cg import image_exchange
from causal_disent.runs.dataset import get_dataset

pytest.importorskip("tensorflow")
import tensorflow as tf
from causal_disent_tf import KerasClassifier, from_module
from causal_disent_tf.representation import DeviceImages
from tensorflow.python.framework import ops

keras, layers = tf.keras, tf.keras.layers
SHAPE, NUM_CODES = (64, 64, 1), 5
OPTIONS = {"num_train": 150, "decode_batch_size": 64, "rho": [1, 2]}


@pytest.fixture(scope="module")
def data():
    return get_dataset("dummy_data")


def wide(width, **options):
    """Weights so large that codes, images and probabilities differ from point to point."""
    return layers.Dense(width, kernel_initializer=keras.initializers.RandomNormal(0, 20, seed=width), **options)


@pytest.fixture
def model():
    encoder = keras.Sequential(
        [keras.Input(SHAPE), layers.AveragePooling2D(16), layers.Flatten(), wide(NUM_CODES)]
    )
    decoder = keras.Sequential([keras.Input((NUM_CODES,)), wide(4096), layers.Reshape(SHAPE)])
    return from_module(encoder, decoder, activation="logits")


@pytest.fixture
def classifier(data, tmp_path, request):
    keras.utils.set_random_seed(1)  # of the heads, which differ
    order = getattr(request, "param", "channels_last")
    last = order == "channels_last"
    images = keras.Input(SHAPE if last else (1, 64, 64))
    flat = layers.Flatten()(images if last else layers.Permute((2, 3, 1))(images))
    hidden = wide(8, activation="tanh")(flat)
    heads = [layers.Dense(size, activation="softmax")(hidden) for size in data.factors_num_values]
    keras.Model(images, heads).save(tmp_path / "c.keras")
    return KerasClassifier(data, str(tmp_path / "c.keras"), channel_order=order, batch_size=50, num_test=9)


class Arrays:
    """The same parts without tensors."""

    def __init__(self, part):
        self._part = part
        for name in ("decode", "predict_proba", "accuracy"):
            if hasattr(part, name):
                setattr(self, name, getattr(part, name))

    def __call__(self, images):
        return self._part(images)


def cg(data, model, classifier):
    return get_metric("cg")(data, model, np.random.RandomState(0), classifier=classifier, **OPTIONS)


@pytest.mark.parametrize("classifier", ["channels_last", "channels_first"], indirect=True)
def test_the_scores_are_those_of_arrays(data, model, classifier):
    on_device = cg(data, model, classifier)
    assert on_device["rho=1:CG"] > 1e-4
    for other in (cg(data, Arrays(model), Arrays(classifier)), cg(data, Arrays(model), classifier)):
        for key, value in on_device.items():
            if key != "classifier":
                assert value == pytest.approx(other[key], abs=1e-6), key


def test_no_image_becomes_an_array(data, model, classifier, monkeypatch):
    seen, judge = [], classifier.predict_proba_tensor
    copied = []

    def watch(images):
        seen.append((type(images), len(images)))
        return judge(images)

    def spy(owner, name):
        plain = getattr(owner, name)

        def spied(array, *args, **options):
            if tf.is_tensor(array):
                copied.append(len(array.shape))
            return plain(array, *args, **options)

        monkeypatch.setattr(owner, name, spied)

    classifier.accuracy  # noqa: B018  measured on images of the data set, which are arrays
    for owner, name in ((np, "asarray"), (np, "array"), (ops._EagerTensorBase, "numpy")):
        spy(owner, name)
    model.decode(np.zeros((2, NUM_CODES)))
    assert 4 in copied  # so that the spy would tell
    copied.clear()
    for part, name in ((model, "decode"), (classifier, "predict_proba")):
        monkeypatch.setattr(part, name, lambda *_: pytest.fail("an array of images was made"))
    monkeypatch.setattr(classifier, "predict_proba_tensor", watch)
    cg(data, model, classifier)
    assert 4 not in copied
    assert {kind for kind, _ in seen} == {DeviceImages} and {size for _, size in seen} == {64, 150 % 64}


def test_tensors_of_two_frameworks_do_not_meet(model, classifier):
    class Other:
        """As torch's."""

        def predict_proba(self, images): ...
        def predict_proba_tensor(self, images): ...
        def decode(self, codes): ...
        def decode_tensor(self, codes): ...

    other = Other()
    assert image_exchange(model, classifier) == (model.decode_tensor, classifier.predict_proba_tensor)
    assert image_exchange(model, other) == (model.decode, other.predict_proba)
    assert image_exchange(other, classifier) == (other.decode, classifier.predict_proba)


def test_tensors_are_checked_as_arrays_are(data, model, classifier, monkeypatch):
    monkeypatch.setattr(model, "decode_tensor", lambda codes: DeviceImages(tf.fill((len(codes), *SHAPE), 7.0)))
    with pytest.raises(errors.InvalidInput, match=r"pixels in \[0, 1\]; it returned values from 7"):
        cg(data, model, classifier)
    monkeypatch.setattr(model, "decode_tensor", lambda codes: DeviceImages(tf.zeros((len(codes), 64, 64))))
    with pytest.raises(errors.InvalidInput, match=r"it returned shape \(64, 64, 64\)"):
        cg(data, model, classifier)
