"""How codes of labelled images are compared with labels; `causal_disent_torch.supervision` has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent.checks import check_truth
from causal_disent.config import REQUIRED
from causal_disent.training.networks import check_enough_codes, check_sigma
from causal_disent_tf.networks.layers import layers, tf


class _Supervision(layers.Layer):
    """A scalar from codes (n, codes) and labels (n, factors); its weights are made with it."""

    def __init__(self, factor_sizes: Sequence[int]) -> None:
        super().__init__()
        self.factor_sizes = tuple(int(size) for size in factor_sizes)
        self.built = True

    def _weight(self, name: str, start: Any) -> Any:
        return self.add_weight(shape=np.shape(start), initializer=lambda shape, dtype: start, name=name)

    def _normalised(self, labels: Any) -> Any:
        return labels / tf.constant(self.factor_sizes, labels.dtype)


class Xent(_Supervision):
    """Cross entropy between labels, scaled to [0, 1), and the first codes, which are their logits."""

    def call(self, codes: Any, labels: Any) -> Any:
        """The sum over images and factors."""
        used = codes[:, : labels.shape[1]]
        return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(self._normalised(labels), used))


class L2(_Supervision):
    """Squared error between labels and the first codes, with a scale that is learned or after a sigmoid."""

    def __init__(self, factor_sizes: Sequence[int], learn_scale: bool) -> None:
        super().__init__(factor_sizes)
        self.scale = self._weight("scale", np.float32(1)) if learn_scale else None

    def call(self, codes: Any, labels: Any) -> Any:
        """The sum over images and factors."""
        used = codes[:, : labels.shape[1]]
        if self.scale is None:
            return tf.reduce_sum(tf.square(tf.sigmoid(used) - self._normalised(labels)))
        return tf.reduce_sum(tf.square(used * self.scale - labels))


class Cov(_Supervision):
    """Squared covariances between codes and labels, the diagonal left out."""

    def call(self, codes: Any, labels: Any) -> Any:
        """The sum over pairs."""
        centred, targets = codes - tf.reduce_mean(codes, 0), labels - tf.reduce_mean(labels, 0)
        covariance = tf.matmul(centred, targets, transpose_a=True) / tf.cast(tf.shape(codes)[0], codes.dtype)
        kept = 1 - tf.eye(codes.shape[1], labels.shape[1], dtype=codes.dtype)
        return tf.reduce_sum(tf.square(covariance) * kept)


class Embed(_Supervision):
    """Cross entropy of the values under a softmax of squared distances from their places."""

    def __init__(
        self, factor_sizes: Sequence[int], sigma: Any, use_order: bool, generator: np.random.Generator | None
    ) -> None:
        super().__init__(factor_sizes)
        check_sigma(sigma)
        generator = np.random.default_rng(0) if generator is None else generator
        self.use_order = use_order
        self.places = []
        for factor, size in enumerate(self.factor_sizes):
            fan, number = (1, 2) if use_order else (size, size)
            limit = math.sqrt(3 / fan)  # as TensorFlow initialises a vector of that size
            start = generator.uniform(-limit, limit, number).astype(np.float32)
            self.places.append(self._weight(f"places.{factor}", start))
        learnt = np.ones(len(self.factor_sizes), np.float32)
        self.sigma = self._weight("sigma", learnt) if sigma == "learn" else [float(sigma)] * len(learnt)

    def call(self, codes: Any, labels: Any) -> Any:
        """The sum over factors of the mean over images."""
        total = 0.0
        for factor, places in enumerate(self.places):
            if self.use_order:
                places = tf.range(self.factor_sizes[factor], dtype=codes.dtype) * places[0] + places[1]
            logits = -tf.square((codes[:, factor, None] - places) * self.sigma[factor])
            values = tf.cast(labels[:, factor], tf.int32)
            total += tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(values, logits))
        return total


def xent(num_latent: int, factor_sizes: Sequence[int], generator: np.random.Generator) -> Xent:
    """Cross entropy."""
    check_enough_codes(num_latent, factor_sizes)
    return Xent(factor_sizes)


def l2(
    num_latent: int, factor_sizes: Sequence[int], generator: np.random.Generator, learn_scale: bool = True
) -> L2:
    """Squared error."""
    check_truth("l2.learn_scale", learn_scale)
    check_enough_codes(num_latent, factor_sizes)
    return L2(factor_sizes, learn_scale)


def cov(num_latent: int, factor_sizes: Sequence[int], generator: np.random.Generator) -> Cov:
    """Covariance of codes with other factors than their own."""
    return Cov(factor_sizes)


def embed(
    num_latent: int,
    factor_sizes: Sequence[int],
    generator: np.random.Generator,
    sigma: Any = REQUIRED,
    use_order: bool = False,
) -> Embed:
    """Distance from a learned place of each value."""
    check_truth("embed.use_order", use_order)
    check_enough_codes(num_latent, factor_sizes)
    return Embed(factor_sizes, sigma, use_order, generator)
