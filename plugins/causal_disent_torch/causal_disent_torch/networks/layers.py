"""Layers as TensorFlow makes them: uniform weights after Glorot, zero biases, "same" padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from causal_disent_torch.networks.convolution import convolution


class _Uninitialised:
    """Leaves the parameters open: torch's own start values would come from its global generator.

    torch.nn.utils.skip_init does the same by way of imports that take a second.
    """

    def reset_parameters(self) -> None:
        """Draw nothing."""


class _Linear(_Uninitialised, nn.Linear):
    pass


def _followed() -> bool:
    """Whether the layers are translated by what knows torch's own by their names."""
    return torch.jit.is_tracing() or torch.compiler.is_compiling()


class _Conv2d(_Uninitialised, nn.Conv2d):
    def forward(self, images: Tensor) -> Tensor:
        if images.device.type == "cpu" and not _followed():
            return convolution(images, self.weight, self.bias)  # type: ignore[arg-type]
        return super().forward(images)


class _ConvTranspose2d(_Uninitialised, nn.ConvTranspose2d):
    def forward(self, images: Tensor, output_size: list[int] | None = None) -> Tensor:
        if images.device.type == "cpu" and not _followed():
            return convolution(images, self.weight, self.bias, transposed=True)  # type: ignore[arg-type]
        return super().forward(images, output_size)


def dense(inputs: int, outputs: int) -> nn.Linear:
    """A fully connected layer, not initialised yet."""
    return _Linear(inputs, outputs)


def conv(inputs: int, outputs: int, kernel: int) -> nn.Conv2d:
    """A convolution that halves height and width, not initialised yet; `kernel` is even."""
    return _Conv2d(inputs, outputs, kernel, stride=2, padding=(kernel - 2) // 2)


def deconv(inputs: int, outputs: int) -> nn.ConvTranspose2d:
    """A transposed 4x4 convolution that doubles height and width, not initialised yet."""
    return _ConvTranspose2d(inputs, outputs, 4, stride=2, padding=1)


@torch.no_grad()
def initialise(module: nn.Module, generator: torch.Generator | None) -> None:
    """Draw the weights of every layer of `module`, in order.

    Uniform in +-sqrt(6 / (fan_in + fan_out)); biases 0. Without a generator the draws are those of seed 0. On the
    meta device, where a module has shapes alone, nothing is drawn.
    """
    if torch.get_default_device().type == "meta":
        return
    generator = torch.Generator().manual_seed(0) if generator is None else generator
    for layer in module.children():
        nn.init.xavier_uniform_(layer.weight, generator=generator)  # type: ignore[arg-type]
        nn.init.zeros_(layer.bias)  # type: ignore[arg-type]


def channels_first(images: Tensor) -> Tensor:
    """(n, h, w, c) to (n, c, h, w), as a view."""
    return images.permute(0, 3, 1, 2)


def channels_last(images: Tensor) -> Tensor:
    """(n, c, h, w) to (n, h, w, c), as a view."""
    return images.permute(0, 2, 3, 1)
