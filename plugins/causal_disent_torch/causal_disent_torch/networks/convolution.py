"""Convolutions with stride 2 on a processor: torch's own, but for what oneDNN is slow at."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import conv2d, conv_transpose2d

from causal_disent_torch.networks.few_channels import MOST_CHANNELS, FewChannels


def convolution(images: Tensor, weight: Tensor, bias: Tensor, *, transposed: bool = False) -> Tensor:
    """A convolution, or a transposed one, that halves or doubles height and width.

    The bias is added here, so that its gradient is a sum: oneDNN's own for transposed convolutions takes a
    twentieth of a step of training, and a sixth in bfloat16. Few channels take a way of their own.

    Args:
        images: (n, channels, h, w).
        weight: (outputs, channels, k, k), transposed (channels, outputs, k, k); k is even.
        bias: (outputs,).
        transposed: doubles in place of halving.

    Returns:
        (n, outputs, h / 2, w / 2), transposed (n, outputs, 2 h, 2 w).
    """
    if torch.is_autocast_enabled("cpu"):
        images, weight, bias = (tensor.to(torch.get_autocast_dtype("cpu")) for tensor in (images, weight, bias))
    if transposed and len(bias) <= (1 if images.dtype == torch.bfloat16 else MOST_CHANNELS):
        return FewChannels.apply(images, weight, bias)
    convolve = conv_transpose2d if transposed else conv2d
    return convolve(images, weight, stride=2, padding=(weight.shape[-1] - 2) // 2).add_(bias[:, None, None])
