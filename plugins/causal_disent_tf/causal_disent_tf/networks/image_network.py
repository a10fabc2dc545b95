"""What every encoder and decoder begins with: the sizes, checked, and weights drawn from a generator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causal_disent.training.network_checks import check_image_shape
from causal_disent_tf.networks.layers import initialise, layers


class ImageNetwork(layers.Layer):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    #: What configs and saved models call it.
    called: str
    #: What height and width must be divisible by.
    divisor = 1

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__(name=self.called)
        self.image_shape = check_image_shape(self.called, image_shape, self.divisor)
        self.num_latent = num_latent
        self.add_layers()
        initialise(self, generator)

    def add_layers(self) -> None:
        """Set a layer per attribute, in the order in which their weights are drawn."""
        raise NotImplementedError
