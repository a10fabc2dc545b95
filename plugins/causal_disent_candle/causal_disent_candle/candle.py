"""CANDLE and its peers: `candle`, `candle_v1` and `synthetic`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from causal_disent_datasets.files import Publication

from causal_disent.data.candle_mini.data_set import candle_graph
from causal_disent.data.candle_mini.drawing import VALUE_NAMES
from causal_disent.data.counterfactual import IndependentFactors
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_candle.rendered import RenderedData

if TYPE_CHECKING:
    import networkx as nx

_PUBLISHED = "https://causal-disentanglement.github.io/IITH-CANDLE/"
_NAMES = {factor: {name: name for name in names} for factor, names in VALUE_NAMES.items()}
_SIZES = VALUE_NAMES["size"]


class Candle(IndependentFactors, RenderedData):
    """CANDLE: an object in a scene under a light, 6 factors; 12,546 images in the release, 320x240 pixels.

    A counterfactual is the image of the folder that has the factors asked for. Its object may stand elsewhere, and
    its camera may look another way: files vary these without saying so. A combination without an image is an
    error. `candle_mini` draws counterfactuals in which everything else stays.
    """

    publication = Publication(
        title="CANDLE",
        files=("candle",),
        published=_PUBLISHED,
        licence="CC BY 4.0",
        size="1.7 GB; 154 MB once read at 64x64",
    )
    values = _NAMES | {"size": dict(zip(_SIZES, ("1.5", "2", "2.5"), strict=True))}
    unique = True
    rule_sets = ("candle_released", "candle_table6")
    keeps_the_rest = False

    def rows_of(self, indices: IntArray) -> IntArray:
        """Return the value indices (n, factors) of these images."""
        return self._rows[self._positions(self.known(indices))]

    def _show_instead(self, indices: IntArray, rows: IntArray) -> FloatArray:
        """Return the images of the folder that show these factors (n, factors)."""
        return self.observations(self.sample_indices(rows, np.random.RandomState(0)))  # one image each: no draw

    def counterfactual_observed(self, indices: IntArray, do: Mapping[str, Any]) -> np.ndarray:
        """(n,) bool: whether the folder has an image of the factors of `counterfactual`."""
        return self._observed(indices, do)

    @classmethod
    def make_graph(cls) -> nx.DiGraph:
        """`candle_graph`: C confounds object, size, color and scene; U, which nobody sees, scene and light."""
        return candle_graph()


class CandleV1(Candle):
    """The first release of CANDLE: 3 scenes and other sizes; 4,050 images without rules."""

    publication = Publication(
        title="CANDLE v1",
        files=("candle_v1",),
        published=_PUBLISHED,
        licence="CC BY 4.0",
        size="50 MB once read at 64x64",
    )
    values = _NAMES | {
        "size": dict(zip(_SIZES, ("1", "1.5", "2"), strict=True)),
        "scene": {scene: scene for scene in ("indoor", "playground", "outdoor")},
    }
    rule_sets = ("candle_color", "candle_size")


class Synthetic(RenderedData):
    """Cylinders, cones and cubes whose color is their shape's: two factors that are one; 432 images."""

    publication = Publication(
        title="The synthetic data set",
        files=("synthetic",),
        published="nowhere; `causal-disent render synthetic` makes it",
        licence="Apache-2.0",
        size="5 MB once read at 64x64",
    )
    values = {
        factor: {name: name for name in names}
        for factor, names in {
            "object": ("cylinder", "cone", "cube"),
            "color": ("red", "green", "blue"),
        }.items()
    }
    unique = False
    rule_sets = ("synthetic_full",)

    @classmethod
    def make_graph(cls) -> nx.DiGraph:
        """C confounds object and color, which make the image."""
        import networkx as nx

        graph = nx.DiGraph()
        for node in ("C", *cls.values, "image"):
            graph.add_node(node, observed=True)
        graph.add_edges_from(("C", factor) for factor in cls.values)
        graph.add_edges_from((factor, "image") for factor in cls.values)
        return graph
