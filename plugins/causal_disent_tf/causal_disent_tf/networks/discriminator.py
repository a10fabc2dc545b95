"""The discriminator of FactorVAE: six layers of 1000 with leaky ReLU (arXiv:1802.05983, appendix A)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.training.networks import FcDiscriminatorLayers
from causal_disent_tf.networks import layers as make
from causal_disent_tf.networks.layers import tf


class FcDiscriminator(FcDiscriminatorLayers, make.layers.Layer):
    """``fc_discriminator``: codes (n, num_latent) to logits (n, 2) of "as drawn" and "shuffled".

    Args:
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    def __init__(self, num_latent: int, generator: np.random.Generator | None = None) -> None:
        super().__init__(name="fc_discriminator")
        self.num_latent = num_latent
        self.add_layers(make)
        make.initialise(self, generator)

    def call(self, codes: Any) -> Any:
        """Logits of the two classes."""
        hidden = codes
        for layer in (self.d1, self.d2, self.d3, self.d4, self.d5, self.d6):
            hidden = tf.nn.leaky_relu(layer(hidden), self.slope)
        return self.logits(hidden)
