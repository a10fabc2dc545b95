"""The fully connected pair: two layers of 1200 with ReLU, three of 1200 with tanh (beta-VAE paper, table 1)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import relu

from causal_disent.training.networks import FcDecoderLayers, FcEncoderLayers
from causal_disent_torch.networks.image_network import ImageNetwork


class FcEncoder(FcEncoderLayers, ImageNetwork):
    """``fc_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    name = "fc_encoder"
    tf_scope = "encoder"

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        hidden = relu(self.e2(relu(self.e1(images.flatten(1)))))
        return self.dense(hidden), self.dense_1(hidden)


class FcDecoder(FcDecoderLayers, ImageNetwork):
    """``fc_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    name = "fc_decoder"
    tf_scope = "decoder"

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        hidden = codes
        for layer in (self.dense, self.dense_1, self.dense_2):
            hidden = torch.tanh(layer(hidden))
        return self.dense_3(hidden).unflatten(1, self.image_shape)
