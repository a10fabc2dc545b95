"""`candle_mini`: CANDLE's causal graph in miniature, drawn on demand."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from causal_disent import errors
from causal_disent.data import candle_drawing
from causal_disent.data.factorial import FactorialData
from causal_disent.data.state_space import StateSpace
from causal_disent.progress import track
from causal_disent.protocols import IntArray

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["CandleMini", "candle_graph"]

#: Images drawn between two steps of the progress bar.
CHUNK = 200


def candle_graph() -> nx.DiGraph:
    """CANDLE's graph: confounders, factors, image; each node has ``observed``.

    C (observed) and U (unobserved) confound the factors, which make the image.
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_node("U", observed=False)
    for node in ("C", *candle_drawing.FACTOR_NAMES, "image"):
        graph.add_node(node, observed=True)
    graph.add_edges_from(("C", factor) for factor in ("object", "size", "color", "scene"))
    graph.add_edges_from(("U", factor) for factor in ("scene", "light"))
    graph.add_edges_from((factor, "image") for factor in candle_drawing.FACTOR_NAMES)
    return graph


class CandleMini(FactorialData):
    """Six factors, 64x64x3 images; each image is drawn when it is first asked for and kept.

    Args:
        scenes: how many of CANDLE's 16 scenes there are: 3 make 4,050 images (50 MB when all are
            drawn), 16 make 21,600 (265 MB).

    Example:
        >>> data = CandleMini()
        >>> data.factor_names
        ('object', 'color', 'size', 'rotation', 'scene', 'light')
        >>> len(data.factor_table)
        4050
    """

    def __init__(self, scenes: int = 3) -> None:
        values = dict(candle_drawing.VALUE_NAMES)
        most = len(values["scene"])
        if not 1 <= scenes <= most:
            raise errors.InvalidInput(f"candle_mini has 1 to {most} scenes; given: scenes={scenes}.")
        values["scene"] = values["scene"][:scenes]
        super().__init__(StateSpace(values), candle_drawing.IMAGE_SHAPE)
        self._album = _album(self.space.num_combinations)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, 64, 64, 3) of these indices, uint8."""
        self._draw(indices)
        return self._album.pixels[indices]

    def bounding_boxes(self, indices: IntArray) -> IntArray:
        """(n, 4): xmin, ymin, xmax, ymax around the object, in pixels from the top left, half-open."""
        self._draw(indices)
        return self._album.boxes[indices]

    @cached_property
    def graph(self) -> nx.DiGraph:
        """`candle_graph`."""
        return candle_graph()

    def _draw(self, indices: IntArray) -> None:
        album = self._album
        missing = np.unique(indices)
        missing = missing[~album.drawn[missing]]
        for start in track(range(0, len(missing), CHUNK), "drawing candle_mini", unit="batch"):
            now = missing[start : start + CHUNK]
            album.pixels[now], album.boxes[now] = candle_drawing.draw(self.space.to_factors(now))
            album.drawn[now] = True


class _Album:
    """What has been drawn so far."""

    def __init__(self, total: int) -> None:
        # np.zeros reserves memory page by page, so what is never drawn costs nothing.
        self.pixels = np.zeros((total, *candle_drawing.IMAGE_SHAPE), dtype=np.uint8)
        self.boxes = np.zeros((total, 4), dtype=np.int64)
        self.drawn = np.zeros(total, dtype=bool)


@lru_cache(maxsize=1)
def _album(total: int) -> _Album:
    """One for all data sets of a size: the images are always the same."""
    return _Album(total)
