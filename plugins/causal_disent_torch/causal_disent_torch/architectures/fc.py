"""The fully connected pair: two layers of 1200 with ReLU, three of 1200 with tanh (beta-VAE paper, table 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from causal_disent_torch.architectures._layers import dense, initialise, num_pixels

__all__ = ["FcDecoder", "FcEncoder"]

HIDDEN = 1200


class FcEncoder(nn.Module):
    """``fc_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Args:
        image_shape: (h, w, c), of any size.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    name = "fc_encoder"
    tf_scope = "encoder"

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        self.e1 = dense(num_pixels(image_shape), HIDDEN)
        self.e2 = dense(HIDDEN, HIDDEN)
        self.dense = dense(HIDDEN, num_latent)  # the means; TensorFlow numbers unnamed layers
        self.dense_1 = dense(HIDDEN, num_latent)
        initialise(self, generator)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        hidden = relu(self.e2(relu(self.e1(images.flatten(1)))))
        return self.dense(hidden), self.dense_1(hidden)


class FcDecoder(nn.Module):
    """``fc_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation.

    Args:
        image_shape: (h, w, c), of any size.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    name = "fc_decoder"
    tf_scope = "decoder"

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        self.dense = dense(num_latent, HIDDEN)
        self.dense_1 = dense(HIDDEN, HIDDEN)
        self.dense_2 = dense(HIDDEN, HIDDEN)
        self.dense_3 = dense(HIDDEN, num_pixels(image_shape))
        initialise(self, generator)

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        hidden = codes
        for layer in (self.dense, self.dense_1, self.dense_2):
            hidden = torch.tanh(layer(hidden))
        return self.dense_3(hidden).unflatten(1, self.image_shape)
