"""Causal models whose quality is known, for data sets with a graph: what scores say of the truth, and of less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice, check_number, check_seed, checked, graph_for
from causal_disent.data.counterfactual import has_true_counterfactuals
from causal_disent.data.factor_table import check_listed
from causal_disent.graphs import CausalGraph
from causal_disent.protocols import FloatArray
from causal_disent.representation.image_shape import image_keys
from causal_disent.representation.oracles import Oracle

EDGES = ("true", "empty", "reversed")


class CausalOracle(Oracle):
    """The truth: codes are the factors, the layer is the data set's mechanism, and what is decoded is drawn.

    The noise of a factor without causes is its distance from a value in the middle; that of an effect is what its
    causes leave open. An image is recognised if it is of the data set, or if this oracle has drawn it.

    What an image shows and no factor says (gravity in `flow` with a ``noise_seed``) is not in the codes.

    Args:
        data: finite data with `graph`, `counterfactual` and `counterfactual_values`, and exact factors.
    """

    def __init__(self, data: Any) -> None:
        check_listed(data, "A causal oracle")
        if not has_true_counterfactuals(data):
            raise errors.InvalidInput(
                "A causal oracle needs a data set with true counterfactuals, such as candle_mini, pendulum, flow "
                f"or shadow_mini; {type(data).__name__} has none."
            )
        self.concept_names = tuple(data.factor_names)
        self._graph = CausalGraph(graph_for(data)).among(self.concept_names)
        super().__init__(data, data.factor_values(data.factor_table.index.to_numpy()))
        # A value that occurs, in the middle: of a shape or a color there is none between two.
        self._centre = np.sort(self._table, axis=0)[len(self._table) // 2]
        self._drawn: dict[bytes, FloatArray] = {}

    @property
    def concepts(self) -> list[list[int]]:
        """A code for each factor."""
        return [[code] for code in range(len(self.concept_names))]

    @property
    def adjacency(self) -> FloatArray:
        """1 where a factor causes another."""
        return self._graph.adjacency().astype(np.float64)

    def __call__(self, images: FloatArray, /) -> FloatArray:
        codes = np.empty((len(images), len(self.concept_names)))
        unknown = []
        for place, key in enumerate(image_keys(images)):
            if key in self._drawn:
                codes[place] = self._drawn[key]
            else:
                unknown.append(place)
        if unknown:
            codes[unknown] = super().__call__(np.asarray(images)[unknown])
        return codes

    def noise(self, images: FloatArray) -> FloatArray:
        """(n, factors): what the causes of each factor leave open."""
        return self._noise_of(self(images))

    def causal_layer(self, noise: FloatArray) -> FloatArray:
        """Return the factors that follow from noise, causes first."""
        values = np.tile(self._centre, (len(noise), 1))
        for name in self._in_order():
            place = self.concept_names.index(name)
            values[:, place] = np.asarray(noise)[:, place] + self._without_noise(values, name)
        return values

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """Return the codes: they are the factors."""
        return np.array(codes)

    def intervene(self, codes: FloatArray, do: Mapping[int, Any]) -> FloatArray:
        """Return the factors that follow when some are set; each keeps its noise."""
        values, noise = np.array(codes, dtype=np.float64), self._noise_of(codes)
        changed = {self.concept_names[place] for place in do}
        for place, value in do.items():
            values[:, place] = value
        for name in self._in_order():
            if name not in changed and changed & set(self._graph.parents(name)):
                place = self.concept_names.index(name)
                values[:, place] = noise[:, place] + self._without_noise(values, name)
                changed.add(name)
        return values

    def decode(self, codes: FloatArray) -> FloatArray:
        """Return the drawn images of factors (n, factors)."""
        codes = np.asarray(codes, dtype=np.float64)
        images = self._data.counterfactual(self._reference(len(codes)), self._named(codes))
        for key, row in zip(image_keys(images), codes, strict=True):
            self._drawn.setdefault(key, row.copy())
        return images

    def _noise_of(self, codes: FloatArray) -> FloatArray:
        made = [self._without_noise(codes, name) for name in self.concept_names]
        return np.asarray(codes, dtype=np.float64) - np.stack(made, axis=1)

    def _without_noise(self, values: FloatArray, name: str) -> FloatArray:
        """(n,): the factor that others make, with the noise of one image for all; the middle where none does."""
        place = self.concept_names.index(name)
        if name in self._graph.roots:
            return np.full(len(values), self._centre[place])
        given = self._named(values)
        del given[name]
        return self._data.counterfactual_values(self._reference(len(values)), given)[:, place]

    def _named(self, values: FloatArray) -> dict[str, FloatArray]:
        return dict(zip(self.concept_names, np.asarray(values, dtype=np.float64).T, strict=True))

    def _reference(self, number: int) -> FloatArray:
        return np.repeat(self._indices[:1], number)

    def _in_order(self) -> list[str]:
        import networkx as nx

        return list(nx.topological_sort(self._graph.digraph))


class LinearCausalOracle(Oracle):
    """Standardised factors, or noise, under the layer z = (I - A^T)^-1 noise; it decodes the nearest image.

    Args:
        data: finite data with a graph.
        codes: (images, factors) standardised, in the order of ``data.factor_table``.
        adjacency: (factors, factors), row i causes column j.
    """

    def __init__(self, data: Any, codes: FloatArray, adjacency: FloatArray) -> None:
        self.concept_names, self.adjacency = tuple(data.factor_names), np.asarray(adjacency, dtype=np.float64)
        self._centre, self._scale = _centre_and_scale(data)
        super().__init__(data, codes)

    @property
    def concepts(self) -> list[list[int]]:
        """A code for each factor."""
        return [[code] for code in range(len(self.concept_names))]

    def noise(self, images: FloatArray) -> FloatArray:
        """(n, factors): the codes without what their causes add."""
        return self(images) @ (np.eye(len(self.adjacency)) - self.adjacency)

    def causal_layer(self, noise: FloatArray) -> FloatArray:
        """Return codes from noise."""
        return np.asarray(noise) @ np.linalg.inv(np.eye(len(self.adjacency)) - self.adjacency)

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """Return the codes, in the units of the factors."""
        return np.asarray(codes) * self._scale + self._centre

    def intervene(self, codes: FloatArray, do: Mapping[int, Any]) -> FloatArray:
        """Return codes with some concepts set; their effects follow."""
        unit = np.eye(len(self.adjacency))
        noise, cut = np.asarray(codes) @ (unit - self.adjacency), self.adjacency.copy()
        for place, value in do.items():
            noise[:, place] = (np.asarray(value, dtype=np.float64) - self._centre[place]) / self._scale[place]
            cut[:, place] = 0.0
        return noise @ np.linalg.inv(unit - cut)


@checked
def causal_oracle(data: Any) -> CausalOracle:
    """Return the true mechanism: factors, graph, interventions and pictures are those of the data set."""
    return CausalOracle(data)


@checked
def linear_causal_oracle(data: Any, edges: str = "true", weight: float = 1.0) -> LinearCausalOracle:
    """Return the standardised factors under a linear causal layer.

    Args:
        data: finite data with a graph.
        edges: ``"true"``, as in the data set's graph, ``"empty"`` for none, or ``"reversed"``.
        weight: of each edge.
    """
    check_listed(data, "An oracle")
    check_choice("edges", edges, EDGES)
    check_number("weight", weight)
    graph = CausalGraph(graph_for(data)).among(data.factor_names).adjacency().astype(np.float64)
    adjacency = {"true": graph, "empty": np.zeros_like(graph), "reversed": graph.T}[edges]
    return LinearCausalOracle(data, _standardised(data), weight * adjacency)


@checked
def causal_noise_oracle(data: Any, seed: int = 0) -> LinearCausalOracle:
    """Return codes of noise, one for each factor, under the true graph with unit edges."""
    check_listed(data, "An oracle")
    check_seed("seed", seed)
    codes = np.random.RandomState(seed).normal(size=(len(data.factor_table), len(data.factor_names)))
    graph = CausalGraph(graph_for(data)).among(data.factor_names).adjacency()
    return LinearCausalOracle(data, codes, graph.astype(np.float64))


def _values(data: Any) -> FloatArray:
    return np.asarray(data.factor_values(data.factor_table.index.to_numpy()), dtype=np.float64)


def _centre_and_scale(data: Any) -> tuple[FloatArray, FloatArray]:
    values = _values(data)
    spread = values.std(axis=0)
    return values.mean(axis=0), np.where(spread > 0, spread, 1.0)


def _standardised(data: Any) -> FloatArray:
    centre, scale = _centre_and_scale(data)
    return (_values(data) - centre) / scale
