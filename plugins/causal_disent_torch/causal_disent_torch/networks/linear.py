"""The linear pair that disentanglement_lib's tests use: one layer each way."""

from __future__ import annotations

from torch import Tensor

from causal_disent.training.networks import LinearDecoderLayers, LinearEncoderLayers
from causal_disent_torch.networks.image_network import ImageNetwork


class LinearEncoder(LinearEncoderLayers, ImageNetwork):
    """``test_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    name = "test_encoder"
    tf_scope = "encoder"

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        flat = images.flatten(1)
        return self.e1(flat), self.e2(flat)


class LinearDecoder(LinearDecoderLayers, ImageNetwork):
    """``test_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    name = "test_decoder"
    tf_scope = "decoder"

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        return self.d1(codes).unflatten(1, self.image_shape)
