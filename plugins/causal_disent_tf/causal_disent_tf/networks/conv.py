"""The convolutional pair: 32, 32, 64, 64 filters with stride 2 and back (beta-VAE paper, table 1)."""

from __future__ import annotations

from typing import Any

from causal_disent.training.networks import ConvEncoderLayers, DeconvDecoderLayers
from causal_disent_tf.networks.image_network import ImageNetwork
from causal_disent_tf.networks.layers import tf


class ConvEncoder(ConvEncoderLayers, ImageNetwork):
    """``conv_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent)."""

    called = "conv_encoder"

    def call(self, images: Any) -> tuple[Any, Any]:
        """Mean and log variance of the codes."""
        hidden = images
        for layer in (self.e1, self.e2, self.e3, self.e4):
            hidden = tf.nn.relu(layer(hidden))
        hidden = tf.nn.relu(self.e5(tf.reshape(hidden, (-1, self.e5.kernel.shape[0]))))
        return self.means(hidden), self.log_var(hidden)


class DeconvDecoder(DeconvDecoderLayers, ImageNetwork):
    """``deconv_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation."""

    called = "deconv_decoder"

    def call(self, codes: Any) -> Any:
        """Images before the activation."""
        hidden = tf.nn.relu(self.dense_1(tf.nn.relu(self.dense(codes))))
        hidden = tf.reshape(hidden, (-1, *self.smallest))
        for layer in (self.conv2d_transpose, self.conv2d_transpose_1, self.conv2d_transpose_2):
            hidden = tf.nn.relu(layer(hidden))
        return self.conv2d_transpose_3(hidden)
