"""What counterfactual metrics share: values to set, distances of images, intervals of means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice
from causal_disent.metrics.tools.bootstrap import interval, resample_counts
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray

DISTANCES = ("l1", "l2")


def pixel_distance(images: FloatArray, others: FloatArray, distance: str = "l1") -> FloatArray:
    """(n,): the mean absolute difference of pixels, or the root of the mean squared one; in [0, 1].

    Example:
        >>> pixel_distance(np.zeros((1, 2, 1, 1)), np.array([0.0, 1.0]).reshape(1, 2, 1, 1), "l2").round(3)
        array([0.707])
    """
    check_choice("distance", distance, DISTANCES)
    apart = np.abs(np.asarray(images, dtype=np.float64) - others).reshape(len(images), -1)
    return apart.mean(axis=1) if distance == "l1" else np.sqrt((apart**2).mean(axis=1))


def in_batches(function: Callable[[IntArray], FloatArray], number: int, size: int) -> FloatArray:
    """`function` of the rows 0, 1, ... `number` - 1, so many at a time, put together."""
    starts = range(0, number, size)
    parts = [
        function(np.arange(start, min(start + size, number)))
        for start in track(starts, "counterfactuals", total=len(starts), unit="batch")
    ]
    return np.concatenate(parts)


def other_values(values: FloatArray, random_state: np.random.RandomState) -> FloatArray:
    """(n, factors): for each point and factor the value of another point, a different one wherever there is one.

    Example:
        >>> v = np.array([[0.0, 5.0], [1.0, 5.0], [1.0, 5.0]])
        >>> (other_values(v, np.random.RandomState(0)) != v).tolist()
        [[True, False], [True, False], [True, False]]
    """
    drawn = np.empty_like(values)
    for column, known in enumerate(values.T):
        order = np.argsort(known, kind="stable")
        ranked = known[order]
        first, last = np.searchsorted(ranked, known, side="left"), np.searchsorted(ranked, known, side="right")
        different = len(known) - (last - first)
        # A draw among those that differ, counted past the block of equal ones.
        place = (random_state.random_sample(len(known)) * different).astype(np.int64)
        place += np.where(place >= first, last - first, 0)
        drawn[:, column] = np.where(different > 0, ranked[np.minimum(place, len(known) - 1)], known)
    if (drawn == values).all():
        raise errors.InvalidInput(
            f"Nothing can be set to another value: no factor differs between the points, which are {len(values)}. "
            "Take more points."
        )
    return drawn


def interval_of_mean(
    per_point: FloatArray, resamples: int, random_state: np.random.RandomState
) -> tuple[float, float] | None:
    """95 % bootstrap interval of the mean over points; None without resamples."""
    if not resamples:
        return None
    counts = resample_counts(len(per_point), resamples, random_state)
    ends = float(per_point.min()), float(per_point.max())  # between which a mean is
    return interval(float(per_point.mean()), (counts @ per_point / len(per_point)).tolist(), ends)


def scale_of(values: FloatArray) -> FloatArray:
    """(factors,): how far apart the values of each factor are; 1 where there is one."""
    spread: Any = np.ptp(values, axis=0)
    return np.where(spread > 0, spread, 1.0)
