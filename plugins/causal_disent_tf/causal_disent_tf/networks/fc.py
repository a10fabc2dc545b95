"""The fully connected pair: two layers of 1200 with ReLU, three of 1200 with tanh (beta-VAE paper, table 1)."""

from __future__ import annotations

import math
from typing import Any

from causal_disent.training.networks import FcDecoderLayers, FcEncoderLayers
from causal_disent_tf.networks.image_network import ImageNetwork
from causal_disent_tf.networks.layers import tf


class FcEncoder(FcEncoderLayers, ImageNetwork):
    """``fc_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    called = "fc_encoder"

    def call(self, images: Any) -> tuple[Any, Any]:
        """Mean and log variance of the codes."""
        flat = tf.reshape(images, (-1, math.prod(self.image_shape)))
        hidden = tf.nn.relu(self.e2(tf.nn.relu(self.e1(flat))))
        return self.dense(hidden), self.dense_1(hidden)


class FcDecoder(FcDecoderLayers, ImageNetwork):
    """``fc_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    called = "fc_decoder"

    def call(self, codes: Any) -> Any:
        """Images before the activation."""
        hidden = codes
        for layer in (self.dense, self.dense_1, self.dense_2):
            hidden = tf.tanh(layer(hidden))
        return tf.reshape(self.dense_3(hidden), (-1, *self.image_shape))
