"""Interventional robustness score (Suter et al. 2019, arXiv:1811.00007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_pairs
from causal_disent.metrics.tools.code_groups import CodeGroups, all_groups
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.irs_resampling import irs_again
from causal_disent.metrics.tools.irs_statistics import (
    deviations_within,
    distances_of,
    irs_score,
    largest_deviations,
    robustness,
)
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.takes import IN_GROUPS
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value


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
    compared=(
        "disentanglement_lib 1.5 and the metric zoo's program (Zaidi et al. 2020), 36 data sets each: the same to "
        "rounding, negative scores too"
    ),
    summary="do codes stay put when all but one factor change?",
    assumes="discrete factors, possibly confounded; any number of codes",
    takes={"discrete": {}, "binned": {}, **IN_GROUPS},
    invariances=("permutation",),
    resampling={"again": irs_again},
)
def irs(
    codes: FloatArray, factors: IntArray, *, diff_quantile: float = 0.99, code_groups: CodeGroups | None = None
) -> IrsResult:
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
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code,
            with Euclidean distances; codes in no block stay alone.

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
    distances = distances_of(all_groups(code_groups, len(by_code)))
    deviations = largest_deviations(by_code, distances)
    matrix = robustness(deviations_within(by_code, factors, diff_quantile, distances), deviations)
    return IrsResult(irs_score(matrix, deviations), matrix, deviations, int((deviations > 0).sum()))


def check_quantile(diff_quantile: float) -> None:
    """A number from 0 to 1."""
    if not 0 <= diff_quantile <= 1:
        raise errors.InvalidInput(f"`diff_quantile` is a number from 0 to 1; given: {shown_value(diff_quantile)}.")
