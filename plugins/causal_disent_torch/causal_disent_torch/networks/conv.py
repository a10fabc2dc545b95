"""The convolutional pair: 32, 32, 64, 64 filters with stride 2 and back (beta-VAE paper, table 1)."""

from __future__ import annotations

from torch import Tensor, relu_

from causal_disent_torch.networks.image_network import ImageNetwork
from causal_disent_torch.networks.layers import channels_first, channels_last, conv, deconv, dense

#: An image is halved four times.
DIVISOR = 16


class ConvEncoder(ImageNetwork):
    """``conv_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Example:
        >>> import torch
        >>> mean, log_var = ConvEncoder((64, 64, 3), 10)(torch.zeros(2, 64, 64, 3))
        >>> mean.shape, log_var.shape
        (torch.Size([2, 10]), torch.Size([2, 10]))
    """

    name = "conv_encoder"
    tf_scope = "encoder"
    divisor = DIVISOR

    def add_layers(self) -> None:
        """Four convolutions, a hidden layer, the means, the log variances."""
        height, width, channels = self.image_shape
        self.e1 = conv(channels, 32, 4)
        self.e2 = conv(32, 32, 4)
        self.e3 = conv(32, 64, 2)
        self.e4 = conv(64, 64, 2)
        self.e5 = dense((height // DIVISOR) * (width // DIVISOR) * 64, 256)
        self.means = dense(256, self.num_latent)
        self.log_var = dense(256, self.num_latent)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        hidden = channels_first(images)  # in memory channels stay last, and so they do from layer to layer
        for layer in (self.e1, self.e2, self.e3, self.e4):
            hidden = relu_(layer(hidden))
        hidden = relu_(self.e5(channels_last(hidden).flatten(1)))
        return self.means(hidden), self.log_var(hidden)


class DeconvDecoder(ImageNetwork):
    """``deconv_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation."""

    name = "deconv_decoder"
    tf_scope = "decoder"
    divisor = DIVISOR

    def add_layers(self) -> None:
        """Two dense layers, four transposed convolutions."""
        height, width, channels = self.image_shape
        self._smallest = (height // DIVISOR, width // DIVISOR, 64)
        self.dense = dense(self.num_latent, 256)
        self.dense_1 = dense(256, self._smallest[0] * self._smallest[1] * 64)
        self.conv2d_transpose = deconv(64, 64)
        self.conv2d_transpose_1 = deconv(64, 32)
        self.conv2d_transpose_2 = deconv(32, 32)
        self.conv2d_transpose_3 = deconv(32, channels)

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        hidden = relu_(self.dense_1(relu_(self.dense(codes))))
        hidden = channels_first(hidden.unflatten(1, self._smallest))
        for layer in (self.conv2d_transpose, self.conv2d_transpose_1, self.conv2d_transpose_2):
            hidden = relu_(layer(hidden))
        return channels_last(self.conv2d_transpose_3(hidden))
