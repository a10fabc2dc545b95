"""Networks between images and codes, of the sizes that CausalVAE's program has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from causal_disent import errors
from causal_disent.checks import check_whole
from causal_disent.text import shown_value
from causal_disent_crl.models.mlps import ConceptMlps, mlp

#: Slope of the convolutional networks' activation below 0.
SLOPE = 0.2
#: A convolutional decoder begins with an image of at most this side.
SMALLEST = 4


class MlpEncoder(nn.Module):
    """``crl_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes.
        generator: not used: torch's own, which a run seeds, draws the weights.
        hidden: units of the hidden layers, each followed by an ELU.

    Example:
        >>> import torch
        >>> mean, log_var = MlpEncoder((8, 8, 4), 16)(torch.zeros(2, 8, 8, 4))
        >>> mean.shape, log_var.shape
        (torch.Size([2, 16]), torch.Size([2, 16]))
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        hidden: Sequence[int] = (900, 300),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        sizes = check_sizes("crl_encoder.hidden", hidden)
        self.body = mlp([math.prod(image_shape), *sizes, 2 * num_latent])

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance."""
        mean, log_var = self.body(images.flatten(1)).chunk(2, dim=1)
        return mean, log_var


class ConvEncoder(nn.Module):
    """``crl_conv_encoder``: four convolutions that halve the image, as for CelebA; sides divisible by 16.

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes.
        generator: not used: torch's own, which a run seeds, draws the weights.
        channels: of the convolutions; the published ones have 32, 64, 1 and 1.
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        channels: Sequence[int] = (32, 64, 1, 1),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        height, width, given = image_shape
        sizes = check_sizes("crl_conv_encoder.channels", channels)
        factor = 2 ** len(sizes)
        if height % factor or width % factor:
            raise errors.InvalidInput(
                f"'crl_conv_encoder' halves images {len(sizes)} times, so that their sides must be divisible by "
                f"{factor}; these are {height}x{width}. Resize them, or take @crl_encoder."
            )
        layers: list[nn.Module] = []
        for before, after in zip([given, *sizes[:-1]], sizes, strict=True):
            layers += [nn.Conv2d(before, after, 4, stride=2, padding=1), nn.LeakyReLU(SLOPE)]
        self.body = nn.Sequential(*layers, nn.Flatten())
        self.heads = nn.Linear(sizes[-1] * (height // factor) * (width // factor), 2 * num_latent)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance."""
        mean, log_var = self.heads(self.body(images.permute(0, 3, 1, 2))).chunk(2, dim=1)
        return mean, log_var


class MlpImages(nn.Module):
    """Blocks of codes (n, k, d) to the average of what an MLP makes of each: (n, h, w, c), not activated."""

    def __init__(self, image_shape: Sequence[int], blocks: int, dims: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.image_shape, self.blocks = tuple(image_shape), blocks
        self.hidden = ConceptMlps(blocks, (dims, *hidden), active=True)
        # The average of last layers is one layer of all their inputs.
        self.last = nn.Linear(blocks * hidden[-1], math.prod(image_shape))
        bound = hidden[-1] ** -0.5
        nn.init.uniform_(self.last.weight, -bound, bound)

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        return (self.last(self.hidden(codes).flatten(1)) / self.blocks).unflatten(1, self.image_shape)


class ConvImages(nn.Module):
    """The same with transposed convolutions that double the image, as for CelebA."""

    def __init__(self, image_shape: Sequence[int], blocks: int, dims: int, hidden: Sequence[int]) -> None:
        super().__init__()
        height, width, channels = image_shape
        doublings = 0
        while height % 2 == width % 2 == 0 and max(height, width) > SMALLEST:
            height, width, doublings = height // 2, width // 2, doublings + 1
        sizes = [64, 64, *[32] * max(0, doublings - 2)][:doublings] + [channels]
        self.nets = nn.ModuleList(_doubling(dims, (height, width), sizes) for _ in range(blocks))

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        images = sum(net(block[:, :, None, None]) for net, block in zip(self.nets, codes.unbind(1), strict=True))
        return (images / len(self.nets)).permute(0, 2, 3, 1)


def _doubling(dims: int, smallest: tuple[int, int], sizes: Sequence[int]) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv2d(dims, 128, 1), nn.LeakyReLU(SLOPE)]
    layers.append(nn.ConvTranspose2d(128, sizes[0], smallest))
    for before, after in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [nn.LeakyReLU(SLOPE), nn.ConvTranspose2d(before, after, 4, stride=2, padding=1)]
    return nn.Sequential(*layers)


def check_sizes(name: str, sizes: Any) -> list[int]:
    """A list of whole numbers of at least 1."""
    if not isinstance(sizes, (list, tuple)) or not sizes:
        raise errors.InvalidInput(
            f"{name} must be a list of whole numbers, such as [900, 300]; given: {shown_value(sizes)}."
        )
    for size in sizes:
        check_whole(f"each of {name}", size, 1)
    return list(sizes)


#: What configs call the networks that draw images.
IMAGES = {"mlp": MlpImages, "conv": ConvImages}
