"""The transposed convolution that ends a decoder, whose one to four channels oneDNN pads to sixteen."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

#: With more channels the usual way is the faster one; in bfloat16 already with more than one.
MOST_CHANNELS = 4


class FewChannels(torch.autograd.Function):
    r"""A transposed 4x4 convolution with stride 2 and padding 1, as a product of matrices and four sums.

    A pixel (2i + a, 2j + b) of the output is a sum over four places of the kernel, two in each direction: for
    a = 0 place 1 at row i and place 3 at row i - 1, for a = 1 place 2 at row i and place 0 at row i + 1. Equal to
    `torch.nn.functional.conv_transpose2d` up to rounding, and up to five times as fast on a processor. Backward
    nothing is padded, and torch's own way is taken.
    """

    @staticmethod
    def forward(ctx: Any, images: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """(n, channels, h, w), (channels, outputs, 4, 4), (outputs,) -> (n, outputs, 2h, 2w)."""
        ctx.save_for_backward(images, weight)
        number, channels, height, width = images.shape
        outputs = weight.shape[1]
        pixels = images.permute(0, 2, 3, 1).reshape(-1, channels).t()
        output = images.new_empty((number, height, 2, width, 2, outputs))
        for channel in range(outputs):  # one at a time, so that what is added stays in the cache
            places = weight[:, channel].flatten(1).t() @ pixels
            rows = _added(places.view(4, 4, number, height, width), -2)
            added = _added(rows.transpose(0, 1), -1)
            torch.add(added, bias[channel], out=output[..., channel].permute(4, 2, 0, 1, 3))
        return output.view(number, 2 * height, 2 * width, outputs).permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        images, weight = ctx.saved_tensors
        (gradient,) = gradients
        of_images, of_weight, _ = torch.ops.aten.convolution_backward(
            gradient, images, weight, None, [2, 2], [1, 1], [1, 1], True, [0, 0], 1,
            [*ctx.needs_input_grad[:2], False],
        )  # fmt: skip
        return of_images, of_weight, gradient.sum((0, 2, 3))


def _added(places: Tensor, direction: int) -> Tensor:
    """The four places of the kernel (4, ...) in one direction to even and odd pixels (2, ...), in place."""
    most = places.shape[direction] - 1
    places[1].narrow(direction, 1, most).add_(places[3].narrow(direction, 0, most))
    places[2].narrow(direction, 0, most).add_(places[0].narrow(direction, 1, most))
    return places[1:3]
