"""Data sets whose images are drawn when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from causal_disent import errors
from causal_disent.data.factorial import FactorialData
from causal_disent.data.state_space import StateSpace
from causal_disent.progress import track
from causal_disent.protocols import IntArray

#: Images drawn between two steps of the progress bar.
CHUNK = 200


class DrawnData(FactorialData):
    """One drawing for each combination of `space`, with a box around its object.

    Args:
        name: for the progress bar.
        space: the factors.
        observation_shape: of one image.
        draw: rows of factors -> images, bytes, and boxes (n, 4), the same each time.
    """

    def __init__(
        self,
        name: str,
        space: StateSpace,
        observation_shape: tuple[int, int, int],
        draw: Callable[[IntArray], tuple[np.ndarray, np.ndarray]],
    ) -> None:
        super().__init__(space, observation_shape)
        self._name, self._draw_rows = name, draw
        self._album = _album(name, space.num_combinations, observation_shape)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, h, w, c) of these indices, uint8."""
        self._draw(indices)
        return self._album.pixels[indices]

    def bounding_boxes(self, indices: IntArray) -> IntArray:
        """(n, 4): xmin, ymin, xmax, ymax around the object, in pixels from the top left, half-open."""
        self._draw(indices)
        return self._album.boxes[indices]

    def _draw(self, indices: IntArray) -> None:
        album = self._album
        missing = np.unique(indices)
        missing = missing[~album.drawn[missing]]
        for start in track(range(0, len(missing), CHUNK), f"drawing {self._name}", unit="batch"):
            now = missing[start : start + CHUNK]
            album.pixels[now], album.boxes[now] = self._draw_rows(self.space.to_factors(now))
            album.drawn[now] = True


class _Album:
    """What has been drawn so far."""

    def __init__(self, total: int, shape: tuple[int, int, int]) -> None:
        # np.zeros reserves memory page by page, so what is never drawn costs nothing.
        try:
            self.pixels = np.zeros((total, *shape), dtype=np.uint8)
        except MemoryError:
            raise errors.InvalidInput(
                f"There is no memory for {total:,} images of shape {shape}: ask for smaller ones, or for fewer."
            ) from None
        self.boxes = np.zeros((total, 4), dtype=np.int64)
        self.drawn = np.zeros(total, dtype=bool)


@lru_cache(maxsize=2)
def _album(name: str, total: int, shape: tuple[int, int, int]) -> _Album:
    """One for all data sets of a name and size: their images are always the same."""
    return _Album(total, shape)
