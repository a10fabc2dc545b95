"""Data sets whose images are drawn when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_disent import errors
from causal_disent.data.factorial import FactorialData
from causal_disent.data.state_space import StateSpace
from causal_disent.progress import in_batches
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx as nx

#: Images drawn between two steps of the progress bar.
CHUNK = 200


def confounded_graph(
    factors: Sequence[str], confounders: Mapping[str, Sequence[str]], hidden: str = ""
) -> nx.DiGraph:
    """The graph in which confounders cause factors, and the factors the image; each node has ``observed``.

    Args:
        factors: all of them.
        confounders: name -> the factors that it causes.
        hidden: the confounder that nobody can see, if there is one.
    """
    import networkx as nx

    graph = nx.DiGraph()
    for node in sorted((*confounders, *factors, "image"), key=lambda node: node != hidden):
        graph.add_node(node, observed=node != hidden)
    graph.add_edges_from((name, factor) for name, caused in confounders.items() for factor in caused)
    graph.add_edges_from((factor, "image") for factor in factors)
    return graph


class DrawnData(FactorialData):
    """One drawing for each combination of `space`, with a box around its object.

    Args:
        name: for the progress bar.
        space: the factors.
        observation_shape: of one image.
        draw: rows of factors -> images, bytes, and boxes (n, 4), the same each time.
        draw_in_place: rows of factors, and those of the images whose place and camera they keep -> the same; that
            of `draw` where nothing but the factors varies.
    """

    def __init__(
        self,
        name: str,
        space: StateSpace,
        observation_shape: tuple[int, int, int],
        draw: Callable[[IntArray], tuple[np.ndarray, np.ndarray]],
        draw_in_place: Callable[[IntArray, IntArray], tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> None:
        super().__init__(space, observation_shape)
        self._name, self._draw_rows, self._draw_in_place = name, draw, draw_in_place
        self._album = _album(name, space.num_combinations, observation_shape)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, h, w, c) of these indices, uint8."""
        indices = self._drawn(indices)
        return self._album.pixels[indices]

    def bounding_boxes(self, indices: IntArray) -> IntArray:
        """(n, 4): xmin, ymin, xmax, ymax around the object, in pixels from the top left, half-open."""
        indices = self._drawn(indices)
        return self._album.boxes[indices]

    def _show_instead(self, indices: IntArray, rows: IntArray) -> FloatArray:
        """These images with other factors (n, factors); the object stays in its place, and so does the camera."""
        if self._draw_in_place is None:
            return super()._show_instead(indices, rows)
        images = self.observations(indices)
        before = self.rows_of(indices)
        changed = np.flatnonzero((before != rows).any(axis=1))
        for now in in_batches(changed, CHUNK, f"drawing {self._name}"):
            images[now] = self._draw_in_place(rows[now], before[now])[0].astype(np.float32) / np.float32(255)
        return images

    def _drawn(self, indices: IntArray) -> IntArray:
        """The indices, after their images have been drawn."""
        album, indices = self._album, self.space.known(indices)
        missing = np.unique(indices)
        missing = missing[~album.drawn[missing]]
        for now in in_batches(missing, CHUNK, f"drawing {self._name}"):
            album.pixels[now], album.boxes[now] = self._draw_rows(self.space.to_factors(now))
            album.drawn[now] = True
        return indices


class _Album(NamedTuple):
    """What has been drawn so far."""

    pixels: np.ndarray
    boxes: np.ndarray
    drawn: np.ndarray


@lru_cache(maxsize=2)
def _album(name: str, total: int, shape: tuple[int, int, int]) -> _Album:
    """One for all data sets of a name and size: their images are always the same."""
    # np.zeros reserves memory page by page, so what is never drawn costs nothing.
    try:
        pixels = np.zeros((total, *shape), dtype=np.uint8)
    except MemoryError:
        raise errors.InvalidInput(
            f"There is no memory for {total:,} images of shape {shape}: ask for smaller ones, or for fewer."
        ) from None
    return _Album(pixels, np.zeros((total, 4), dtype=np.int64), np.zeros(total, dtype=bool))
