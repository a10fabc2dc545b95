"""Layers with weights from the start: uniform after Glorot, zero biases, "same" padding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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
    return _built(layers.Dense(outputs, kernel_initializer="zeros"), (None, inputs))


def conv(inputs: int, outputs: int, kernel: int) -> Any:
    """A convolution that halves height and width, not initialised yet."""
    return _built(Conv(outputs, kernel, **OPTIONS), (None, None, None, inputs))


def deconv(inputs: int, outputs: int) -> Any:
    """A transposed 4x4 convolution that doubles height and width, not initialised yet."""
    return _built(Deconv(outputs, 4, **OPTIONS), (None, None, None, inputs))


def _built(layer: Any, shape: tuple[int | None, ...]) -> Any:
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
