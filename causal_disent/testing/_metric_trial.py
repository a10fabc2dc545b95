"""One metric on the stage: what it is given, and what it said."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics.tools.decoded import BEST
from causal_disent.registry import Entry
from causal_disent.representation.oracles import mixed_oracle, noise_oracle, perfect_oracle
from causal_disent.runs.results import plain
from causal_disent.testing._causal_stage import CausalStage
from causal_disent.testing._encoders import Remembering, Sum
from causal_disent.testing._global_generators import touched_generators
from causal_disent.testing._stage import stage_data
from causal_disent.testing.check import CheckFailed, NotApplicable, demand

SEED = 0
#: Parameter -> the most a check needs of it, to be done in a moment.
ENOUGH = {
    "num_train": 300,
    "num_test": 200,
    "num_eval": 200,
    "num_variance_estimate": 200,
    "num_test_points_per_class": 20,
    "n_experiment": 2,
    "num_points": 120,
    "num_jobs": 1,  # starting processes takes longer than so little work
}


def small_parameters(metric: Callable[..., Any]) -> dict[str, Any]:
    """Values for those of the metric's parameters that say how much work there is."""
    parameters = inspect.signature(metric).parameters
    small = {name: _small(parameters[name].default, most) for name, most in ENOUGH.items() if name in parameters}
    if "classifier" in parameters and parameters["classifier"].default == BEST:
        small["classifier"] = "nearest_image"  # which knows all that the oracles draw, and need not be trained
    return small


def _small(default: Any, most: int) -> Any:
    """`default`, but no more than `most`; of several values one, so that keys named after it stay."""
    if isinstance(default, Sequence) and not isinstance(default, str) and default:
        return [max((value for value in default if value <= most), default=min(default))]
    return min(default, most) if isinstance(default, int) else most


@dataclass(frozen=True)
class Watched:
    """A run of a metric.

    Attributes:
        scores: what it returned.
        touched_generators: the global generators that it changed.
        wrote_to_codes: whether it wrote to what the encoder returned.
    """

    scores: dict[str, Any]
    touched_generators: list[str]
    wrote_to_codes: bool


class MetricTrial:
    """A metric, and encoders whose quality is known.

    Args:
        entry: the metric.
        data: finite data to try it on; a small data set of its own by default.
        parameters: keyword arguments of the metric, before those that keep it small.
    """

    def __init__(self, entry: Entry, data: Any = None, **parameters: Any) -> None:
        self.entry = entry
        self.has_own_data = data is not None
        self.data = self.stage() if data is None else data
        self._parameters = parameters
        self._noise_scores: dict[int, dict[str, Any]] = {}

    def stage(self, sizes: tuple[int, ...] = (3, 4, 5)) -> Any:
        """A small data set as the metric needs it, with so many values of each factor."""
        causal = getattr(self.entry.facts.get("needs"), "causal", False)
        return CausalStage(sizes[:2]) if causal else stage_data(sizes)

    @cached_property
    def perfect(self) -> Any:
        """An encoder with a code for each factor."""
        return perfect_oracle(self.data)

    @cached_property
    def middling(self) -> Any:
        """An encoder that mixes the factors, with noise."""
        return Sum(mixed_oracle(self.data, strength=0.5), noise_oracle(self.data))

    def run(self, encoder: Any, data: Any = None, **more: Any) -> Any:
        """What the metric returns."""
        given = {**small_parameters(self.entry.load()), **self._parameters, **more}
        random_state = np.random.RandomState(SEED)
        return self.entry.load()(self.data if data is None else data, encoder, random_state=random_state, **given)

    @cached_property
    def perfect_scores(self) -> dict[str, Any]:
        """The scores of the perfect encoder."""
        return scores_of(self.run(self.perfect))

    @cached_property
    def middling_scores(self) -> dict[str, Any]:
        """The scores of the middling encoder."""
        return scores_of(self.run(self.middling))

    def noise_scores(self, seed: int) -> dict[str, Any]:
        """The scores of an encoder that says nothing."""
        if seed not in self._noise_scores:
            self._noise_scores[seed] = scores_of(self.run(noise_oracle(self.data, seed=seed)))
        return self._noise_scores[seed]

    @cached_property
    def watched(self) -> Watched:
        """A second run on the perfect encoder, of which more than the scores is seen."""
        encoder = Remembering(self.perfect)
        with touched_generators() as touched:
            returned = self.run(encoder)
        return Watched(scores_of(returned), touched, encoder.changed)

    def headline(self, scores: Mapping[str, Any]) -> float:
        """The score that stands for the metric."""
        key = self.entry.facts.get("headline")
        if key is None:
            raise NotApplicable("no headline score is declared; register with headline=KEY.")
        if key not in scores:
            raise CheckFailed(f"`headline`: {errors.unknown('score', key, scores).message}")
        value = scores[key]
        demand(
            isinstance(value, (int, float)) and np.isfinite(value),
            f"the headline score '{key}' must be a finite number; it is {value!r}.",
        )
        return float(value)


def scores_of(returned: Any) -> dict[str, Any]:
    """What a metric returned, without numpy types, if it is a dict of what a result file can hold."""
    demand(isinstance(returned, dict), f"a metric returns a dict; it returned {type(returned).__name__}.")
    demand(returned, "a metric returns at least one score; it returned an empty dict.")
    for key, value in returned.items():
        demand(isinstance(key, str), f"the keys of the scores are text; one is {key!r}.")
        try:
            number = _first_unbounded(plain(value))
        except errors.InvalidInput as error:
            raise CheckFailed(f"the score '{key}' cannot be written to a result file: {error.message}") from None
        demand(number is None, f"scores are finite; '{key}' is {number}.")
    return plain(returned)


def _first_unbounded(value: Any) -> float | None:
    """The first number in `value`, lists and dicts included, that is infinite or not a number."""
    if isinstance(value, float):
        return None if np.isfinite(value) else value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for found in map(_first_unbounded, parts) if found is not None), None)
