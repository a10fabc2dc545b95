"""One's own models in one line."""

import os
import subprocess
import sys

import numpy as np
import pytest
from causal_disent_tf import from_module

from causal_disent.errors import InvalidInput

IMAGES = np.random.RandomState(0).uniform(size=(5, 4, 4, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def encoder(tf):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Input((4, 4, 3)), layers.Flatten(), layers.Dropout(0.9, seed=0), layers.Dense(2), layers.Dense(2)]
    )


def test_a_keras_model_runs_as_for_inference(tf, encoder):
    found = from_module(encoder, batch_size=2)
    expected = encoder.predict(IMAGES, verbose=0)
    np.testing.assert_allclose(found(IMAGES), expected, atol=1e-5)
    assert found(IMAGES).dtype == np.float32 and not hasattr(found, "decode")
    assert not np.allclose(encoder(IMAGES, training=True), expected)


def test_a_function_with_a_decoder(tf):
    @tf.function
    def encode(images):
        mean = tf.reduce_mean(images, axis=(1, 2))
        return mean, -mean

    found = from_module(encode, lambda codes: codes[:, None, None, :], gaussian=True)
    mean, log_var = found.gaussian_encoder(IMAGES)
    np.testing.assert_allclose(mean, IMAGES.mean(axis=(1, 2)), atol=1e-6)
    np.testing.assert_allclose(log_var, -mean)
    np.testing.assert_allclose(found(IMAGES), mean)
    np.testing.assert_allclose(found.decode(mean), mean[:, None, None, :])


def test_channels_first(tf):
    found = from_module(
        lambda images: tf.reduce_mean(images, axis=(2, 3)),
        lambda codes: codes[:, :, None, None] * tf.ones((1, 1, 2, 3)),
        channels_first=True,
    )
    np.testing.assert_allclose(found(IMAGES), IMAGES.mean(axis=(1, 2)), atol=1e-6)
    assert found.decode(found(IMAGES)).shape == (5, 2, 3, 3)


@pytest.mark.parametrize(
    ("activation", "pixels"),
    [("logits", lambda x: 1 / (1 + np.exp(-x))), ("tanh", lambda x: np.tanh(x) / 2 + 0.5)],
)
def test_activations(tf, activation, pixels):
    found = from_module(lambda images: images[:, 0, 0], lambda codes: codes * 4 - 2, activation=activation)
    codes = IMAGES[:, 0, 0]
    np.testing.assert_allclose(found.decode(codes), pixels(codes * 4 - 2), atol=1e-6)


def test_pixels_outside_their_range_are_an_error(tf):
    found = from_module(lambda images: images[:, 0, 0], lambda codes: codes * 4 - 2)
    with pytest.raises(InvalidInput, match=r"images are in \[0, 1\].*activation='logits'"):
        found.decode(IMAGES[:, 0, 0])


def test_no_images_give_no_codes(tf):
    assert from_module(lambda images: images[:, 0, 0])(IMAGES[:0]).shape == (0, 3)


def test_a_list_of_mean_and_log_variance(tf):
    mean, log_var = from_module(lambda x: [x[:, 0, 0], -x[:, 0, 0]], gaussian=True).gaussian_encoder(IMAGES)
    np.testing.assert_array_equal(-log_var, mean)


@pytest.mark.parametrize("wrong", [lambda x: x, lambda x: (x, x[:1]), lambda x: {"mean": x, "log_var": x}])
def test_an_encoder_that_promises_a_variance_must_give_it(tf, wrong):
    model = from_module(lambda images: wrong(images[:, 0, 0]), gaussian=True)
    for function in (model, model.gaussian_encoder):
        with pytest.raises(InvalidInput, match="mean and log variance, a tuple of two tensors"):
            function(IMAGES)


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (lambda tf, x: [], "a list of 0"),
        (lambda tf, x: {"codes": x}, "a value of type dict"),
        (lambda tf, x: None, "None"),
        (lambda tf, x: x.numpy(), "a value of type ndarray"),
        (lambda tf, x: tf.complex(x, x), r"a tensor of shape \(.*\) and type complex64"),
        (lambda tf, x: tf.strings.as_string(x), r"a tensor of shape \(.*\) and type string"),
    ],
    ids=["empty", "dict", "none", "numpy", "complex", "text"],
)
@pytest.mark.parametrize("channels_first", [False, True])
def test_what_is_not_a_tensor_is_refused(tf, wrong, shown, channels_first):
    model = from_module(
        lambda images: wrong(tf, images[:, 0, 0]),
        lambda codes: wrong(tf, codes[:, None, None]),
        channels_first=channels_first,
    )
    with pytest.raises(InvalidInput, match=f"encoder must give codes.*it gave {shown}"):
        model(IMAGES)
    for decode in (model.decode, model.decode_tensor):
        with pytest.raises(InvalidInput, match=f"decoder must give images.*it gave {shown}"):
            decode(np.zeros((2, 3)))


@pytest.mark.parametrize("activation", ["none", "logits", "tanh"])
def test_a_decoder_that_gives_no_numbers(tf, activation):
    model = from_module(lambda x: x[:, 0, 0], lambda z: tf.fill((len(z), 2, 2, 1), np.nan), activation=activation)
    for decode in (model.decode, model.decode_tensor):
        with pytest.raises(InvalidInput, match=r"gives values that are not numbers \(nan\)"):
            decode(np.zeros((2, 3)))


def test_channels_first_needs_images(tf):
    model = from_module(lambda x: x[:, 0, 0], lambda codes: codes, channels_first=True)
    with pytest.raises(InvalidInput, match=r"channels_first is for images, .*shape \(2, 3\)"):
        model.decode(np.zeros((2, 3)))


def test_no_codes_give_no_images(tf):
    model = from_module(lambda x: x[:, 0, 0], lambda codes: codes[:, None, None])
    assert model.decode(np.zeros((0, 3))).shape == (0, 1, 1, 3)


def test_weights_of_half_precision_give_single(tf):
    layers = tf.keras.layers
    encoder = tf.keras.Sequential([layers.Input((4, 4, 3)), layers.Flatten(), layers.Dense(2, dtype="float16")])
    decoder = tf.keras.Sequential([layers.Input((2,)), layers.Dense(16, "sigmoid", dtype="float16")])
    model = from_module(encoder, lambda codes: tf.reshape(decoder(codes), (-1, 4, 4, 1)))
    codes = model(IMAGES)
    assert codes.dtype == model.decode(codes).dtype == np.float32


@pytest.mark.parametrize("part", [None, "x", dict])
def test_what_cannot_be_called(part):
    with pytest.raises(InvalidInput, match="`encode` must be"):
        from_module(part)
    if part is not None:
        with pytest.raises(InvalidInput, match="`decode` must be"):
            from_module(len, part)


@pytest.mark.parametrize("options", [{"activation": "relu"}, {"batch_size": 0}])
def test_wrong_options(options):
    with pytest.raises(Exception, match="Unknown activation 'relu'|`batch_size` must be a whole number"):
        from_module(lambda images: images, **options)


DEVICES = """
import sys
from pathlib import Path
import numpy as np
import tensorflow as tf
from causal_disent_tf import TfBackend, from_module
from causal_disent.errors import InvalidInput
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
seen, path = [], Path(sys.argv[1])
def encode(images):
    codes = tf.reshape(images, (len(images), -1)) * 2
    seen.append(codes.device[-5:])
    return codes
for device in ("cpu:1", "cpu", "auto"):
    model = from_module(encode, device=device)
    model(np.zeros((2, 2, 2, 1)))
    tf.keras.Sequential([tf.keras.Input((2, 2, 1)), tf.keras.layers.Flatten()]).save(path)
    seen.append(TfBackend(device=device).read(path).device)
try:
    from_module(encode, device="cpu:2")
except InvalidInput as error:
    seen.append(error.message)
print(*seen, sep="|")
"""


def test_a_model_runs_on_the_device_that_is_named(tf, tmp_path):
    """Two devices that TensorFlow makes of the processor, in a process of their own."""
    words = [sys.executable, "-c", DEVICES, str(tmp_path / "a.keras")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    *seen, message = done.stdout.strip().split("|")
    assert seen == ["CPU:1", "/CPU:1", "CPU:0", "/CPU:0", "CPU:0", "/CPU:0"]
    assert message == "There is no device 'cpu:2' on this machine; there is cpu:0, cpu:1, or 'auto'."
