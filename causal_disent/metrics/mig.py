"""Mutual information gap (Chen et al. 2018, arXiv:1802.04942)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_choice, check_pairs, varying_factors
from causal_disent.metrics.tools.code_groups import CodeGroups, all_groups
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.information import GIN_BINS, Bins, in_bins
from causal_disent.metrics.tools.information_matrix import Information, information_of
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.neighbours import ESTIMATORS, by_neighbours
from causal_disent.metrics.tools.per_factor import in_place
from causal_disent.metrics.tools.recount import recounted
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.takes import BY_NEIGHBOURS, IN_GROUPS
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class MigResult(Result):
    """What `mig` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) gap of each factor; NaN for one that never varies.
        information: (codes, factors) mutual information in nats.
    """

    score: float
    per_factor: FloatArray
    information: FloatArray


def _result(information: Information) -> MigResult:
    gaps = mig_gaps(information.matrix, information.factor_entropies)
    matrix = np.zeros((len(information.matrix), information.num_factors))  # nothing is known of what never varies
    matrix[:, information.factors] = information.matrix
    return MigResult(float(gaps.mean()), in_place(gaps, information.factors, information.num_factors), matrix)


@metric(
    "mig",
    needs=points(),
    reports={"discrete_mig": "score"},
    range=(0, 1),
    by_chance="near 0",
    compared="disentanglement_lib 1.5, 17 stored cases: the same to rounding",
    summary="gap between the two codes that say most about a factor",
    assumes="discrete, independent factors; two or more codes",
    takes={"discrete": {}, "binned": {}, **BY_NEIGHBOURS, **IN_GROUPS},
    invariances=("permutation", "rescaling"),
    supplies=GIN_BINS,
    resampling={"again": recounted(_result)},
    validation="mig_validation",
)
def mig(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    num_bins: Bins = 20,
    estimator: str = "bins",
    num_neighbours: int = 10,
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
) -> MigResult:
    r"""Gap between the two codes that say most about each factor.

    .. math:: MIG = \frac1n \sum_i \frac{I(z_{(1)}; g_i) - I(z_{(2)}; g_i)}{H(g_i)}

    where :math:`z_{(1)}` and :math:`z_{(2)}` are the codes with the most and the second most information
    on factor i.

    Assumes: discrete factors; at least two codes, any number of factors. Independent factors: where they are
    correlated, a perfect code of one has information on the other too, and the gap shrinks.

    Args:
        codes: (points, codes) floats, at least two codes.
        factors: (points, factors) integers, the same rows. Factors that never vary are left out, with a
            warning.
        num_bins: equally wide bins per code, or a function that puts codes into bins (under a config, gin's
            ``discretizer``); compare scores only at equal bins.
        estimator: of information: ``"bins"``, of codes in equally wide bins; or ``"neighbours"``, by nearest ones,
            which takes continuous factors as they are. The entropy of what is continuous is then that of cells of
            `num_neighbours` points each, so that 1 stays the best.
        num_neighbours: of ``"neighbours"``; compare scores only at equal numbers, and numbers of points.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            (the bins of its codes together); codes in no block stay alone.
        random_state: seed or generator; ``"neighbours"`` breaks ties at random.

    Returns:
        `MigResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mig(v, v, num_bins=2).score
        1.0
    """
    if check_choice("estimator", estimator, ESTIMATORS) == "neighbours":
        found = by_neighbours(codes, factors, "mig", num_neighbours, random_state, code_groups, min_codes=2)
        return _result(found)
    codes, factors = check_pairs(codes, factors, min_codes=2)
    groups = all_groups(code_groups, codes.shape[1], least=2)
    varying = varying_factors(factors, "mig")
    return _result(information_of(codes, in_bins(codes, num_bins), factors, varying, groups=groups))


def mig_gaps(information: FloatArray, entropy: FloatArray) -> FloatArray:
    """Per factor, the largest less the second largest information (codes, factors), over the entropy."""
    second, first = np.sort(information, axis=0)[-2:]
    return (first - second) / entropy
