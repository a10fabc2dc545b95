"""What every encoder and decoder begins with: the sizes, checked, and weights drawn from a generator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causal_disent.training.networks import ImageLayers, check_image_shape
from causal_disent_tf.networks import layers as make


class ImageNetwork(ImageLayers, make.layers.Layer):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    #: What configs and saved models call it.
    called: str

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__(name=self.called)
        self.image_shape = check_image_shape(self.called, image_shape, self.divisor)
        self.num_latent = num_latent
        self.add_layers(make)
        make.initialise(self, generator)
