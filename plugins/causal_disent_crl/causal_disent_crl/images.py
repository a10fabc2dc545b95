"""The images of a data set: made when the first is asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx as nx


def as_floats(pixels: np.ndarray, channels: str) -> FloatArray:
    """(n, h, w, 3) uint8 as float32 in [0, 1], with an alpha channel of 1 if ``channels='rgba'``."""
    images = np.ones((*pixels.shape[:3], len(channels)), dtype=np.float32)
    np.divide(pixels, np.float32(255), out=images[..., :3])
    return images


def resized(pixels: np.ndarray, size: int) -> np.ndarray:
    """(n, h, w, 3) uint8 with `size` rows and columns, by Lanczos' filter."""
    from PIL import Image

    if pixels.shape[1:3] == (size, size):
        return pixels
    return np.stack(
        [np.asarray(Image.fromarray(p).resize((size, size), Image.Resampling.LANCZOS)) for p in pixels]
    )


class KeptImages:
    """The source of a `TableData`.

    Args:
        open_pixels: gives all images (n, size, size, 3) uint8; a function that can be pickled.
        size: their rows and columns.
        channels: ``rgb``, or ``rgba`` for an alpha channel of 1 beside them.
        graph: over the factors and ``image``.
    """

    def __init__(self, open_pixels: Callable[[], np.ndarray], size: int, channels: str, graph: nx.DiGraph) -> None:
        self._open, self.size, self.channels, self.graph = open_pixels, size, channels, graph

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (self.size, self.size, len(self.channels))

    @cached_property
    def pixels(self) -> np.ndarray:
        """All images (n, size, size, 3), uint8; usually mapped from a file."""
        return self._open()

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process opens the file again; pickling the map would read all of it.
        return {name: value for name, value in self.__dict__.items() if name != "pixels"}

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, size, size, channels) of these indices, float32 in [0, 1]."""
        return as_floats(self.pixels[np.asarray(indices)], self.channels)
