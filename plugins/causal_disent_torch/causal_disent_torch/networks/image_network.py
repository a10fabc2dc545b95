"""What every encoder and decoder begins with: the sizes, checked, and weights drawn from a generator."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from causal_disent.training.networks import ImageLayers, check_image_shape
from causal_disent_torch.networks import layers


class ImageNetwork(ImageLayers, nn.Module):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    #: What configs and saved models call it.
    name: str
    #: Training is faster with the images of a batch in parts (`train.side_by_side`).
    in_parts = False

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape = check_image_shape(self.name, image_shape, self.divisor)
        self.num_latent = num_latent
        self.add_layers(layers)
        layers.initialise(self, generator)
