"""Reconstruction as the squared error of the pixels."""

from __future__ import annotations

from torch import Tensor

from causal_disent_torch.representation import activate


def l2_loss(images: Tensor, output: Tensor, activation: str) -> Tensor:
    r"""Squared error, summed over the pixels: :math:`\sum_p (x_p - \hat x_p)^2`.

    Args:
        images: (n, h, w, c) in [0, 1].
        output: what the decoder gives for them, before the activation.
        activation: ``"logits"`` or ``"tanh"``.

    Returns:
        (n,), one loss per image.

    Example:
        >>> import torch
        >>> l2_loss(torch.ones(1, 2, 1, 1), torch.zeros(1, 2, 1, 1), "logits")
        tensor([0.5000])
    """
    return (images - activate(output, activation)).square().flatten(1).sum(1)
