"""What every encoder and decoder begins with: the sizes, checked, and weights drawn from a generator."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from causal_disent import errors
from causal_disent_torch.networks.layers import initialise


class ImageNetwork(nn.Module):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    #: What configs and saved models call it.
    name: str
    #: What height and width must be divisible by.
    divisor = 1

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = self._checked(image_shape), num_latent
        self.add_layers()
        initialise(self, generator)

    def add_layers(self) -> None:
        """Set a layer per attribute, in the order in which their weights are drawn."""
        raise NotImplementedError

    def _checked(self, image_shape: Sequence[int]) -> tuple[int, int, int]:
        shape = tuple(int(side) for side in image_shape)
        if len(shape) != 3 or min(shape) < 1:
            raise errors.InvalidInput(f"An image has a shape (height, width, channels); given: {list(shape)}.")
        height, width, channels = shape
        if height % self.divisor or width % self.divisor:
            raise errors.InvalidInput(
                f"'{self.name}' takes images whose height and width can be divided by {self.divisor}; these are "
                f"{height}x{width}. Resize them, or take the fully connected architecture."
            )
        return height, width, channels
