"""The linear pair that disentanglement_lib's tests use: one layer each way."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from causal_disent_torch.architectures._layers import dense, initialise, num_pixels

__all__ = ["LinearDecoder", "LinearEncoder"]


class LinearEncoder(nn.Module):
    """``test_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Args:
        image_shape: (h, w, c), of any size.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    name = "test_encoder"
    tf_scope = "encoder"

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        self.e1 = dense(num_pixels(image_shape), num_latent)
        self.e2 = dense(num_pixels(image_shape), num_latent)
        initialise(self, generator)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        flat = images.flatten(1)
        return self.e1(flat), self.e2(flat)


class LinearDecoder(nn.Module):
    """``test_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation.

    Args:
        image_shape: (h, w, c), of any size.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    name = "test_decoder"
    tf_scope = "decoder"

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        self.d1 = dense(num_latent, num_pixels(image_shape))
        initialise(self, generator)

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        return self.d1(codes).unflatten(1, self.image_shape)
