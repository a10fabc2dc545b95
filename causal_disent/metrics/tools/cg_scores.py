"""The scores of CG from the effects of interventions, with intervals and chance: pure functions of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from causal_disent.metrics.tools.bootstrap import interval, resample_counts
from causal_disent.metrics.tools.confidence_sequence import ConfidenceSequence
from causal_disent.metrics.tools.interventions import Changes
from causal_disent.metrics.tools.resampling import is_within_chance
from causal_disent.protocols import FloatArray

Interval = tuple[float, float]

#: Scores closer than this are the same but for rounding.
TIE = 1e-12


@dataclass(frozen=True)
class CgScores:
    """Each score by its definition, from gaps (points, factors): effect of the own codes minus that of the others.

    Example:
        >>> found = CgScores.of(np.array([[1.0, -0.5], [0.5, -0.5]]))
        >>> found.absolute, found.average, found.signed, found.directed
        (0.625, 0.625, 0.125, 0.375)
    """

    absolute: float
    average: float
    signed: float
    directed: float

    @classmethod
    def of(cls, gaps: FloatArray) -> CgScores:
        """Columns that are NaN throughout are left out."""
        means = gaps.mean(axis=0)
        return cls(
            absolute=float(np.nanmean(np.abs(gaps).mean(axis=0))),
            average=float(np.nanmean(np.abs(means))),
            signed=float(np.nanmean(means)),
            directed=float(np.nanmean(np.maximum(means, 0))),
        )


def bootstrap_intervals(
    gaps: FloatArray, resamples: int, random_state: np.random.RandomState
) -> tuple[Interval | None, Interval | None]:
    """95 % intervals of CG and of CG_signed over resampled points."""
    counts = resample_counts(len(gaps), resamples, random_state)
    found = []
    for least, sizes in ((0.0, np.abs(gaps)), (-1.0, gaps)):
        points = np.nanmean(sizes, axis=1)
        found.append(interval(float(points.mean()), (counts @ points / len(gaps)).tolist(), (least, 1.0)))
    return found[0], found[1]


@dataclass(frozen=True)
class Chance:
    """What comes out where codes say nothing of the factors.

    Attributes:
        score: mean over the permutations.
        share: of them that come to the score that was measured, or above.
        permutations: how many there were.
        interval: of the score that was measured, if there is one.
    """

    score: float
    share: float
    permutations: int
    interval: Interval | None = None

    @property
    def within(self) -> bool | None:
        """Whether chance might well give the score; None if that cannot be told."""
        return is_within_chance(self.share, self.permutations, self.score, self.interval or (nan, nan))


def chance_levels(
    changes: Changes,
    permutations: int,
    random_state: np.random.RandomState,
    intervals: tuple[Interval | None, Interval | None] = (None, None),
) -> tuple[Chance | None, Chance | None]:
    """Chance of CG and of CG_signed: the same interventions, looked at for the values of other images.

    The rows of factors are permuted. Each factor keeps its codes, and nothing is decoded again.

    Args:
        changes: of all points.
        permutations: how many; 0 for none.
        random_state: of the permutations.
        intervals: of CG and of CG_signed, if known.
    """
    if not permutations:
        return None, None
    own = CgScores.of(_gaps(changes.effects()))
    others = [
        CgScores.of(_gaps(changes.effects(random_state.permutation(changes.truth)))) for _ in range(permutations)
    ]
    absolute, signed = [one.absolute for one in others], [one.signed for one in others]
    return _chance(absolute, own.absolute, intervals[0]), _chance(signed, own.signed, intervals[1])


def _gaps(effects: FloatArray) -> FloatArray:
    return effects[0] - effects[1]


def _chance(scores: Sequence[float], own: float, interval: Interval | None) -> Chance:
    reached = [score >= own - TIE for score in scores]
    return Chance(float(np.mean(scores)), float(np.mean(reached)), len(scores), interval)


class Stopping:
    """Says when the scores of the points so far, drawn in random order, are as sure as is wanted.

    Args:
        population: how many points there are.
        tolerance: half the width of the 95 % interval that is wanted.
        each_factor: whether that of each factor must be as narrow.
    """

    def __init__(self, population: int, tolerance: float, each_factor: bool) -> None:
        self._tolerance, self._each_factor = tolerance, each_factor
        self._sequence = ConfidenceSequence(population, tolerance)

    def enough(self, effects: FloatArray) -> bool:
        """Take the effects (2, points, factors) of further points."""
        sizes = np.abs(_gaps(effects))
        seen = sizes[:, ~np.isnan(sizes).all(axis=0)]
        means = seen.mean(axis=1, keepdims=True)
        self._sequence.add(np.hstack([means, seen]) if self._each_factor else means)
        return bool((self._sequence.half_widths <= self._tolerance).all())

    @property
    def interval(self) -> Interval:
        """Of CG of all points."""
        return float(self._sequence.low[0]), float(self._sequence.high[0])
