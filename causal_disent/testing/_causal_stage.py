"""The small data set that causal metrics are tried on: two factors cause a third."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.data.table_data import TableData
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.testing._stage import NUM_VARIANTS, StageData

if TYPE_CHECKING:
    import networkx as nx


class CausalStage(TableData):
    """factor_0 + factor_1 = factor_2, each a band of the image; a last band, no factor, tells images apart.

    Args:
        sizes: how many values the two causes have.
        width: of the images, in pixels.
    """

    def __init__(self, sizes: tuple[int, ...], width: int = 8) -> None:
        whole = StageData((*sizes, sum(sizes) - 1, NUM_VARIANTS), width)
        rows = whole.space.to_factors(np.arange(whole.space.num_combinations))
        images = np.flatnonzero(rows[:, 0] + rows[:, 1] == rows[:, 2])
        self._bands = rows.astype(np.float64)
        super().__init__(whole, whole.space.subspace(range(3)), rows[images, :3], images=images)

    @cached_property
    def graph(self) -> nx.DiGraph:
        """Both causes make the effect, and all three the image."""
        import networkx as nx

        first, second, effect = self.factor_names
        image = [(name, "image") for name in self.factor_names]
        return nx.DiGraph([(first, effect), (second, effect), *image])

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, 3)."""
        return self._bands[np.asarray(indices), :3]

    def counterfactual_values(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, 3): the factors, had some been set."""
        values = self.factor_values(indices).copy()
        for place, name in enumerate(self.factor_names):
            if place == 2 and not {*self.factor_names[:2]}.isdisjoint(do):
                values[:, 2] = values[:, 0] + values[:, 1]
            if name in do:
                values[:, place] = do[name]
        return values

    def counterfactual(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, width, width, 3): the images, had factors been set."""
        bands = self._bands[np.asarray(indices)].copy()
        bands[:, :3] = self.counterfactual_values(indices, do)
        return self.source.drawn(bands).astype(np.float32) / 255  # type: ignore[attr-defined]
