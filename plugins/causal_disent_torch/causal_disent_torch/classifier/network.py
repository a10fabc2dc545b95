"""Three strided convolutions with ReLU and a fully connected layer, one softmax per factor."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils import skip_init

KERNEL, STRIDE = 5, 2
#: Against division by 0 where a channel is silent.
SILENT = 1e-3


class FactorNetwork(nn.Module):
    r"""Images (n, h, w, c) in [0, 1] to one (n, values) table of logits per factor.

    Each convolution is followed by batch normalisation and ReLU. The fully connected layer sees four numbers of
    each channel f of the last one: its maximum, its mean, and its centre of mass

    .. math:: \sum_p f_p\, x_p / \sum_p f_p, \qquad \sum_p f_p\, y_p / \sum_p f_p

    with x and y in [-1, 1]. So what an object is like is learned once for all places, and where it is stays known.

    Args:
        image_shape: height, width, channels; any size from 1x1.
        num_values: how many values each factor has.
        channels: of the three convolutions.
        seed: of the weights; the global generator is left alone.
    """

    def __init__(
        self, image_shape: Sequence[int], num_values: Sequence[int], channels: Sequence[int], seed: int
    ) -> None:
        super().__init__()
        height, width, depth = image_shape
        self.num_values = list(num_values)
        layers: list[nn.Module] = []
        for outputs in channels:
            convolution = skip_init(
                nn.Conv2d, depth, outputs, KERNEL, stride=STRIDE, padding=KERNEL // 2, bias=False
            )
            layers += [convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
            height, width, depth = math.ceil(height / STRIDE), math.ceil(width / STRIDE), outputs
        self.convolutions = nn.Sequential(*layers)
        self.output = skip_init(nn.Linear, 4 * depth, sum(self.num_values))
        self.register_buffer("x", torch.linspace(-1, 1, width).view(1, 1, 1, width), persistent=False)
        self.register_buffer("y", torch.linspace(-1, 1, height).view(1, 1, height, 1), persistent=False)
        self._draw_weights(torch.Generator().manual_seed(seed))
        # Permuted images have this layout already.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _draw_weights(self, generator: torch.Generator) -> None:
        for layer in self.convolutions:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=generator)
        nn.init.kaiming_normal_(self.output.weight, nonlinearity="linear", generator=generator)
        nn.init.zeros_(self.output.bias)

    def forward(self, images: Tensor) -> list[Tensor]:
        features = self.convolutions(images.permute(0, 3, 1, 2))
        total = features.sum((2, 3)) + SILENT
        centre = [(features * place).sum((2, 3)) / total for place in (self.x, self.y)]
        seen = torch.cat([features.amax((2, 3)), features.mean((2, 3)), *centre], dim=1)
        return list(self.output(seen).split(self.num_values, dim=1))
