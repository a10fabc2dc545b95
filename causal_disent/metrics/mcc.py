"""Mean correlation coefficient, MCC (Hyvärinen and Morioka 2016, arXiv:1605.06336)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent.checks import check_choice, check_pairs, varying_factors
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.linear_probe import standardise
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.per_factor import in_place
from causal_disent.metrics.tools.result import Result
from causal_disent.protocols import FloatArray, IntArray

CORRELATIONS = ("pearson", "spearman")


@dataclass(frozen=True)
class MccResult(Result):
    """What `mcc` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) correlation of each factor with its code; 0 if it got none, NaN if it never
            varies.
        matches: the code of each factor, None if it got none.
        matrix: (codes, factors) absolute correlations; NaN for a factor that never varies, 0 for a code
            that never varies.
    """

    score: float
    per_factor: FloatArray
    matches: tuple[int | None, ...]
    matrix: FloatArray


@metric(
    "mcc",
    needs=points(),
    reports={"MCC_{correlation}": "score", "MCC_{correlation}_factor_{factor}": "per_factor"},
    each=("correlation", CORRELATIONS),
    headline="MCC_pearson",
    also=("MCC_spearman",),
    range=(0, 1),
    by_chance="above 0, less with more points (0.05 at 1,000)",
    compared="the program of Khemakhem et al. 2020, 36 data sets, both correlations: the same to rounding",
    summary="does each factor correlate with a code of its own?",
    assumes="ordered factors, discrete or continuous; independent; at least as many codes as factors",
    takes=("discrete", "continuous"),
    invariances=("permutation", "rescaling"),
)
def mcc(codes: FloatArray, factors: FloatArray | IntArray, *, correlation: str = "pearson") -> MccResult:
    r"""Correlation of each factor with a code of its own, under the best assignment.

    .. math:: MCC = \frac1n \max_{\pi} \sum_i |\mathrm{corr}(z_{\pi(i)}, g_i)|

    where :math:`\pi` gives no code to two factors. A factor for which no code is left counts 0.

    Assumes: factors whose numbers are ordered, discrete or continuous; as many codes as factors at least,
    for 1 to be within reach; independent factors, or else a code of one also correlates with the others.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows.
        correlation: ``"pearson"``, for factors recovered up to scale; or ``"spearman"``, up to any
            increasing or decreasing function.

    Returns:
        `MccResult`. The score is in [0, 1], higher is better. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mcc(-3.0 * v[:, ::-1], v).score
        1.0
        >>> mcc(v[:, :1], v).score
        0.5
    """
    codes, factors = check_pairs(codes, factors)
    check_choice("correlation", correlation, CORRELATIONS)
    columns = varying_factors(factors, "mcc")
    correlations = _correlations(codes, factors[:, columns], correlation)
    values, matches = matched_correlation(correlations)
    num_factors = factors.shape[1]
    matrix = np.full((codes.shape[1], num_factors), np.nan)
    matrix[:, columns] = correlations
    code_of = dict(zip(columns.tolist(), matches, strict=True))
    return MccResult(
        float(values.mean()),
        in_place(values, columns, num_factors),
        tuple(code_of.get(factor) for factor in range(num_factors)),
        matrix,
    )


def matched_correlation(correlations: FloatArray) -> tuple[FloatArray, list[int | None]]:
    """The last step: each factor's correlation and code under the assignment of the largest sum.

    Example:
        >>> matched_correlation(np.array([[0.9, 0.8], [0.7, 0.1]]))
        (array([0.7, 0.8]), [1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    chosen, assigned = linear_sum_assignment(correlations, maximize=True)
    values = np.zeros(correlations.shape[1])
    values[assigned] = correlations[chosen, assigned]
    code_of = dict(zip(assigned.tolist(), chosen.tolist(), strict=True))
    return values, [code_of.get(factor) for factor in range(correlations.shape[1])]


def _correlations(codes: NDArray[Any], factors: NDArray[Any], correlation: str) -> FloatArray:
    """Absolute correlations (codes, factors)."""
    if correlation == "spearman":
        from scipy.stats import rankdata

        codes, factors = rankdata(codes, axis=0), rankdata(factors, axis=0)
    scaled_codes, _ = standardise(codes, codes)
    scaled_factors, _ = standardise(factors, factors)
    return np.minimum(np.abs(scaled_codes.T @ scaled_factors) / len(codes), 1.0)  # 1 up to rounding
