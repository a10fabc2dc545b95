"""Points of a data set whose factors cause each other, with the concepts of a model: what causal metrics need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, graph_for
from causal_disent.data.factor_table import check_listed, factor_values
from causal_disent.graphs import CausalGraph
from causal_disent.metrics.tools.concepts import Concepts, find_concepts, has_layer
from causal_disent.metrics.tools.interventions import check_images
from causal_disent.metrics.tools.needs import Needs, Sample, Source
from causal_disent.metrics.tools.sampling import factor_names
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.representation.code_table import CodeTable, checked_codes, encode


@dataclass(frozen=True)
class CausalPoints(Needs):
    """Images of a finite data set, their factors, and the model's concepts: ``needs=CausalPoints("crl_scores")``.

    Attributes:
        metric: who needs them, for messages.
        num_points: how many images are drawn, none twice; None for all.
        discovery: what makes a layer for a model that has none; with None, such a model is an error.
        layer: whether the noise before the causal layer is needed.
        graph: whether the data set's graph is needed.
        decoder: whether images are decoded.
    """

    metric: str
    num_points: int | None = None
    discovery: str | None = None
    layer: bool = False
    graph: bool = False
    decoder: bool = False

    arrays_suffice = False
    causal = True
    gives: tuple[str, ...] = field(default=("names",), init=False)

    @property
    def words(self) -> str:  # type: ignore[override]
        parts = ["a causal layer"] if self.layer else ["a decoder and do(...)"] if self.decoder else ["concepts"]
        return " and ".join([*parts, *(["a graph"] if self.graph else [])])

    @property
    def how(self) -> str:  # type: ignore[override]
        return (
            "`num_points` images, none twice (None: all); concepts that are not called as factors are matched to "
            "them by `matching`"
            + (", and a model without a causal layer is given that of `discovery`" * self.layer)
        )

    @property
    def parameters(self) -> dict[str, Any]:
        found = {"num_points": self.num_points, "matching": "spearman"}
        return found | ({"discovery": self.discovery} if self.layer or self.graph else {})

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        indices = draw_indices(source, drawn["num_points"], self.metric)
        if self.decoder and getattr(source.representation, "decode", None) is None:
            raise errors.missing_decoder(self.metric)
        if "discovery" in drawn and drawn["discovery"] is None and not has_layer(source.representation):
            raise errors.InvalidInput(
                f"{self.metric} needs a model with concepts and a causal layer, and this one has none. Bind "
                f"{self.metric}.discovery = 'gae_discovery', which fits one to its codes."
            )
        names = factor_names(source.data)
        graph = graph_of_factors(source.data, names) if self.graph else None
        table = CodeTable.of(source.data, source.representation)
        values = factor_values(source.data, indices)
        concepts = find_concepts(
            table.representation,
            table.codes_of(indices),
            values,
            names,
            metric=self.metric,
            discovery=drawn.get("discovery"),
            matching=drawn["matching"],
            random_state=source.random_state,
        )
        yield self.sample(source, indices, values, concepts, graph)

    def sample(
        self, source: Source, indices: IntArray, values: FloatArray, concepts: Concepts, graph: CausalGraph | None
    ) -> Sample:
        """What the function is called with."""
        arguments: tuple[Any, ...] = (concepts, graph)
        if self.layer:
            shape = source.data.observation_shape
            noise = encode(concepts.model.noise, indices, source.data.observations, shape)
            arguments = (noise, values, *arguments)
        return Sample(arguments, source.random_state, {"names": concepts.names})


@dataclass(frozen=True)
class Counterfactual:
    """What a counterfactual metric works with.

    Attributes:
        data: finite ground-truth data.
        indices: (n,) of images.
        values: (n, factors) their factors.
        codes: (n, codes) the model's codes of them.
        concepts: of the model, one for each factor.
    """

    data: Any
    indices: IntArray
    values: FloatArray
    codes: FloatArray
    concepts: Concepts

    def images(self, rows: IntArray) -> FloatArray:
        """The images of these rows."""
        return self.data.observations(self.indices[rows])

    def encode(self, images: FloatArray) -> FloatArray:
        """The codes of any images."""
        return checked_codes(self.concepts.model, images)

    def decode(self, codes: FloatArray) -> FloatArray:
        """The images of codes, checked."""
        images = np.asarray(self.concepts.model.decode(codes))
        return check_images(images, len(codes), tuple(self.data.observation_shape))

    def under(self, codes: FloatArray, factor: int, values: FloatArray) -> FloatArray:
        """The images (n, h, w, c) under do(factor = value), one value for each row."""
        return self.decode(self.concepts.intervene(codes, {factor: values}))

    @property
    def knows_truth(self) -> bool:
        """Whether the data set has true counterfactuals."""
        return hasattr(self.data, "counterfactual") and hasattr(self.data, "counterfactual_values")

    def truth(self, rows: IntArray, factor: int, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The images under do(factor = value) by the data set's own mechanism, and their factors (n, factors)."""
        indices, do = self.indices[rows], {self.concepts.names[factor]: values}
        return self.data.counterfactual(indices, do), self.data.counterfactual_values(indices, do)


@dataclass(frozen=True)
class CounterfactualPoints(CausalPoints):
    """Images, and a model that decodes and can be intervened on."""

    num_points: int | None = 200
    decoder: bool = True

    gives: tuple[str, ...] = field(default=(), init=False)

    def sample(
        self, source: Source, indices: IntArray, values: FloatArray, concepts: Concepts, graph: CausalGraph | None
    ) -> Sample:
        codes = CodeTable.of(source.data, source.representation).codes_of(indices)
        return Sample((Counterfactual(source.data, indices, values, codes, concepts),), source.random_state)


def draw_indices(source: Source, num_points: int | None, metric: str) -> IntArray:
    """So many images of a finite data set, none twice, in its order; all if None, or if there are fewer."""
    check_listed(source.data, metric)
    known = source.data.factor_table.index.to_numpy()
    if num_points is None:
        return known
    check_at_least(1, num_points=num_points)
    chosen = source.random_state.choice(len(known), min(num_points, len(known)), replace=False)
    return known[np.sort(chosen)]


def graph_of_factors(data: Any, names: Sequence[str]) -> CausalGraph:
    """The data set's graph between its factors alone."""
    graph = CausalGraph(graph_for(data))
    for name in names:
        if name not in graph.nodes:
            raise errors.InvalidInput(
                f"The graph's nodes are not the data set's factors: '{name}' is a factor and no node. Factors: "
                f"{errors.listing(names)}; nodes: {errors.listing(graph.nodes)}."
            )
    return graph.among(names)
