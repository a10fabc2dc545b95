"""The concepts of a model, one for each factor of a data set: by their names, or matched."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice, check_pairs
from causal_disent.metrics.mcc import matched_correlation, mcc
from causal_disent.metrics.mic import mic_matrix
from causal_disent.metrics.tools.linear_probe import standardise
from causal_disent.protocols import FloatArray
from causal_disent.registry import registry
from causal_disent.text import shown_value

MATCHINGS = ("spearman", "pearson", "mic")
#: Points that MIC is computed of for a matching: it takes long, and a few tell which concept is which.
MATCHED_POINTS = 500
#: What a causal model has beside a decoder; with `PARTS` it has a layer, with these it can be intervened on.
PARTS = ("concepts", "concept_names", "adjacency", "noise", "causal_layer")


class CodesAsConcepts:
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

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self._representation(images)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._representation, name)

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
    codes = np.array(noise, dtype=np.float64)
    blocks = np.asarray(concepts)
    mixed = np.einsum("nid,ij->njd", codes[:, blocks], np.linalg.inv(np.eye(len(weights)) - weights))
    codes[:, blocks] = mixed
    return codes


def has_layer(representation: Any) -> bool:
    """Whether it has concepts, a graph between them, and a layer that obeys it."""
    return all(hasattr(representation, part) for part in PARTS)


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
        discovery = registry.function("parts", discovery)
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
    places = match(seen, values, matching)
    how = f"concepts matched by {matching}"
    if not is_causal:
        representation = CodesAsConcepts(representation, codes, places, discovery, random_state)
        how = f"codes matched by {matching}, " + (
            "no layer" if discovery is None else "layer discovered afterwards"
        )
    slopes, offsets = _units(seen[:, places], values)
    return Concepts(representation, tuple(names), places, slopes, offsets, how)


def match(concepts: FloatArray, factors: FloatArray, matching: str = "spearman") -> tuple[int, ...]:
    """The column of `concepts` (points, concepts) for each factor (points, factors), none twice.

    Example:
        >>> v = np.random.RandomState(0).normal(size=(50, 3))
        >>> match(-v[:, [2, 0, 1]], v)
        (1, 2, 0)
    """
    if matching == "mic":
        rows = np.linspace(0, len(concepts) - 1, min(MATCHED_POINTS, len(concepts))).astype(int)
        scores = mic_matrix(concepts[rows], factors[rows], floor_draws=0).mic
    else:
        scores = np.nan_to_num(mcc(concepts, factors, correlation=matching).matrix)
    return tuple(int(place) for place in matched_correlation(scores)[1])  # type: ignore[arg-type]


def _units(concepts: FloatArray, factors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope and offset with which a concept has the mean and the spread of its factor, and goes up with it.

    Least squares would have the concept of a factor that it hardly tells set far beyond what occurs.
    """
    centred = concepts - concepts.mean(axis=0)
    rising = (centred * (factors - factors.mean(axis=0))).sum(axis=0) >= 0
    spread = np.where(concepts.min(axis=0) < concepts.max(axis=0), concepts.std(axis=0), 1.0)
    slopes = np.where(rising, 1.0, -1.0) * np.where(factors.std(axis=0) > 0, factors.std(axis=0), 1.0) / spread
    return slopes, factors.mean(axis=0) - slopes * concepts.mean(axis=0)
