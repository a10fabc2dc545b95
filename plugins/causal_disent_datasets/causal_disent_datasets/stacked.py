"""Finite data whose images are one array, in the order of the factors' combinations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.data.factorial import FactorialData
from causal_disent.protocols import IntArray

if TYPE_CHECKING:
    import networkx as nx


def graph_of(factor_names: tuple[str, ...]) -> nx.DiGraph:
    """The graph of factors that are independent of each other: each of them makes the image."""
    import networkx as nx

    graph = nx.DiGraph()
    for node in (*factor_names, "image"):
        graph.add_node(node, observed=True)
    graph.add_edges_from((factor, "image") for factor in factor_names)
    return graph


class Factors(FactorialData):
    """Factorial data with independent factors."""

    @cached_property
    def graph(self) -> nx.DiGraph:
        """`graph_of` the factors."""
        return graph_of(self.factor_names)


class StackedImages(Factors):
    """A subclass says in `load` where the array is; that happens when the first image is asked for."""

    def load(self) -> Any:
        """What gives uint8 images for an array of indices; usually a memory map (images, h, w, c)."""
        raise NotImplementedError

    @cached_property
    def _stack(self) -> Any:
        return self.load()

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process maps the file again; pickling the map would read all of it.
        return {name: value for name, value in self.__dict__.items() if name != "_stack"}

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, h, w, c) of these indices, uint8."""
        images = np.asarray(self._stack[np.asarray(indices)])
        return images.reshape(len(images), *self.observation_shape)
