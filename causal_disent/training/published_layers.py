"""The layers of disentanglement_lib's architectures, once for all frameworks, as its checkpoints call them.

A network of a framework has one of these classes as its first base. ``add_layers(make)`` sets a layer per
attribute, in the order in which their weights are drawn; `make` has the framework's ``dense(inputs, outputs)``,
``conv(inputs, outputs, kernel)``, which halves height and width, and ``deconv(inputs, outputs)``, which doubles
them.
"""

from __future__ import annotations

import math
from typing import Any


class ImageLayers:
    """What layers from images or to them are made for.

    Attributes:
        image_shape: (h, w, c).
        num_latent: number of codes.
    """

    #: What height and width must be divisible by.
    divisor = 1
    image_shape: tuple[int, int, int]
    num_latent: int

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        raise NotImplementedError


class _Conv(ImageLayers):
    """Of the convolutional pair, which halves an image four times, to 64 channels (beta-VAE paper, table 1)."""

    divisor = 16

    @property
    def smallest(self) -> tuple[int, int, int]:
        """(h, w, c) of an image that was halved four times."""
        height, width, _ = self.image_shape
        return height // self.divisor, width // self.divisor, 64


class ConvEncoderLayers(_Conv):
    """Four convolutions, a hidden layer, the means, the log variances."""

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.e1 = make.conv(self.image_shape[-1], 32, 4)
        self.e2 = make.conv(32, 32, 4)
        self.e3 = make.conv(32, 64, 2)
        self.e4 = make.conv(64, 64, 2)
        self.e5 = make.dense(math.prod(self.smallest), 256)
        self.means = make.dense(256, self.num_latent)
        self.log_var = make.dense(256, self.num_latent)


class DeconvDecoderLayers(_Conv):
    """Two dense layers, four transposed convolutions."""

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.dense = make.dense(self.num_latent, 256)
        self.dense_1 = make.dense(256, math.prod(self.smallest))
        self.conv2d_transpose = make.deconv(64, 64)
        self.conv2d_transpose_1 = make.deconv(64, 32)
        self.conv2d_transpose_2 = make.deconv(32, 32)
        self.conv2d_transpose_3 = make.deconv(32, self.image_shape[-1])


class FcEncoderLayers(ImageLayers):
    """Two hidden layers of 1200, the means, the log variances (beta-VAE paper, table 1)."""

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.e1 = make.dense(math.prod(self.image_shape), 1200)
        self.e2 = make.dense(1200, 1200)
        self.dense = make.dense(1200, self.num_latent)  # the means; TensorFlow numbers unnamed layers
        self.dense_1 = make.dense(1200, self.num_latent)


class FcDecoderLayers(ImageLayers):
    """Three hidden layers of 1200, the pixels."""

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.dense = make.dense(self.num_latent, 1200)
        self.dense_1 = make.dense(1200, 1200)
        self.dense_2 = make.dense(1200, 1200)
        self.dense_3 = make.dense(1200, math.prod(self.image_shape))


class LinearEncoderLayers(ImageLayers):
    """The means, the log variances."""

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.e1 = make.dense(math.prod(self.image_shape), self.num_latent)
        self.e2 = make.dense(math.prod(self.image_shape), self.num_latent)


class LinearDecoderLayers(ImageLayers):
    """The pixels."""

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.d1 = make.dense(self.num_latent, math.prod(self.image_shape))


class FcDiscriminatorLayers:
    """Six layers of 1000, the logits of the two classes (FactorVAE, arXiv:1802.05983, appendix A)."""

    #: Of the leaky ReLU; TensorFlow's, torch's own is 0.01.
    slope = 0.2
    num_latent: int

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.d1 = make.dense(self.num_latent, 1000)
        self.d2 = make.dense(1000, 1000)
        self.d3 = make.dense(1000, 1000)
        self.d4 = make.dense(1000, 1000)
        self.d5 = make.dense(1000, 1000)
        self.d6 = make.dense(1000, 1000)
        self.logits = make.dense(1000, 2)
