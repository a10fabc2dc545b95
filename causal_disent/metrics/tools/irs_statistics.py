"""What the interventional robustness score is made of: points by the values of a factor, and their deviations."""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray, IntArray


def robustness(within: FloatArray, deviations: FloatArray) -> FloatArray:
    """R from the mean deviations within a factor's values (codes, factors) and overall (codes,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(deviations[:, None] > 0, 1.0 - within / deviations[:, None], np.nan)


def irs_score(matrix: FloatArray, deviations: FloatArray) -> float:
    """The last step: best factor per code, averaged with weights."""
    active = deviations > 0
    if not active.any():
        return 0.0
    return float(np.average(matrix[active].max(axis=1), weights=deviations[active]))


def largest_deviations(by_code: FloatArray) -> FloatArray:
    """(codes,): the largest distance of each code (codes, points) from its mean, 0 if it never varies."""
    deviations = np.abs(by_code - by_code.mean(axis=1, keepdims=True)).max(axis=1)
    # The mean of equal numbers may be off by a rounding error.
    return np.where(by_code.min(axis=1) == by_code.max(axis=1), 0.0, deviations)


def deviations_within(by_code: FloatArray, factors: IntArray, diff_quantile: float) -> FloatArray:
    """(codes, factors): mean over the values of each factor of a quantile of the distances from the mean there."""
    return np.stack([_mean_deviation(by_code, factor, diff_quantile) for factor in factors.T], axis=1)


def _mean_deviation(by_code: FloatArray, factor: IntArray, diff_quantile: float) -> FloatArray:
    """Quantile of |z - mean| among the points of one value of the factor, averaged over its values."""
    order, starts = group(factor)
    total = np.zeros(len(by_code))
    for rows in np.split(order, starts):
        values = by_code[:, rows]
        distances = np.abs(values - values.mean(axis=1, keepdims=True))
        total += np.percentile(distances, diff_quantile * 100, axis=1, overwrite_input=True)
    return total / (len(starts) + 1)


def group(factor: IntArray) -> tuple[IntArray, IntArray]:
    """The points ordered by their value of `factor`, and where each value after the first starts."""
    order = np.argsort(_small(factor), kind="stable")
    return order, np.flatnonzero(np.diff(factor[order])) + 1


def _small(factor: IntArray) -> IntArray:
    """The same order in few bits, where they suffice: such numbers are sorted many times as fast."""
    if factor.dtype.kind not in "iu" or int(factor.max()) - int(factor.min()) >= 2**16:
        return factor
    return (factor - factor.min()).astype(np.uint16)
