"""Layers as TensorFlow makes them: uniform weights after Glorot, zero biases, "same" padding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from causal_disent import errors

__all__ = ["channels_first", "channels_last", "conv", "deconv", "dense", "initialise", "num_pixels", "side_check"]

#: A convolutional network halves an image four times.
DIVISOR = 16


class _Uninitialised:
    """Leaves the parameters open: torch's own start values would come from its global generator.

    torch.nn.utils.skip_init does the same by way of imports that take a second.
    """

    def reset_parameters(self) -> None:
        """Draw nothing."""


class _Linear(_Uninitialised, nn.Linear):
    pass


class _Conv2d(_Uninitialised, nn.Conv2d):
    pass


class _ConvTranspose2d(_Uninitialised, nn.ConvTranspose2d):
    pass


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


def num_pixels(image_shape: Sequence[int]) -> int:
    """How many numbers an image of this shape holds."""
    return math.prod(_checked(image_shape))


def side_check(name: str, image_shape: Sequence[int]) -> tuple[int, int, int]:
    """Height, width and channels, or an error if `name` cannot halve the image four times.

    Example:
        >>> side_check("conv_encoder", [64, 64, 3])
        (64, 64, 3)
    """
    height, width, channels = _checked(image_shape)
    if height % DIVISOR or width % DIVISOR:
        raise errors.InvalidInput(
            f"'{name}' takes images whose height and width can be divided by {DIVISOR}; these are "
            f"{height}x{width}. Resize them, or take the fully connected architecture."
        )
    return height, width, channels


def _checked(image_shape: Sequence[int]) -> tuple[int, int, int]:
    shape = tuple(int(side) for side in image_shape)
    if len(shape) != 3 or min(shape) < 1:
        raise errors.InvalidInput(f"An image has a shape (height, width, channels); given: {list(shape)}.")
    return shape
