"""The images that CG compares, and what the classifier says of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class Counterfactuals:
    """Images of n points under the interventions on each factor, in [0, 1].

    Attributes:
        base: (n, h, w, c) decoded as they are.
        inside: (n, factors, h, w, c) each factor's own codes at the baseline.
        outside: (n, factors, h, w, c) all other codes at the baseline.
        probabilities: (n, factors, 3) of the factor's true value in each of the three.
    """

    base: FloatArray
    inside: FloatArray
    outside: FloatArray
    probabilities: FloatArray


def make_counterfactuals(
    codes: FloatArray,
    factors: IntArray,
    sets: Sequence[Sequence[int]],
    baseline: Callable[[FloatArray], FloatArray],
    decode: Callable[[FloatArray], FloatArray],
    predict_proba: Callable[[FloatArray], Sequence[FloatArray]],
) -> Counterfactuals:
    """Intervene on points as CG does.

    Args:
        codes: (n, codes).
        factors: (n, factors) value indices, the truth.
        sets: the codes of each factor.
        baseline: points -> the values that an intervention sets (`causal_disent.metrics.tools.baselines`).
        decode: codes -> images.
        predict_proba: images -> a (n, values) array per factor.

    Example:
        >>> z = np.array([[1.0, 0.0]])
        >>> def two_pixels(codes): return codes.reshape(-1, 1, 2, 1)
        >>> def read(images): return [np.stack([1 - p, p], axis=1) for p in images.reshape(-1, 2).T]
        >>> found = make_counterfactuals(z, np.array([[1, 0]]), [[0], [1]], lambda p: 1 - p, two_pixels, read)
        >>> found.probabilities[0]
        array([[1., 0., 1.],
               [1., 0., 1.]])
    """
    replacement = baseline(codes)
    sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    base = decode(codes)
    probabilities = np.empty((*factors.shape, 3))
    probabilities[:, :, 0] = of_truth(predict_proba(base), factors)
    for i, own in enumerate(sets):
        inside = np.isin(np.arange(codes.shape[1]), own)
        for side, intervened in enumerate((inside, ~inside)):
            images = decode(np.where(intervened, replacement, codes))
            sides[side].append(images)
            probabilities[:, i, side + 1] = of_truth(predict_proba(images), factors)[:, i]
    return Counterfactuals(base, _by_point(sides[0]), _by_point(sides[1]), probabilities)


def of_truth(tables: Sequence[FloatArray], factors: IntArray) -> FloatArray:
    """(n, factors): the probability of each factor's true value, from a (n, values) array per factor."""
    rows = np.arange(len(factors))
    return np.stack([np.asarray(table)[rows, factors[:, i]] for i, table in enumerate(tables)], axis=1)


def _by_point(images: list[Any]) -> FloatArray:
    return np.stack(images, axis=1)
