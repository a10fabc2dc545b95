"""The networks of disentanglement_lib 1.5 as Keras layers, with the names and sizes that they have in torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from causal_disent.training.networks import (
    ConvEncoderLayers,
    DeconvDecoderLayers,
    FcDecoderLayers,
    FcDiscriminatorLayers,
    FcEncoderLayers,
    ImageLayers,
    LinearDecoderLayers,
    LinearEncoderLayers,
    check_image_shape,
)
from causal_disent_tf._tensorflow import keras, tensorflow

tf: Any = tensorflow()
layers: Any = keras().layers
OPTIONS = {"strides": 2, "padding": "same", "kernel_initializer": "zeros"}


class Conv(layers.Conv2D):
    """A convolution by the operations that disentanglement_lib's graphs have; Keras's change with the channels."""

    def call(self, inputs: Any) -> Any:
        """(n, h / 2, w / 2, filters)."""
        return tf.nn.bias_add(tf.nn.conv2d(inputs, self.kernel, self.strides, "SAME"), self.bias)


class Deconv(layers.Conv2DTranspose):
    """A transposed convolution, likewise."""

    def call(self, inputs: Any) -> Any:
        """(n, 2 h, 2 w, filters)."""
        sizes = (tf.shape(inputs)[0], 2 * inputs.shape[1], 2 * inputs.shape[2], self.filters)
        output = tf.nn.conv2d_transpose(inputs, self.kernel, tf.stack(sizes), self.strides, "SAME")
        return tf.nn.bias_add(output, self.bias)


def dense(inputs: int, outputs: int) -> Any:
    """A fully connected layer, not initialised yet."""
    return _build_layer(layers.Dense(outputs, kernel_initializer="zeros"), (None, inputs))


def conv(inputs: int, outputs: int, kernel: int) -> Any:
    """A convolution that halves height and width, not initialised yet."""
    return _build_layer(Conv(outputs, kernel, **OPTIONS), (None, None, None, inputs))


def deconv(inputs: int, outputs: int) -> Any:
    """A transposed 4x4 convolution that doubles height and width, not initialised yet."""
    return _build_layer(Deconv(outputs, 4, **OPTIONS), (None, None, None, inputs))


def _build_layer(layer: Any, shape: tuple[int | None, ...]) -> Any:
    layer.build(shape)
    return layer


#: What the published layers are made of here.
LAYERS = SimpleNamespace(dense=dense, conv=conv, deconv=deconv)


def initialise(network: Any, generator: np.random.Generator | None) -> None:
    """Draw the weights of every layer of `network`, in order.

    Uniform in +-sqrt(6 / (fan_in + fan_out)); biases stay 0. Without a generator the draws are those of seed 0. In
    a graph, where a network has shapes alone, nothing is drawn.
    """
    network.built = True
    if not tf.executing_eagerly():
        return
    generator = np.random.default_rng(0) if generator is None else generator
    for layer in (value for value in vars(network).values() if hasattr(value, "kernel")):
        shape = tuple(layer.kernel.shape)
        limit = math.sqrt(6 / (math.prod(shape[:-2]) * (shape[-2] + shape[-1])))
        layer.kernel.assign(generator.uniform(-limit, limit, shape).astype(np.float32))


class ImageNetwork(ImageLayers, layers.Layer):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    #: What configs and saved models call it.
    called: str

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__(name=self.called)
        self.image_shape = check_image_shape(self.called, image_shape, self.divisor)
        self.num_latent = num_latent
        self.add_layers(LAYERS)
        initialise(self, generator)


class ConvEncoder(ConvEncoderLayers, ImageNetwork):
    """``conv_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent)."""

    called = "conv_encoder"

    def call(self, images: Any) -> tuple[Any, Any]:
        """Mean and log variance of the codes."""
        hidden = images
        for layer in (self.e1, self.e2, self.e3, self.e4):
            hidden = tf.nn.relu(layer(hidden))
        hidden = tf.nn.relu(self.e5(tf.reshape(hidden, (-1, self.e5.kernel.shape[0]))))
        return self.means(hidden), self.log_var(hidden)


class DeconvDecoder(DeconvDecoderLayers, ImageNetwork):
    """``deconv_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation."""

    called = "deconv_decoder"

    def call(self, codes: Any) -> Any:
        """Images before the activation."""
        hidden = tf.nn.relu(self.dense_1(tf.nn.relu(self.dense(codes))))
        hidden = tf.reshape(hidden, (-1, *self.smallest))
        for layer in (self.conv2d_transpose, self.conv2d_transpose_1, self.conv2d_transpose_2):
            hidden = tf.nn.relu(layer(hidden))
        return self.conv2d_transpose_3(hidden)


class FcEncoder(FcEncoderLayers, ImageNetwork):
    """``fc_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    called = "fc_encoder"

    def call(self, images: Any) -> tuple[Any, Any]:
        """Mean and log variance of the codes."""
        flat = tf.reshape(images, (-1, math.prod(self.image_shape)))
        hidden = tf.nn.relu(self.e2(tf.nn.relu(self.e1(flat))))
        return self.dense(hidden), self.dense_1(hidden)


class FcDecoder(FcDecoderLayers, ImageNetwork):
    """``fc_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    called = "fc_decoder"

    def call(self, codes: Any) -> Any:
        """Images before the activation."""
        hidden = codes
        for layer in (self.dense, self.dense_1, self.dense_2):
            hidden = tf.tanh(layer(hidden))
        return tf.reshape(self.dense_3(hidden), (-1, *self.image_shape))


class LinearEncoder(LinearEncoderLayers, ImageNetwork):
    """``test_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    called = "test_encoder"

    def call(self, images: Any) -> tuple[Any, Any]:
        """Mean and log variance of the codes."""
        flat = tf.reshape(images, (-1, math.prod(self.image_shape)))
        return self.e1(flat), self.e2(flat)


class LinearDecoder(LinearDecoderLayers, ImageNetwork):
    """``test_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    called = "test_decoder"

    def call(self, codes: Any) -> Any:
        """Images before the activation."""
        return tf.reshape(self.d1(codes), (-1, *self.image_shape))


class FcDiscriminator(FcDiscriminatorLayers, layers.Layer):
    """``fc_discriminator``: codes (n, num_latent) to logits (n, 2) of "as drawn" and "shuffled".

    Args:
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    def __init__(self, num_latent: int, generator: np.random.Generator | None = None) -> None:
        super().__init__(name="fc_discriminator")
        self.num_latent = num_latent
        self.add_layers(LAYERS)
        initialise(self, generator)

    def call(self, codes: Any) -> Any:
        """Logits of the two classes."""
        hidden = codes
        for layer in (self.d1, self.d2, self.d3, self.d4, self.d5, self.d6):
            hidden = tf.nn.leaky_relu(layer(hidden), self.slope)
        return self.logits(hidden)
