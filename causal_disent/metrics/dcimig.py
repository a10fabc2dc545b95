"""DCIMIG (Sepliarskaia et al. 2019, "How to not measure disentanglement", arXiv:1910.05587)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_choice
from causal_disent.metrics.mig_sup import gaps_of_codes
from causal_disent.metrics.tools.code_groups import CodeGroups
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.information_matrix import Information, binned_information
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.neighbours import ESTIMATORS, by_neighbours
from causal_disent.metrics.tools.per_factor import in_place
from causal_disent.metrics.tools.recount import recounted
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.takes import BY_NEIGHBOURS, IN_GROUPS
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class DcimigResult(Result):
    """What `dcimig` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) the factor's gap over its entropy; NaN if it never varies.
    """

    score: float
    per_factor: FloatArray


def _result(information: Information) -> DcimigResult:
    gaps, entropy = best_gaps(information.matrix), information.factor_entropies
    per_factor = in_place(gaps / entropy, information.factors, information.num_factors)
    return DcimigResult(float(gaps.sum() / entropy.sum()), per_factor)


@metric(
    "dcimig",
    needs=points(factors_in_bins=True),
    reports={"DCIMIG": "score", "DCIMIG_factor_{factor}": "per_factor"},
    range=(0, 1),
    by_chance="near 0",
    compared=(
        "the authors' program and that of the metric zoo (Zaidi et al. 2020), 36 data sets each: the same to "
        "rounding"
    ),
    summary="entropy captured by codes that tell one factor from the others",
    assumes="discrete, independent factors, at least two; at least as many codes as factors",
    takes={"discrete": {}, "binned": {}, **BY_NEIGHBOURS, **IN_GROUPS},
    invariances=("permutation", "rescaling"),
    resampling={"again": recounted(_result, min_factors=2)},
)
def dcimig(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    num_bins: int = 20,
    estimator: str = "bins",
    num_neighbours: int = 10,
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
) -> DcimigResult:
    r"""How much of the factors' entropy is captured by codes that tell one factor from the others.

    .. math::
        R_j = I(z_j; g_{(1)}) - I(z_j; g_{(2)}), \qquad
        DCIMIG = \frac{\sum_i \max_{j : k_j = i} R_j}{\sum_i H(g_i)}

    where :math:`g_{(1)}, g_{(2)}` are the factors that code j says most about, and :math:`k_j` is the first
    of them. A factor that is the first of no code counts 0.

    Assumes: discrete factors; independent ones, or else a code of one is informed about the others too; as
    many codes as factors at least, for 1 to be within reach.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, at least two that vary, the same rows.
        num_bins: histogram bins per code; compare scores only at equal bins.
        estimator: of information: ``"bins"``, of codes in equally wide bins; or ``"neighbours"``, by nearest ones,
            which takes continuous factors as they are. The entropy of what is continuous is then that of cells of
            `num_neighbours` points each, so that 1 stays the best.
        num_neighbours: of ``"neighbours"``; compare scores only at equal numbers, and numbers of points.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            (the bins of its codes together); codes in no block stay alone.
        random_state: seed or generator; ``"neighbours"`` breaks ties at random.

    Returns:
        `DcimigResult`. The score is in [0, 1], higher is better. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> dcimig(v, v, num_bins=2).score
        1.0
        >>> dcimig(v[:, :1], v, num_bins=2).score
        0.5
    """
    if check_choice("estimator", estimator, ESTIMATORS) == "neighbours":
        found = by_neighbours(codes, factors, "dcimig", num_neighbours, random_state, code_groups, min_factors=2)
        return _result(found)
    return _result(binned_information(codes, factors, num_bins, "dcimig", min_factors=2, code_groups=code_groups))


def best_gaps(matrix: FloatArray) -> FloatArray:
    """The last step: the largest gap among the codes (codes, factors) whose first factor each one is.

    Example:
        >>> best_gaps(np.array([[0.75, 0.25], [0.5, 0.375]]))
        array([0.5, 0. ])
    """
    best = np.zeros(matrix.shape[1])
    np.maximum.at(best, matrix.argmax(axis=1), gaps_of_codes(matrix))
    return best
