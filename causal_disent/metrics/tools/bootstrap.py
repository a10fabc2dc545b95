"""95 % intervals from resampled points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import is_whole
from causal_disent.metrics.tools.attribution import attribute, is_irs
from causal_disent.metrics.tools.code_groups import CodeGroups
from causal_disent.metrics.tools.irs_resampling import resampled_irs_matrices
from causal_disent.metrics.tools.resampling import MOST_RESAMPLES, centred_interval
from causal_disent.metrics.tools.result import Result
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value


class Bounded(Result):
    """A result with a 95 % ``interval`` of the score, if it was asked for."""

    interval: tuple[float, float] | None

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.interval and self.interval[0]

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.interval and self.interval[1]


def check_bootstrap(bootstrap: Any) -> None:
    """A whole number of resamples that can be kept."""
    if not is_whole(bootstrap) or not 0 <= bootstrap <= MOST_RESAMPLES:
        raise errors.InvalidInput(
            f"`bootstrap` is the number of resamples, from 0 to {MOST_RESAMPLES:,} (200 is usual); given: "
            f"{shown_value(bootstrap)}."
        )


def resample_counts(num_points: int, resamples: int, random_state: np.random.RandomState) -> IntArray:
    """How often each point is drawn in each resample (resamples, points)."""
    draws = (random_state.randint(num_points, size=num_points) for _ in range(resamples))
    return np.array([np.bincount(drawn, minlength=num_points) for drawn in draws]).reshape(-1, num_points)


def attribution_resamples(
    codes: FloatArray,
    factors: IntArray,
    attribution: Any,
    resamples: int,
    random_state: np.random.RandomState,
    code_groups: CodeGroups | None = None,
) -> Sequence[FloatArray]:
    """The attribution scores (codes, factors) of each resample of the points."""
    if resamples == 0:
        return []
    counts = resample_counts(len(codes), resamples, random_state)
    if is_irs(attribution) and not code_groups:
        return resampled_irs_matrices(codes, factors, counts)
    points = np.arange(len(codes))
    scores = []
    for count in track(counts, "bootstrap", unit="resample"):
        chosen = np.repeat(points, count)
        scores.append(attribute(codes[chosen], factors[chosen], attribution, random_state, code_groups))
    return scores


def interval(score: float, resampled: Sequence[float], ends: tuple[float, float]) -> tuple[float, float] | None:
    """That of `centred_interval`; none of fewer than two resamples."""
    return centred_interval(score, resampled, ends) if len(resampled) > 1 else None
