"""What the models' losses are made of; `causal_disent_torch.losses` has the formulas, and the same names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from causal_disent.checks import check_truth
from causal_disent_tf._tensorflow import tensorflow
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
