"""Images mapped from the file they were read into."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.files import regular
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx as nx

#: Images that are turned into floats at a time: few enough to stay in the processor's cache.
CHUNK = 64


class MappedImages:
    """The source of a `TableData`: images, boxes and the graph.

    Args:
        path: an ``.npy`` file of (files, h, w, 3) uint8.
        boxes: (files, 4).
        graph: over the factors, their confounders and ``image``.
    """

    def __init__(self, path: Path, boxes: IntArray, graph: nx.DiGraph) -> None:
        self._path = path
        self._boxes = boxes
        self.graph = graph
        self.observation_shape: tuple[int, ...] = self._pixels.shape[1:]

    @cached_property
    def _pixels(self) -> np.ndarray:
        return np.asarray(np.load(regular(self._path), mmap_mode="r", allow_pickle=False))

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process maps the file again; pickling the map would read all of it.
        return {name: value for name, value in self.__dict__.items() if name != "_pixels"}

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, h, w, 3) of these indices, float32 in [0, 1]."""
        indices = np.asarray(indices)
        images = np.empty((len(indices), *self.observation_shape), dtype=np.float32)
        for start in range(0, len(indices), CHUNK):
            part = slice(start, start + CHUNK)
            np.divide(self._pixels[indices[part]], np.float32(255), out=images[part])
        return images

    def bounding_boxes(self, indices: IntArray) -> IntArray:
        """(n, 4): xmin, ymin, xmax, ymax around the object, in pixels from the top left, half-open."""
        return self._boxes[np.asarray(indices)]
