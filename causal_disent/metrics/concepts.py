"""The concepts of a causal model, one for each factor; points with them; and a layer discovered in codes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import (
    check_at_least,
    check_choice,
    check_matrix,
    check_not_negative,
    check_pairs,
    check_random_state,
    checked,
    graph_for,
)
from causal_disent.data.counterfactual import has_true_counterfactuals
from causal_disent.data.factor_table import check_listed, factor_values
from causal_disent.graphs import CausalGraph
from causal_disent.metrics.arrays import standardise
from causal_disent.metrics.cg import check_images
from causal_disent.metrics.contract import configurable, find_registered
from causal_disent.metrics.draw import Needs, Sample, Source, factor_names
from causal_disent.metrics.linear import match_codes, mcc
from causal_disent.metrics.mic import mic_matrix
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.representation.causal_functions import WithLayer, mix_blocks
from causal_disent.representation.code_table import CodeTable, checked_codes, encode
from causal_disent.text import shown_value

# --- The concept of each factor: by name, or matched

MATCHINGS = ("spearman", "pearson", "mic")

#: Points that MIC is computed of for a matching: it takes long, and a few tell which concept is which.
MATCHED_POINTS = 500

#: What a causal model has beside a decoder; with `PARTS` it has a layer, with these it can be intervened on.
PARTS = ("concepts", "concept_names", "adjacency", "noise", "causal_layer")
#: What else tells that somebody means a causal model.
CAUSAL = ("do", "intervene")


class CodesAsConcepts(WithLayer):
    """A representation without a causal layer as a causal model: each code is a concept that causes nothing.

    Args:
        representation: images -> codes, perhaps with a decoder.
        codes: (points, codes) what it makes of points.
        columns: the codes that stand for factors, for which a layer is discovered.
        discovery: (standardised columns, random_state) -> an object with `adjacency` and
            ``causal_layer(values, adjacency)``, or ``predict(values)``; None for no layer and no edge.
        random_state: of the discovery.
    """

    def __init__(
        self,
        representation: Any,
        codes: FloatArray,
        columns: Sequence[int],
        discovery: Callable[..., Any] | None,
        random_state: np.random.RandomState,
    ) -> None:
        self._representation, self._columns = representation, list(columns)
        self._centre = codes.mean(axis=0)
        scale = codes.std(axis=0)
        self._scale = np.where(scale > 0, scale, 1.0)
        self.concepts = [[code] for code in range(codes.shape[1])]
        self.concept_names = [f"code {code}" for code in range(codes.shape[1])]
        self.adjacency = np.zeros((codes.shape[1],) * 2)
        self._found: Any = None
        if discovery is not None:
            self._found = discovery(standardise(codes[:, self._columns], codes[:, self._columns])[0], random_state)
            self.adjacency[np.ix_(self._columns, self._columns)] = self._found.adjacency

    def noise(self, images: FloatArray) -> FloatArray:
        """The codes, standardised: before the discovered layer there is nothing else."""
        return (np.asarray(self._representation(images)) - self._centre) / self._scale

    def causal_layer(self, noise: FloatArray, adjacency: FloatArray | None = None) -> FloatArray:
        """The discovered layer on the codes that stand for factors; without one, all as they are."""
        codes = np.array(noise, dtype=np.float64)
        if self._found is not None:
            weights = (self.adjacency if adjacency is None else adjacency)[np.ix_(self._columns, self._columns)]
            own = codes[:, self._columns]
            layer = getattr(self._found, "causal_layer", None)
            codes[:, self._columns] = self._found.predict(own) if layer is None else layer(own, weights)
        return codes

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """The codes."""
        return np.asarray(codes)

    def intervene(self, codes: FloatArray, do: Mapping[int, Any]) -> FloatArray:
        """The codes with some of them set; no other follows."""
        changed = np.array(codes, dtype=np.float64)
        for code, value in do.items():
            changed[:, code] = value
        return changed


@dataclass(frozen=True)
class Concepts:
    """The concept of each factor, with values in the units of the factors.

    Attributes:
        model: a `causal_disent.protocols.CausalModel`.
        names: of the factors.
        places: for each factor, which concept of the model is its.
        slopes: (factors,) factor = slope * concept + offset; 1 where the model was taught the factor.
        offsets: (factors,) 0 where the model was taught it.
        how: how concepts got their factors, and where the layer comes from.
    """

    model: Any
    names: tuple[str, ...]
    places: tuple[int, ...]
    slopes: FloatArray
    offsets: FloatArray
    how: str

    @property
    def blocks(self) -> list[list[int]]:
        """The codes of each factor's concept."""
        return [list(self.model.concepts[place]) for place in self.places]

    @property
    def adjacency(self) -> FloatArray:
        """(factors, factors): the weights between their concepts."""
        return np.asarray(self.model.adjacency, dtype=np.float64)[np.ix_(self.places, self.places)]

    def values(self, codes: FloatArray) -> FloatArray:
        """(n, factors): what the codes say of each factor."""
        return np.asarray(self.model.concept_values(codes))[:, self.places] * self.slopes + self.offsets

    def intervene(self, codes: FloatArray, do: Mapping[int, Any]) -> FloatArray:
        """Codes under do(factor = value), in the units of the factor."""
        set_to = {
            self.places[factor]: (np.asarray(value, dtype=np.float64) - self.offsets[factor]) / self.slopes[factor]
            for factor, value in do.items()
        }
        return np.asarray(self.model.intervene(codes, set_to))

    def layer(self, threshold: float) -> tuple[Callable[[FloatArray], FloatArray], int, bool]:
        """The causal layer without the edges whose weight is below `threshold`, positive or negative.

        Returns:
            The layer, how many edges are cut, and whether they could be: a layer is cut that takes an
            ``adjacency``, or that is z = (I - A^T)^-1 noise in each dimension.
        """
        weights = np.asarray(self.model.adjacency, dtype=np.float64)
        weak = (np.abs(weights) < threshold) & (weights != 0)
        plain, kept = self.model.causal_layer, np.where(weak, 0.0, weights)
        if not weak.any():
            return plain, 0, True
        if "adjacency" in inspect.signature(plain).parameters:
            return lambda noise: plain(noise, adjacency=kept), int(weak.sum()), True
        if self._is_linear(weights):
            return lambda noise: _linear(noise, self.model.concepts, kept), int(weak.sum()), True
        return plain, int(weak.sum()), False

    def _is_linear(self, weights: FloatArray) -> bool:
        """Whether the layer is the linear one, as far as noise of which nothing is special tells."""
        if len({len(block) for block in self.model.concepts}) != 1:
            return False
        size = 1 + max(code for block in self.model.concepts for code in block)
        trial = np.random.RandomState(0).normal(size=(8, size))
        try:
            out = np.asarray(self.model.causal_layer(trial))
            return bool(np.allclose(out, _linear(trial, self.model.concepts, weights), rtol=1e-3, atol=1e-4))
        except (ValueError, RuntimeError, np.linalg.LinAlgError):  # it takes other codes beside, or is singular
            return False


def _linear(noise: FloatArray, concepts: Sequence[Sequence[int]], weights: FloatArray) -> FloatArray:
    """z = (I - A^T)^-1 noise, in each dimension of the blocks."""
    return mix_blocks(noise, concepts, np.linalg.inv(np.eye(len(weights)) - weights))


def has_layer(representation: Any) -> bool:
    """Whether it has concepts, a graph between them, and a layer that obeys it.

    A representation with a part of that is refused: measured as one without a layer, its interventions would be
    ignored.
    """
    missing = [part for part in PARTS if not hasattr(representation, part)]
    if not missing:
        return True
    if found := [part for part in (*CAUSAL, *PARTS) if hasattr(representation, part)]:
        raise errors.InvalidInput(
            f"The model has {errors.listing(found)} of a causal model, and lacks {errors.listing(missing)} "
            "(causal_disent.protocols.CausalModel). Add them, or make the model of functions with "
            "causal_disent.CausalFunctions; or measure `lambda images: model(images)`, which has no causal layer."
        )
    return False


def find_concepts(
    representation: Any,
    codes: FloatArray,
    values: FloatArray,
    names: Sequence[str],
    *,
    metric: str,
    discovery: Any = None,
    matching: str = "spearman",
    random_state: np.random.RandomState,
) -> Concepts:
    """The concept of each factor.

    By name where the model was taught factors of these names; else by the assignment of the largest sum of
    correlations (or MIC), each given the mean and spread of its factor. A representation without concepts has its
    codes for concepts.

    Args:
        representation: a `causal_disent.protocols.CausalModel`, or any representation.
        codes: (points, codes) what it makes of points.
        values: (points, factors) their factors.
        names: of the factors.
        metric: who asks, for messages.
        discovery: what makes a layer for a representation that has none: a function as `CodesAsConcepts` takes it,
            or the name of a registered part; None for none.
        matching: ``"spearman"``, ``"pearson"`` or ``"mic"``.
        random_state: of the discovery.
    """
    codes, values = check_pairs(codes, values)
    check_choice("matching", matching, MATCHINGS)
    if isinstance(discovery, str):
        discovery = find_registered("parts", discovery)
    if discovery is not None and not callable(discovery):
        raise errors.InvalidInput(
            f"{metric}.discovery is the name of a part, such as 'gae_discovery', or a function; given: "
            f"{shown_value(discovery)}."
        )
    is_causal = has_layer(representation)
    seen = np.asarray(representation.concept_values(codes)) if is_causal else codes
    if is_causal and set(names) <= set(representation.concept_names):
        given = list(representation.concept_names)
        places = tuple(given.index(name) for name in names)
        return Concepts(
            representation, tuple(names), places, np.ones(len(names)), np.zeros(len(names)), "concepts by name"
        )
    if seen.shape[1] < values.shape[1]:
        what = "concepts" if is_causal else "codes"
        raise errors.InvalidInput(
            f"{metric} needs a concept for each of the {len(names)} factors {errors.listing(names)}; the model "
            f"has {seen.shape[1]} {what}."
        )
    places = match_concepts(seen, values, matching)
    how = f"concepts matched by {matching}"
    if not is_causal:
        representation = CodesAsConcepts(representation, codes, places, discovery, random_state)
        how = f"codes matched by {matching}, " + (
            "no layer" if discovery is None else "layer discovered afterwards"
        )
    slopes, offsets = _units(seen[:, places], values)
    return Concepts(representation, tuple(names), places, slopes, offsets, how)


def match_concepts(concepts: FloatArray, factors: FloatArray, matching: str = "spearman") -> tuple[int, ...]:
    """The column of `concepts` (points, concepts) for each factor (points, factors), none twice.

    Example:
        >>> v = np.random.RandomState(0).normal(size=(50, 3))
        >>> match_concepts(-v[:, [2, 0, 1]], v)
        (1, 2, 0)
    """
    if matching == "mic":
        rows = np.linspace(0, len(concepts) - 1, min(MATCHED_POINTS, len(concepts))).astype(int)
        scores = mic_matrix(concepts[rows], factors[rows], floor_draws=0).mic
    else:
        scores = np.nan_to_num(mcc(concepts, factors, correlation=matching).matrix)
    return tuple(int(place) for place in match_codes(scores)[1])  # type: ignore[arg-type]


def _units(concepts: FloatArray, factors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope and offset with which a concept has the mean and the spread of its factor, and goes up with it.

    Least squares would have the concept of a factor that it hardly tells set far beyond what occurs.
    """
    centred = concepts - concepts.mean(axis=0)
    rising = (centred * (factors - factors.mean(axis=0))).sum(axis=0) >= 0
    spread = np.where(concepts.min(axis=0) < concepts.max(axis=0), concepts.std(axis=0), 1.0)
    slopes = np.where(rising, 1.0, -1.0) * np.where(factors.std(axis=0) > 0, factors.std(axis=0), 1.0) / spread
    return slopes, factors.mean(axis=0) - slopes * concepts.mean(axis=0)


# --- Points of a data set whose factors cause each other, with the concepts of a model


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
        graph = find_graph_of_factors(source.data, names) if self.graph else None
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
        make_classifier: of `Source`.
    """

    data: Any
    indices: IntArray
    values: FloatArray
    codes: FloatArray
    concepts: Concepts
    make_classifier: Callable[..., Any] | None = None

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
        return has_true_counterfactuals(self.data)

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
        points = Counterfactual(source.data, indices, values, codes, concepts, source.make_classifier)
        return Sample((points,), source.random_state)


def draw_indices(source: Source, num_points: int | None, metric: str) -> IntArray:
    """So many images of a finite data set, none twice, in its order; all if None, or if there are fewer."""
    check_listed(source.data, metric)
    known = source.data.factor_table.index.to_numpy()
    if num_points is None:
        return known
    check_at_least(1, num_points=num_points)
    chosen = source.random_state.choice(len(known), min(num_points, len(known)), replace=False)
    return known[np.sort(chosen)]


def find_graph_of_factors(data: Any, names: Sequence[str]) -> CausalGraph:
    """The data set's graph between its factors alone."""
    graph = CausalGraph(graph_for(data))
    for name in names:
        if name not in graph.nodes:
            raise errors.InvalidInput(
                f"The graph's nodes are not the data set's factors: '{name}' is a factor and no node. Factors: "
                f"{errors.listing(names)}; nodes: {errors.listing(graph.nodes)}."
            )
    return graph.among(names)


# --- A graph autoencoder in numpy (Ng et al. 2019, arXiv:1911.07420): who causes whom, and a layer that obeys it
#
# In numpy, because metrics ask for it where torch is not installed. plugins/causal_disent_crl has the same formula
# as a layer that is trained within a model.

LEAK = 0.05

#: Growth of the penalty, what the cycles must shrink by to spare it, and its cap.
GROWTH, SHRUNK, MOST_PENALTY = 10.0, 0.25, 1e18

#: Stop where cycles are gone after some rounds, or where the fit becomes so much worse with hardly any left.
NO_CYCLES, LEAST_ROUNDS, FEW_CYCLES, WORSE = 1e-12, 5, 1e-7, 1.15

Weights = list[FloatArray]


@dataclass(frozen=True)
class Discovered:
    """Who causes whom among columns, and the layer that was learnt with it.

    Attributes:
        adjacency: (columns, columns) entry (i, j) is the weight of i -> j; the largest is 1 or -1.
        scale: what the layer multiplies the weights by: encoder and decoder can undo any.
        encoder: weights and biases in turn, shared by all columns.
        decoder: the same.
        cycles: how far the weights are from a graph without cycles, 0 for one.
        error: the mean squared distance of the columns from what the layer makes of their causes.
    """

    adjacency: FloatArray
    scale: float
    encoder: Weights
    decoder: Weights
    cycles: float
    error: float

    def causal_layer(self, values: FloatArray, adjacency: FloatArray | None = None) -> FloatArray:
        """Columns (n, columns), in the units fitted, from their causes alone, under this `adjacency` if given."""
        weights = self.adjacency if adjacency is None else adjacency
        mixed = _forward(values, self.encoder)[-1].reshape(values.shape) @ (self.scale * weights)
        return _forward(mixed, self.decoder)[-1].reshape(values.shape)


@configurable("gae_discovery", supplied=("values", "random_state"))
@checked
def gae_discovery(
    values: FloatArray,
    random_state: np.random.RandomState | int = 0,
    hidden: int = 16,
    l1: float = 0.0,
    learning_rate: float = 1e-3,
    rounds: int = 10,
    steps: int = 300,
    max_points: int | None = 300,
) -> Discovered:
    r"""Fit a graph autoencoder: each column from its causes, without cycles.

    .. math:: \hat X = g_2(W^\top g_1(X)), \qquad
        \min_W \tfrac1{2n}\|X - \hat X\|^2 + \lambda |W|_1 \;\text{ with }\; \operatorname{tr} e^{W \circ W} = d

    by an augmented Lagrangian and Adam on all points; g1 and g2 have two hidden layers, the same for all columns.
    The direction of an edge is that of the smaller error, which data need not settle: look at several seeds.

    Args:
        values: (points, columns) numbers, two columns at least, standardised for the defaults to make sense.
        random_state: seed or generator, of the first weights and of the points that are taken.
        hidden: units of each hidden layer.
        l1: weight of the edges' sum: 1 as published, where columns are not standardised; here that leaves no edge.
        learning_rate: of Adam.
        rounds: how often the penalty may grow; 20 as published.
        steps: of Adam in each round.
        max_points: points that it is fitted to, drawn where there are more; None for all, as published.

    Returns:
        `Discovered`. Its weights are divided by the largest; published is a threshold of 0.2 then, none here.

    Example:
        >>> cause = np.random.RandomState(0).normal(size=(300, 1))
        >>> found = gae_discovery(np.hstack([cause, cause]), steps=100, rounds=8)
        >>> found.adjacency.shape, float(found.adjacency[0, 0])
        ((2, 2), 0.0)
    """
    values = check_matrix("values", values, columns="columns")
    if values.shape[1] < 2:
        raise errors.InvalidInput(f"gae_discovery needs two columns or more; given: {values.shape[1]}.")
    check_at_least(1, hidden=hidden, rounds=rounds, steps=steps)
    if max_points is not None:
        check_at_least(1, max_points=max_points)
    check_not_negative(l1=l1, learning_rate=learning_rate)
    generator = check_random_state(random_state)
    if max_points is not None and len(values) > max_points:
        values = values[generator.choice(len(values), max_points, replace=False)]
    values = values.astype(np.float32)
    weights = _first_weights(values.shape[1], hidden, generator)
    adam = _Adam(weights, learning_rate)
    multiplier, penalty, before = 0.0, 1.0, (np.inf, np.inf)
    kept, error, cycles = [weight.copy() for weight in weights], np.inf, np.inf
    for number in range(rounds):
        for _ in range(steps):
            gradients, error, cycles = _gradients(values, weights, l1, multiplier, penalty)
            adam.step(gradients)
            np.fill_diagonal(weights[0], 0.0)
        if error > WORSE * before[0] and cycles <= FEW_CYCLES:
            weights, (error, cycles) = kept, before
            break
        kept = [weight.copy() for weight in weights]
        if cycles <= NO_CYCLES and number + 1 >= LEAST_ROUNDS:
            break
        multiplier += penalty * cycles
        if cycles > SHRUNK * before[1]:
            penalty = min(penalty * GROWTH, MOST_PENALTY)
        before = error, cycles
    scale = float(np.abs(weights[0]).max()) or 1.0
    return Discovered(weights[0].astype(np.float64) / scale, scale, weights[1:7], weights[7:], cycles, error)


def _first_weights(columns: int, hidden: int, generator: np.random.RandomState) -> Weights:
    adjacency = generator.uniform(-0.1, 0.1, size=(columns, columns))
    np.fill_diagonal(adjacency, 0.0)
    weights = [adjacency]
    for _ in range(2):
        for wide, tall in ((1, hidden), (hidden, hidden), (hidden, 1)):
            bound = np.sqrt(6 / (wide + tall))
            weights += [generator.uniform(-bound, bound, size=(wide, tall)), np.zeros(tall)]
    return [weight.astype(np.float32) for weight in weights]


def _forward(values: FloatArray, weights: Weights) -> list[FloatArray]:
    """What goes into each layer, (n * columns, units), and at the end what comes out."""
    seen = [values.reshape(-1, 1)]  # flat: one large product in place of n small ones
    for place in range(0, len(weights), 2):
        out = seen[-1] @ weights[place] + weights[place + 1]
        seen.append(out if place + 2 == len(weights) else np.maximum(out, LEAK * out))
    return seen


def _backward(seen: list[FloatArray], weights: Weights, gradient: FloatArray) -> tuple[Weights, FloatArray]:
    """Gradients of the weights, and of what went in, from that of what came out."""
    found: Weights = []
    for place in range(len(weights) - 2, -1, -2):
        before = seen[place // 2]
        found = [before.T @ gradient, gradient.sum(axis=0), *found]
        gradient = gradient @ weights[place].T
        if place:
            gradient *= np.where(before > 0, np.float32(1), np.float32(LEAK))
    return found, gradient


def _gradients(
    values: FloatArray, weights: Weights, l1: float, multiplier: float, penalty: float
) -> tuple[Iterator[FloatArray], float, float]:
    """Of the augmented Lagrangian; the squared error, and how far the graph is from having no cycles."""
    from scipy.linalg import expm

    adjacency, encoder, decoder = weights[0], weights[1:7], weights[7:]
    coded = _forward(values, encoder)
    sent = coded[-1].reshape(values.shape)
    mixed = _forward(sent @ adjacency, decoder)
    apart = mixed[-1] - values.reshape(-1, 1)
    of_decoder, back = _backward(mixed, decoder, apart / len(values))
    received = back.reshape(values.shape)
    of_encoder, _ = _backward(coded, encoder, (received @ adjacency.T).reshape(-1, 1))
    powers = expm(np.square(adjacency, dtype=np.float64))
    cycles = float(np.trace(powers)) - len(adjacency)
    of_graph = sent.T @ received + l1 * np.sign(adjacency)
    of_graph += (multiplier + penalty * cycles) * powers.T * 2 * adjacency
    return iter([of_graph, *of_encoder, *of_decoder]), float((apart**2).mean()), cycles


class _Adam:
    """Moves weights along gradients, in place."""

    def __init__(self, weights: Weights, rate: float, decays: tuple[float, float] = (0.9, 0.999)) -> None:
        self._weights, self._rate, self._decays, self._count = weights, rate, decays, 0
        self._means: list[Any] = [np.zeros((2, *weight.shape), dtype=weight.dtype) for weight in weights]

    def step(self, gradients: Iterator[FloatArray]) -> None:
        """One step."""
        self._count += 1
        first, second = self._decays
        for weight, mean, gradient in zip(self._weights, self._means, gradients, strict=True):
            mean[0] += (1 - first) * (gradient - mean[0])
            mean[1] += (1 - second) * (gradient**2 - mean[1])
            scaled = mean[0] / (1 - first**self._count)
            weight -= self._rate * scaled / (np.sqrt(mean[1] / (1 - second**self._count)) + 1e-8)
