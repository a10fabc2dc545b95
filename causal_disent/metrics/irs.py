"""Interventional robustness score (Suter et al. 2019, arXiv:1811.00007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_pairs
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.result import Result
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class IrsResult(Result):
    """What `irs` returns.

    Attributes:
        score: in [-1, 1], higher is better.
        matrix: (codes, factors); 1 where the code stays put while all but that factor change. The row
            of a code that never varies is NaN: it is undefined.
        max_deviations: (codes,) largest distance of each code from its mean, its weight in the score.
        num_active_codes: how many codes vary.
    """

    score: float
    matrix: FloatArray
    max_deviations: FloatArray
    num_active_codes: int


@metric(
    "irs",
    needs=points(factors_in_bins=True),
    reports={"IRS": "score", "num_active_dims": "num_active_codes"},
    range=(-1, 1),
    by_chance="near 0 (0.04 for noise), or below; up to 0.15 for rotated codes",
    compared="disentanglement_lib 1.5, 36 data sets: the same to rounding, negative scores too",
    summary="do codes stay put when all but one factor change?",
    assumes="discrete factors, possibly confounded; any number of codes",
    takes=("discrete", "binned"),
    invariances=("permutation",),
)
def irs(codes: FloatArray, factors: IntArray, *, diff_quantile: float = 0.99) -> IrsResult:
    r"""How little each code changes when everything but one factor changes.

    .. math::
        R_{ji} = 1 - \frac{\frac1{k_i}\sum_v Q_q\left(|z_j - E[z_j | g_i = v]|\right)}{\max |z_j - E z_j|},
        \qquad IRS = \frac{\sum_j w_j \max_i R_{ji}}{\sum_j w_j}, \quad w_j = \max |z_j - E z_j|

    where the quantile :math:`Q_q` is over the points with :math:`g_i = v`, and :math:`v` runs over the
    :math:`k_i` values of factor i in the sample.

    Assumes: discrete factors, confounded or not; any number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows.
        diff_quantile: q in [0, 1]; 1 is the maximum, as in the paper.

    Returns:
        `IrsResult`. The score is in [-1, 1], higher is better, 0 if no code varies. It falls below 0, here as in
        disentanglement_lib, where a rare point lies farther from the mean of its value than any from the mean of
        all: a binary code that agrees with a binary factor in 90 % of the points has -0.8.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> irs(v, v).score
        1.0
    """
    codes, factors = check_pairs(codes, factors)
    check_quantile(diff_quantile)
    by_code = np.ascontiguousarray(codes.T, dtype=np.float64)
    active = by_code.min(axis=1) != by_code.max(axis=1)
    deviations = np.abs(by_code - by_code.mean(axis=1, keepdims=True)).max(axis=1)
    deviations[~active] = 0.0  # the mean of equal numbers may be off by a rounding error
    within = np.stack(
        [_mean_deviation(by_code, factors[:, i], diff_quantile) for i in range(factors.shape[1])], axis=1
    )
    matrix = robustness(within, deviations)
    return IrsResult(irs_score(matrix, deviations), matrix, deviations, int(active.sum()))


def check_quantile(diff_quantile: float) -> None:
    """A number from 0 to 1."""
    if not 0 <= diff_quantile <= 1:
        raise errors.InvalidInput(f"`diff_quantile` is a number from 0 to 1; given: {diff_quantile!r}.")


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
    order = np.argsort(factor, kind="stable")
    return order, np.flatnonzero(np.diff(factor[order])) + 1
