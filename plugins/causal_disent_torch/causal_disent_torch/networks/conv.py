"""The convolutional pair: 32, 32, 64, 64 filters with stride 2 and back (beta-VAE paper, table 1)."""

from __future__ import annotations

from torch import Tensor, relu_

from causal_disent.training.networks import ConvEncoderLayers, DeconvDecoderLayers
from causal_disent_torch.networks.image_network import ImageNetwork
from causal_disent_torch.networks.layers import channels_first, channels_last


class ConvEncoder(ConvEncoderLayers, ImageNetwork):
    """``conv_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Example:
        >>> import torch
        >>> mean, log_var = ConvEncoder((64, 64, 3), 10)(torch.zeros(2, 64, 64, 3))
        >>> mean.shape, log_var.shape
        (torch.Size([2, 10]), torch.Size([2, 10]))
    """

    name = "conv_encoder"
    tf_scope = "encoder"
    in_parts = True

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        hidden = channels_first(images)  # in memory channels stay last, and so they do from layer to layer
        for layer in (self.e1, self.e2, self.e3, self.e4):
            hidden = relu_(layer(hidden))
        hidden = relu_(self.e5(channels_last(hidden).flatten(1)))
        return self.means(hidden), self.log_var(hidden)


class DeconvDecoder(DeconvDecoderLayers, ImageNetwork):
    """``deconv_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation."""

    name = "deconv_decoder"
    tf_scope = "decoder"
    in_parts = True

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        hidden = relu_(self.dense_1(relu_(self.dense(codes))))
        hidden = channels_first(hidden.unflatten(1, self.smallest))
        for layer in (self.conv2d_transpose, self.conv2d_transpose_1, self.conv2d_transpose_2):
            hidden = relu_(layer(hidden))
        return channels_last(self.conv2d_transpose_3(hidden))
