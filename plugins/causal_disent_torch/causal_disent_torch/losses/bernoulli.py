"""Reconstruction as the likelihood of independent Bernoulli pixels."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from causal_disent.arguments import check_truth
from causal_disent_torch.representation import activate

#: Keeps logarithms finite where a pixel is black or white.
MARGIN = 1e-6


def bernoulli_loss(
    images: Tensor, output: Tensor, activation: str, subtract_true_image_entropy: bool = False
) -> Tensor:
    r"""Cross entropy between the images' pixels and the reconstructions', summed over the pixels.

    .. math:: -\sum_p \left( x_p \log \hat x_p + (1 - x_p) \log (1 - \hat x_p) \right)

    Args:
        images: (n, h, w, c) in [0, 1].
        output: what the decoder gives for them, before the activation.
        activation: ``"logits"`` or ``"tanh"``.
        subtract_true_image_entropy: subtract the images' own entropy, so that 0 is the best possible loss.

    Returns:
        (n,), one loss per image.

    Example:
        >>> bernoulli_loss(torch.ones(1, 2, 1, 1), torch.zeros(1, 2, 1, 1), "logits")  # 2 log 2
        tensor([1.3863])
    """
    check_truth("bernoulli_loss.subtract_true_image_entropy", subtract_true_image_entropy)
    if activation == "logits":
        pixels = binary_cross_entropy_with_logits(output, images, reduction="none")
    else:
        pixels = _cross_entropy(images, activate(output, activation).clamp(MARGIN, 1 - MARGIN))
    loss = pixels.flatten(1).sum(1)
    if subtract_true_image_entropy:
        clipped = images.clamp(MARGIN, 1 - MARGIN)
        loss = loss - _cross_entropy(clipped, clipped).flatten(1).sum(1)
    return loss


def _cross_entropy(images: Tensor, reconstructed: Tensor) -> Tensor:
    return -(images * reconstructed.log() + (1 - images) * torch.log1p(-reconstructed))
