"""The discriminator of FactorVAE: six layers of 1000 with leaky ReLU (arXiv:1802.05983, appendix A)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from causal_disent.training.networks import FcDiscriminatorLayers
from causal_disent_torch.networks import layers


class FcDiscriminator(FcDiscriminatorLayers, nn.Module):
    """``fc_discriminator``: codes (n, num_latent) to logits (n, 2) of "as drawn" and "shuffled".

    Args:
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    name = "fc_discriminator"
    tf_scope = "discriminator"

    def __init__(self, num_latent: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.num_latent = num_latent
        self.add_layers(layers)
        layers.initialise(self, generator)

    def forward(self, codes: Tensor) -> Tensor:
        """Logits of the two classes."""
        hidden = codes
        for layer in (self.d1, self.d2, self.d3, self.d4, self.d5, self.d6):
            hidden = leaky_relu(layer(hidden), self.slope)
        return self.logits(hidden)
