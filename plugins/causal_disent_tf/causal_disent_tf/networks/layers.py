"""Layers with weights from the start: uniform after Glorot, zero biases, "same" padding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from causal_disent_tf._tensorflow import tensorflow

tf: Any = tensorflow()
layers = tf.keras.layers


def dense(inputs: int, outputs: int) -> Any:
    """A fully connected layer, not initialised yet."""
    return _built(layers.Dense(outputs, kernel_initializer="zeros"), (None, inputs))


def conv(inputs: int, outputs: int, kernel: int) -> Any:
    """A convolution that halves height and width, not initialised yet."""
    options = {"strides": 2, "padding": "same", "kernel_initializer": "zeros"}
    return _built(layers.Conv2D(outputs, kernel, **options), (None, None, None, inputs))


def deconv(inputs: int, outputs: int) -> Any:
    """A transposed 4x4 convolution that doubles height and width, not initialised yet."""
    options = {"strides": 2, "padding": "same", "kernel_initializer": "zeros"}
    return _built(layers.Conv2DTranspose(outputs, 4, **options), (None, None, None, inputs))


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
