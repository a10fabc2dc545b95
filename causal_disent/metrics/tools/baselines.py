"""The values that an intervention gives to codes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from causal_disent.checks import check_choice
from causal_disent.protocols import FloatArray

Baseline = Callable[[FloatArray], FloatArray]


def max_deviation(codes: FloatArray) -> Baseline:
    """For each code of a point, the value of that code in the sample farthest from the point's own.

    That is the smallest or the largest value; of a point exactly midway, whichever comes first in
    the sample.

    Example:
        >>> max_deviation(np.array([[0.0], [1.0], [5.0]]))(np.array([[1.0], [4.0]]))
        array([[5.],
               [0.]])
    """
    lowest, highest = codes.min(axis=0), codes.max(axis=0)
    low_first = codes.argmin(axis=0) < codes.argmax(axis=0)

    def baseline(points: FloatArray) -> FloatArray:
        down, up = points - lowest, highest - points
        return np.where((down > up) | ((down == up) & low_first), lowest, highest)

    return baseline


def zero(codes: FloatArray) -> Baseline:
    """0 for every code."""
    return np.zeros_like


def mean(codes: FloatArray) -> Baseline:
    """The mean of each code over the sample."""
    means = codes.mean(axis=0)
    return lambda points: np.broadcast_to(means, points.shape)


BASELINES = {"max_deviation": max_deviation, "zero": zero, "mean": mean}


def baseline_of(codes: FloatArray, name: str) -> Baseline:
    """A function from points (n, codes) to the values (n, codes) that an intervention sets."""
    return BASELINES[check_choice("baseline", name, list(BASELINES))](codes)
