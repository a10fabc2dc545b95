"""The networks of disentanglement_lib 1.5 as Keras layers, with the names and sizes that they have in torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent.training.networks import (
    ConvEncoderLayers,
    DeconvDecoderLayers,
    FcDecoderLayers,
    FcDiscriminatorLayers,
    FcEncoderLayers,
    ImageLayers,
    Layers,
    LinearDecoderLayers,
    LinearEncoderLayers,
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
    """Return a fully connected layer, not initialised yet."""
    return _build_layer(layers.Dense(outputs, kernel_initializer="zeros"), (None, inputs))


def conv(inputs: int, outputs: int, kernel: int) -> Any:
    """Return a convolution that halves height and width, not initialised yet."""
    return _build_layer(Conv(outputs, kernel, **OPTIONS), (None, None, None, inputs))


def deconv(inputs: int, outputs: int) -> Any:
    """Return a transposed 4x4 convolution that doubles height and width, not initialised yet."""
    return _build_layer(Deconv(outputs, 4, **OPTIONS), (None, None, None, inputs))


def _build_layer(layer: Any, shape: tuple[int | None, ...]) -> Any:
    layer.build(shape)
    return layer


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


class Ops:
    """What the published networks are made of here; channels come last throughout."""

    dense, conv, deconv = staticmethod(dense), staticmethod(conv), staticmethod(deconv)
    initialise, relu, tanh = staticmethod(initialise), staticmethod(tf.nn.relu), staticmethod(tf.tanh)
    leaky_relu = staticmethod(tf.nn.leaky_relu)

    @staticmethod
    def flatten(tensor: Any) -> Any:
        """(n, h, w, c) to (n, h * w * c)."""
        return tf.reshape(tensor, (-1, math.prod(tensor.shape[1:])))

    @staticmethod
    def reshape(tensor: Any, shape: tuple[int, ...]) -> Any:
        """(n, numbers) to (n, *shape)."""
        return tf.reshape(tensor, (-1, *shape))

    @staticmethod
    def channels_first(images: Any) -> Any:
        """Return the images as they are."""
        return images

    channels_last = channels_first


class Network(Layers, layers.Layer):
    """A published network as a Keras layer; the first base class says which."""

    ops = Ops

    def call(self, given: Any) -> Any:
        """Lead a batch through the layers."""
        return self.run(given)


class ImageNetwork(ImageLayers, Network):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__(name=self.called)
        self.set_up(image_shape, num_latent, generator)


class ConvEncoder(ConvEncoderLayers, ImageNetwork):
    """``conv_encoder``."""


class DeconvDecoder(DeconvDecoderLayers, ImageNetwork):
    """``deconv_decoder``."""


class FcEncoder(FcEncoderLayers, ImageNetwork):
    """``fc_encoder``."""


class FcDecoder(FcDecoderLayers, ImageNetwork):
    """``fc_decoder``."""


class LinearEncoder(LinearEncoderLayers, ImageNetwork):
    """``test_encoder``."""


class LinearDecoder(LinearDecoderLayers, ImageNetwork):
    """``test_decoder``."""


class FcDiscriminator(FcDiscriminatorLayers, Network):
    """``fc_discriminator``.

    Args:
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    def __init__(self, num_latent: int, generator: np.random.Generator | None = None) -> None:
        super().__init__(name=self.called)
        self.num_latent = num_latent
        self.add_layers(self.ops)
        initialise(self, generator)
