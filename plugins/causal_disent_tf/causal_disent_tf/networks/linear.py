"""The linear pair that disentanglement_lib's tests use: one layer each way."""

from __future__ import annotations

import math
from typing import Any

from causal_disent.training.networks import LinearDecoderLayers, LinearEncoderLayers
from causal_disent_tf.networks.image_network import ImageNetwork
from causal_disent_tf.networks.layers import tf


class LinearEncoder(LinearEncoderLayers, ImageNetwork):
    """``test_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    called = "test_encoder"

    def call(self, images: Any) -> tuple[Any, Any]:
        """Mean and log variance of the codes."""
        flat = tf.reshape(images, (-1, math.prod(self.image_shape)))
        return self.e1(flat), self.e2(flat)


class LinearDecoder(LinearDecoderLayers, ImageNetwork):
    """``test_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    called = "test_decoder"

    def call(self, codes: Any) -> Any:
        """Images before the activation."""
        return tf.reshape(self.d1(codes), (-1, *self.image_shape))
