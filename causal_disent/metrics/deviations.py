"""Points by the values of a factor, and their deviations: what the IRS is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from causal_disent.protocols import FloatArray, IntArray


def robustness(within: FloatArray, deviations: FloatArray) -> FloatArray:
    """R from the mean deviations within a factor's values (codes, factors) and overall (codes,), -1 at least:
    below that are quantiles alone, where a rare value is spread widely."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(deviations[:, None] > 0, np.maximum(1.0 - within / deviations[:, None], -1.0), np.nan)


def irs_score(matrix: FloatArray, deviations: FloatArray) -> float:
    """The last step: best factor per code, averaged with weights."""
    active = deviations > 0
    if not active.any():
        return 0.0
    return float(np.average(matrix[active].max(axis=1), weights=deviations[active]))


#: Codes (codes, points) -> (codes, or groups of them, points): how far each point is from the mean of these.
Distances = Callable[[FloatArray], FloatArray]


def from_mean(values: FloatArray) -> FloatArray:
    """The distances of each code by itself."""
    return np.abs(values - values.mean(axis=1, keepdims=True))


def make_distances(groups: Sequence[Sequence[int]]) -> Distances:
    """The Euclidean distances of groups of codes, given by their rows."""
    if all(len(group) == 1 for group in groups):
        return from_mean

    def distances(values: FloatArray) -> FloatArray:
        squares = np.square(from_mean(values))
        return np.sqrt(np.stack([squares[list(group)].sum(axis=0) for group in groups]))

    return distances


def find_largest_deviations(
    by_code: FloatArray, distances: Distances = from_mean, quantile: float = 1.0
) -> FloatArray:
    """(codes,): the largest distance of each code (codes, points) from its mean, or a quantile of the distances; 0
    if it never varies."""
    # The mean of equal numbers may be off by a rounding error.
    constant = by_code.min(axis=1) == by_code.max(axis=1)
    found = distances(np.where(constant[:, None], 0.0, by_code))
    return found.max(axis=1) if quantile == 1 else np.quantile(found, quantile, axis=1)


def measure_deviations_within(
    by_code: FloatArray, factors: IntArray, diff_quantile: float, distances: Distances = from_mean
) -> FloatArray:
    """(codes, factors): mean over the values of each factor of a quantile of the distances from the mean there."""
    return np.stack([_mean_deviation(by_code, factor, diff_quantile, distances) for factor in factors.T], axis=1)


def _mean_deviation(
    by_code: FloatArray, factor: IntArray, diff_quantile: float, distances: Distances
) -> FloatArray:
    order, starts = group_points(factor)
    quantiles = [
        np.percentile(distances(by_code[:, rows]), diff_quantile * 100, axis=1, overwrite_input=True)
        for rows in np.split(order, starts)
    ]
    return np.sum(quantiles, axis=0) / len(quantiles)


def group_points(factor: IntArray) -> tuple[IntArray, IntArray]:
    """The points ordered by their value of `factor`, and where each value after the first starts."""
    order = np.argsort(_small(factor), kind="stable")
    return order, np.flatnonzero(np.diff(factor[order])) + 1


def _small(factor: IntArray) -> IntArray:
    """The same order in few bits, where they suffice: such numbers are sorted many times as fast."""
    if factor.dtype.kind not in "iu" or int(factor.max()) - int(factor.min()) >= 2**16:
        return factor
    return (factor - factor.min()).astype(np.uint16)
