"""Joint entropy minus mutual information gap, JEMMIG (Do and Tran 2020, arXiv:1908.09961)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_choice
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.information_matrix import Information, binned_information
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.neighbours import ESTIMATORS, by_neighbours
from causal_disent.metrics.tools.per_factor import in_place
from causal_disent.metrics.tools.recount import recounted
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.takes import BY_NEIGHBOURS
from causal_disent.protocols import FloatArray, IntArray

#: Nats within which two codes are equally informative, so that rounding does not choose between them.
TIE = 1e-9


@dataclass(frozen=True)
class JemmigResult(Result):
    """What `jemmig` returns.

    Attributes:
        score: mean of `per_factor`; in [0, 1], higher is better.
        per_factor: (factors,) 1 - normalised JEMMIG; NaN if the factor never varies.
        raw: mean of `raw_per_factor`; 0 or more nats, lower is better.
        raw_per_factor: (factors,) JEMMIG in nats; NaN if the factor never varies.
    """

    score: float
    per_factor: FloatArray
    raw: float
    raw_per_factor: FloatArray


def _result(information: Information) -> JemmigResult:
    raw = np.maximum(_jemmig_of(information), 0.0)  # a sum of entropies: below 0 by rounding alone
    score = 1.0 - raw / (information.factor_entropies + information.most_entropy)
    columns, num_factors = information.factors, information.num_factors
    return JemmigResult(
        float(score.mean()),
        in_place(score, columns, num_factors),
        float(raw.mean()),
        in_place(raw, columns, num_factors),
    )


@metric(
    "jemmig",
    needs=points(factors_in_bins=True),
    reports={
        "JEMMIG": "score",
        "JEMMIG_raw": "raw",
        "JEMMIG_factor_{factor}": "per_factor",
        "JEMMIG_raw_factor_{factor}": "raw_per_factor",
    },
    range=(0, 1),
    by_chance="near 0 for codes with many values; 0.3 for six of few values, which hold little besides",
    compared=(
        "the authors' program and that of the metric zoo (Zaidi et al. 2020), 36 data sets each: the same to "
        "rounding"
    ),
    summary="one code per factor, and nothing else in that code?",
    assumes="discrete, independent factors; at least two codes",
    takes={"discrete": {}, "binned": {}, **BY_NEIGHBOURS},
    invariances=("permutation", "rescaling"),
    resampling={"again": recounted(_result)},
)
def jemmig(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    num_bins: int = 20,
    estimator: str = "bins",
    num_neighbours: int = 10,
    random_state: np.random.RandomState | int = 0,
) -> JemmigResult:
    r"""Is each factor captured by one code, and does that code say nothing else?

    .. math::
        JEMMIG_i = H(z_{(1)}, g_i) - I(z_{(1)}; g_i) + I(z_{(2)}; g_i), \qquad
        score = 1 - \frac1n \sum_i \frac{JEMMIG_i}{H(g_i) + \log b}

    where :math:`z_{(1)}, z_{(2)}` are the codes that say most about factor i, and b is the number of bins.
    Unlike the mutual information gap it falls when the best code carries something besides the factor.
    Of equally informative codes the one of the smallest entropy is the best. The raw value is that of binned
    codes, and not to be compared with one of densities, which depends on the unit of the codes.

    Assumes: discrete factors; independent ones, or else another factor's code narrows the gap; any number
    of codes from two.

    Args:
        codes: (points, codes) floats, at least two codes.
        factors: (points, factors) integers, the same rows.
        num_bins: histogram bins per code; compare scores only at equal bins.
        estimator: of information: ``"bins"``, of codes in equally wide bins; or ``"neighbours"``, by nearest ones,
            which takes continuous factors as they are. The entropy of what is continuous is then that of cells of
            `num_neighbours` points each, so that 1 stays the best.
        num_neighbours: of ``"neighbours"``; compare scores only at equal numbers, and numbers of points.
        random_state: seed or generator; ``"neighbours"`` breaks ties at random.

    Returns:
        `JemmigResult`. The score is in [0, 1], higher is better; ``raw`` is the published quantity, which is
        better the lower it is. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> result = jemmig(v, v, num_bins=2)
        >>> result.score, result.raw
        (1.0, 0.0)
    """
    if check_choice("estimator", estimator, ESTIMATORS) == "neighbours":
        found = by_neighbours(codes, factors, "jemmig", num_neighbours, random_state, min_codes=2)
        return _result(found)
    return _result(binned_information(codes, factors, num_bins, "jemmig", min_codes=2))


def _jemmig_of(information: Information) -> FloatArray:
    """(varying factors,), from H(z, g) = H(z) + H(g) - I(z; g)."""
    ordered = np.sort(information.matrix, axis=0)
    is_best = information.matrix >= ordered[-1] - TIE
    best_entropy = np.where(is_best, information.code_entropies[:, None], np.inf).min(axis=0)
    return best_entropy + information.factor_entropies - 2.0 * ordered[-1] + ordered[-2]
