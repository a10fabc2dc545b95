"""One's own models in one line."""

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


@pytest.mark.parametrize("options", [{"activation": "relu"}, {"batch_size": 0}])
def test_wrong_options(options):
    with pytest.raises(Exception, match="Unknown activation 'relu'|`batch_size` must be a whole number"):
        from_module(lambda images: images, **options)
