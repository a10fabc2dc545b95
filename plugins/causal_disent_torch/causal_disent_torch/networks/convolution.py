"""Convolutions with stride 2 on a processor: torch's own, but for what oneDNN is slow at."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from causal_disent_torch.networks.few_channels import few_channels, is_few


def convolution(images: Tensor, weight: Tensor, bias: Tensor, *, transposed: bool = False) -> Tensor:
    """A convolution, or a transposed one, that halves or doubles height and width.

    The gradient of the bias is summed here: oneDNN's own for transposed convolutions takes a twentieth of a step
    of training, and a sixth in bfloat16. Few channels take a way of their own.

    Args:
        images: (n, channels, h, w).
        weight: (outputs, channels, k, k), transposed (channels, outputs, k, k); k is even.
        bias: (outputs,).
        transposed: doubles in place of halving.

    Returns:
        (n, outputs, h / 2, w / 2), transposed (n, outputs, 2 h, 2 w).
    """
    given: tuple[Tensor, ...] = images, weight, bias
    if torch.is_autocast_enabled("cpu"):
        given = tuple(tensor.to(torch.get_autocast_dtype("cpu")) for tensor in given)
    return _Convolution.apply(*given, transposed)


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, images: Tensor, weight: Tensor, bias: Tensor, transposed: bool) -> Tensor:
        ctx.save_for_backward(images, weight)
        ctx.transposed = transposed
        if transposed and is_few(images, len(bias)):
            return few_channels(images, weight, bias)
        return torch.ops.aten.convolution(images, weight, bias, *_geometry(weight, transposed))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        images, weight = ctx.saved_tensors
        (gradient,) = gradients
        of_images, of_weight, of_bias, _ = ctx.needs_input_grad
        found = torch.ops.aten.convolution_backward(
            gradient, images, weight, None, *_geometry(weight, ctx.transposed), [of_images, of_weight, False]
        )
        return *found[:2], gradient.sum((0, 2, 3)) if of_bias else None, None


def _geometry(weight: Tensor, transposed: bool) -> tuple[Any, ...]:
    """Stride, padding, dilation, whether it is transposed, what is added to the output's sides, groups."""
    padding = (weight.shape[-1] - 2) // 2
    return [2, 2], [padding, padding], [1, 1], transposed, [0, 0], 1
