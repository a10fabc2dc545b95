"""What the models' losses are made of; `causal_disent_torch.losses` has the formulas, and the same names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from causal_disent.checks import check_truth, checked
from causal_disent.config import REQUIRED
from causal_disent.training.networks import check_enough_codes
from causal_disent.training.objective import Sigma
from causal_disent_tf._tensorflow import tensorflow
from causal_disent_tf.networks import layers
from causal_disent_tf.representation import activate

tf: Any = tensorflow()
#: Keeps logarithms finite where a pixel is black or white.
MARGIN = 1e-6


def bernoulli_loss(images: Any, output: Any, activation: str, subtract_true_image_entropy: bool = False) -> Any:
    """Cross entropy (n,) between the images' pixels and the reconstructions', summed over the pixels.

    Args:
        images: (n, h, w, c) in [0, 1].
        output: what the decoder gives for them, before the activation.
        activation: ``"logits"`` or ``"tanh"``.
        subtract_true_image_entropy: subtract the images' own entropy, so that 0 is the best possible loss.
    """
    check_truth("bernoulli_loss.subtract_true_image_entropy", subtract_true_image_entropy)
    if activation == "logits":
        pixels = tf.nn.sigmoid_cross_entropy_with_logits(images, output)
    else:
        pixels = _cross_entropy(images, tf.clip_by_value(activate(output, activation), MARGIN, 1 - MARGIN))
    loss = tf.reduce_sum(pixels, (1, 2, 3))
    if subtract_true_image_entropy:
        clipped = tf.clip_by_value(images, MARGIN, 1 - MARGIN)
        loss -= tf.reduce_sum(_cross_entropy(clipped, clipped), (1, 2, 3))
    return loss


def _cross_entropy(images: Any, reconstructed: Any) -> Any:
    return -(images * tf.math.log(reconstructed) + (1 - images) * tf.math.log1p(-reconstructed))


def l2_loss(images: Any, output: Any, activation: str) -> Any:
    """Squared error (n,), summed over the pixels."""
    return tf.reduce_sum(tf.square(images - activate(output, activation)), (1, 2, 3))


def batch_mean(values: Any) -> Any:
    """The mean of (n,) values."""
    return tf.reduce_mean(values)


def draw_codes(mean: Any, log_var: Any, noise: Any) -> Any:
    """Codes (n, codes) that follow the weights of the encoder."""
    return mean + tf.exp(log_var / 2) * noise


def share_pairs(mean: Any, log_var: Any, changed: Any, average: str) -> tuple[Any, Any]:
    """Of pairs (2 n, codes), the Gaussians that codes are drawn from: see `causal_disent_torch.losses`."""
    (mean_1, mean_2), (log_var_1, log_var_2) = tf.split(mean, 2), tf.split(log_var, 2)
    var_1, var_2 = tf.exp(log_var_1), tf.exp(log_var_2)
    if average == "group":
        shared, shared_var = (mean_1 + mean_2) / 2, (var_1 + var_2) / 2
    else:
        shared_var = 2 * var_1 * var_2 / (var_1 + var_2)
        shared = (mean_1 / var_1 + mean_2 / var_2) * shared_var / 2
    if changed is None:
        divergence = (var_1 + tf.square(mean_2 - mean_1)) / var_2 - 1 + log_var_2 - log_var_1
        low = tf.reduce_min(divergence, 1, keepdims=True)
        high = tf.reduce_max(divergence, 1, keepdims=True)
        own = (divergence - low >= (high - low) / 2) & (high > low)
    else:
        number = mean.shape[1]
        own = tf.range(number, dtype=changed.dtype) == changed[:, None]
        own = own | (changed >= number)[:, None]
    own = tf.tile(own, (2, 1))
    return (
        tf.where(own, mean, tf.tile(shared, (2, 1))),
        tf.where(own, log_var, tf.tile(tf.math.log(shared_var), (2, 1))),
    )


def gaussian_kl(mean: Any, log_var: Any) -> Any:
    """Divergence from the standard normal, averaged over the batch."""
    return tf.reduce_mean(0.5 * tf.reduce_sum(tf.square(mean) + tf.exp(log_var) - log_var - 1, 1))


def total_correlation(codes: Any, mean: Any, log_var: Any) -> Any:
    """How far the codes are from independence, up to a constant, estimated on the batch."""
    difference = tf.square(codes[:, None] - mean[None])
    log_density = -0.5 * (difference * tf.exp(-log_var)[None] + log_var[None] + math.log(2 * math.pi))
    joint = tf.reduce_logsumexp(tf.reduce_sum(log_density, 2), 1)
    return tf.reduce_mean(joint - tf.reduce_sum(tf.reduce_logsumexp(log_density, 1), 1))


def code_covariance(mean: Any, log_var: Any, dip_type: str) -> Any:
    """Covariance (codes, codes) over the batch: of the means (``"i"``), or of the codes (``"ii"``)."""
    centred = mean - tf.reduce_mean(mean, 0)
    covariance = tf.matmul(centred, centred, transpose_a=True) / tf.cast(tf.shape(mean)[0], mean.dtype)
    return covariance if dip_type == "i" else covariance + tf.linalg.diag(tf.reduce_mean(tf.exp(log_var), 0))


def dip_penalty(covariance: Any, lambda_od: float, lambda_d: float) -> Any:
    """Squared distance from the identity, with one weight off the diagonal and one on it."""
    diagonal = tf.linalg.diag_part(covariance)
    off_diagonal = tf.square(covariance - tf.linalg.diag(diagonal))
    return lambda_od * tf.reduce_sum(off_diagonal) + lambda_d * tf.reduce_sum(tf.square(diagonal - 1))


def density_ratio(logits: Any) -> Any:
    """The discriminator's estimate of the total correlation, from its logits (n, 2)."""
    return tf.reduce_mean(logits[:, 0] - logits[:, 1])


def discriminator_loss(logits: Any, shuffled_logits: Any) -> Any:
    """What the discriminator minimises, from its logits for the codes and for the shuffled codes."""
    drawn, shuffled = tf.nn.log_softmax(logits), tf.nn.log_softmax(shuffled_logits)
    return -0.5 * (tf.reduce_mean(drawn[:, 0]) + tf.reduce_mean(shuffled[:, 1]))


def shuffle_codes(codes: Any, order: Any) -> Any:
    """Each code permuted over the batch by itself: row `order` (n, codes) of its column."""
    return tf.transpose(tf.gather(tf.transpose(codes), tf.transpose(order), batch_dims=1))


def box_masks(boxes: Any, image_shape: Sequence[int], *, from_bottom: bool = False) -> Any:
    """(n, h, w, 1): 1 inside the box of each image, xmin, ymin, xmax, ymax in pixels, half-open; 0 outside."""
    height, width = image_shape[:2]
    left, low, right, high = (boxes[:, side, None] for side in range(4))
    top, bottom = (height - high, height - low) if from_bottom else (low, high)
    rows, columns = tf.range(height, dtype=boxes.dtype), tf.range(width, dtype=boxes.dtype)
    down = (top <= rows) & (rows < bottom)
    across = (left <= columns) & (columns < right)
    return tf.cast(down[:, :, None] & across[:, None], tf.float32)[..., None]


def box_loss(images: Any, reconstructed: Any, masks: Any) -> Any:
    """Squared error inside the boxes, summed over the pixels and averaged over the batch."""
    return tf.reduce_mean(
        tf.reduce_sum(tf.square((images - reconstructed) * tf.cast(masks, images.dtype)), (1, 2, 3))
    )


class _Supervision(layers.Layer):
    """A scalar from codes (n, codes) and labels (n, factors); its weights are made with it."""

    code_per_factor = True

    def __init__(self, num_latent: int, factor_sizes: Sequence[int], generator: Generator | None = None) -> None:
        super().__init__()
        if self.code_per_factor:
            check_enough_codes(num_latent, factor_sizes)
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

    @checked
    def __init__(
        self,
        num_latent: int,
        factor_sizes: Sequence[int],
        generator: Generator | None = None,
        learn_scale: bool = True,
    ) -> None:
        super().__init__(num_latent, factor_sizes)
        self.scale = self._weight("scale", np.float32(1)) if learn_scale else None

    def call(self, codes: Any, labels: Any) -> Any:
        """The sum over images and factors."""
        used = codes[:, : labels.shape[1]]
        if self.scale is None:
            return tf.reduce_sum(tf.square(tf.sigmoid(used) - self._normalised(labels)))
        return tf.reduce_sum(tf.square(used * self.scale - labels))


class Cov(_Supervision):
    """Squared covariances between codes and labels, the diagonal left out."""

    code_per_factor = False

    def call(self, codes: Any, labels: Any) -> Any:
        """The sum over pairs."""
        centred, targets = codes - tf.reduce_mean(codes, 0), labels - tf.reduce_mean(labels, 0)
        covariance = tf.matmul(centred, targets, transpose_a=True) / tf.cast(tf.shape(codes)[0], codes.dtype)
        kept = 1 - tf.eye(codes.shape[1], labels.shape[1], dtype=codes.dtype)
        return tf.reduce_sum(tf.square(covariance) * kept)


class Embed(_Supervision):
    """Cross entropy of the values under a softmax of squared distances from their places."""

    @checked
    def __init__(
        self,
        num_latent: int,
        factor_sizes: Sequence[int],
        generator: Generator | None = None,
        sigma: Sigma = REQUIRED,
        use_order: bool = False,
    ) -> None:
        super().__init__(num_latent, factor_sizes)
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
