"""TensorFlow in turns, for bench_tf.py: ``python _steps_tf.py bare|ours|bfloat16|encoding|bare_encoding``."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from typing import Any

from _steps import BATCH, BETA, ENCODED, LEARNING_RATE, NUM_LATENT, SHAPE, train_in_turns

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

from causal_disent.training.representation import BATCH_SIZE

layers = tf.keras.layers


def encoder() -> Any:
    """What anybody would write: mean and log variance side by side."""
    sizes = ((32, 4), (32, 4), (64, 2), (64, 2))
    convolutions = [layers.Conv2D(width, side, 2, "same", activation="relu") for width, side in sizes]
    heads = [layers.Flatten(), layers.Dense(256, "relu"), layers.Dense(2 * NUM_LATENT)]
    return tf.keras.Sequential([tf.keras.Input(SHAPE), *convolutions, *heads])


def decoder() -> Any:
    """Logits of the pixels."""
    size = (SHAPE[0] // 16, SHAPE[1] // 16, 64)
    dense = [layers.Dense(256, "relu"), layers.Dense(math.prod(size), "relu"), layers.Reshape(size)]
    hidden = [layers.Conv2DTranspose(width, 4, 2, "same", activation="relu") for width in (64, 32, 32)]
    last = layers.Conv2DTranspose(SHAPE[2], 4, 2, "same")
    return tf.keras.Sequential([tf.keras.Input((NUM_LATENT,)), *dense, *hidden, last])


def bare(wait: Callable[[], None]) -> None:
    """A `tf.function` of plain Keras layers and Keras's Adam on one batch in memory: nothing is drawn or kept."""
    encode, decode = encoder(), decoder()
    weights = [*encode.trainable_variables, *decode.trainable_variables]
    optimizer = tf.keras.optimizers.Adam(LEARNING_RATE)
    optimizer.build(weights)
    images = tf.random.uniform((BATCH, *SHAPE))

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            mean, log_var = tf.split(encode(images), 2, axis=1)
            output = decode(mean + tf.exp(log_var / 2) * tf.random.normal(mean.shape))
            error = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(images, output)) / BATCH
            kl = tf.reduce_mean(0.5 * tf.reduce_sum(tf.square(mean) + tf.exp(log_var) - log_var - 1, 1))
            loss = error + BETA * kl
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

    while True:
        wait()
        step()


def ours(wait: Callable[[], None], kind: str) -> None:
    """The loop of ``dlib_train --backend tf``."""
    from causal_disent_tf.training import make_trainer

    train_in_turns(wait, "tf", kind, make_trainer)


def encoding(wait: Callable[[], None]) -> None:
    """The encoder as metrics use it."""
    from causal_disent_tf.networks import ConvEncoder, DeconvDecoder
    from causal_disent_tf.saved import TrainedRepresentation

    networks = ConvEncoder(SHAPE, NUM_LATENT), DeconvDecoder(SHAPE, NUM_LATENT)
    model, images = TrainedRepresentation(*networks, activation="logits"), images_to_encode()
    while True:
        wait()
        model(images)


def bare_encoding(wait: Callable[[], None]) -> None:
    """A `tf.function` of a plain encoder, in batches of the same size."""
    plain, images = tf.function(encoder()), images_to_encode()
    while True:
        wait()
        for start in range(0, ENCODED, BATCH_SIZE):
            plain(tf.constant(images[start : start + BATCH_SIZE])).numpy()


def images_to_encode() -> np.ndarray:
    """(n, h, w, c)."""
    return np.random.RandomState(0).random_sample((ENCODED, *SHAPE)).astype(np.float32)


if __name__ == "__main__":
    from _turns import Turns

    turn = Turns().wait
    programs = {"bare": bare, "encoding": encoding, "bare_encoding": bare_encoding}
    programs[sys.argv[1]](turn) if sys.argv[1] in programs else ours(turn, sys.argv[1])
