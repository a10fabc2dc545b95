"""MIG-sup, the mutual information gap of codes (Li et al. 2020, arXiv:2002.10549)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_choice, check_not_negative
from causal_disent.metrics.tools.code_groups import CodeGroups
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.information_matrix import Information, binned_information
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.neighbours import ESTIMATORS, by_neighbours
from causal_disent.metrics.tools.recount import recounted
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.takes import BY_NEIGHBOURS, IN_GROUPS
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class MigSupResult(Result):
    """What `mig_sup` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_code: (codes,) gap of each code, NaN if it is not active.
        num_active_codes: how many codes the score is the mean of.
    """

    score: float
    per_code: FloatArray
    num_active_codes: int


def _result(information: Information, *, min_variance: float = 0.0, normaliser: str = "entropy") -> MigSupResult:
    active = information.code_variances > min_variance
    by = information.factor_entropies if normaliser == "entropy" else np.log(information.num_values)
    gaps = gaps_of_codes(information.matrix / by)
    score = float(gaps[active].mean()) if active.any() else 0.0
    return MigSupResult(score, np.where(active, gaps, np.nan), int(active.sum()))


@metric(
    "mig_sup",
    needs=points(factors_in_bins=True),
    reports={
        "MIG_sup": "score",
        "num_active_dims": lambda result, names: float(result.num_active_codes),
        "MIG_sup_code_{code}": "per_code",
    },
    range=(0, 1),
    by_chance="near 0",
    compared=(
        "the authors' program, from the entropies on (theirs are of densities), 36 data sets, "
        "`normaliser='log_values'`: the same to float32's rounding; with `'entropy'` too where values are equally "
        "frequent; the metric zoo divides by the entropy of the code, and differs"
    ),
    summary="gap between the two factors each code says most about",
    assumes="discrete, independent factors, at least two; any number of codes",
    takes={"discrete": {}, "binned": {}, **BY_NEIGHBOURS, **IN_GROUPS},
    invariances=("permutation", "rescaling"),
    resampling={"again": recounted(_result, min_factors=2)},
)
def mig_sup(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    num_bins: int = 20,
    estimator: str = "bins",
    num_neighbours: int = 10,
    min_variance: float = 0.0,
    normaliser: str = "entropy",
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
) -> MigSupResult:
    r"""Gap between the two factors that each code says most about.

    .. math::
        \frac1{|A|} \sum_{j \in A} \left(\bar I(z_j; g_{(1)}) - \bar I(z_j; g_{(2)})\right), \qquad
        \bar I(z_j; g_i) = \frac{I(z_j; g_i)}{H(g_i)}

    over the active codes A. It completes the mutual information gap, which asks whether a factor has one
    code: here each code should have one factor, so several codes of one factor do no harm.

    Assumes: discrete factors; independent ones, or else a code of one is informed about the others too;
    any number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, at least two that vary, the same rows.
        num_bins: histogram bins per code; compare scores only at equal bins.
        estimator: of information: ``"bins"``, of codes in equally wide bins; or ``"neighbours"``, by nearest ones,
            which takes continuous factors as they are. The entropy of what is continuous is then that of cells of
            `num_neighbours` points each, so that 1 stays the best.
        num_neighbours: of ``"neighbours"``; compare scores only at equal numbers, and numbers of points.
        min_variance: codes of this variance or less are not active. At 0 only codes that never vary are;
            the authors take 0.01 for the means of a VAE, whose prior has variance 1.
        normaliser: what information is divided by: ``"entropy"``, of the factor in the sample; or
            ``"log_values"``, the logarithm of the number of its values, as the authors have it. They are equal for
            factors whose values are equally frequent.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            (the bins of its codes together); codes in no block stay alone.
        random_state: seed or generator; ``"neighbours"`` breaks ties at random.

    Returns:
        `MigSupResult`. The score is in [0, 1], higher is better, 0 if no code is active. Factors that never
        vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mig_sup(v, v, num_bins=2).score
        1.0
        >>> mig_sup(v.sum(axis=1, keepdims=True), v, num_bins=3).score
        0.0
    """
    check_not_negative(min_variance=min_variance)
    check_choice("normaliser", normaliser, ("entropy", "log_values"))
    if check_choice("estimator", estimator, ESTIMATORS) == "neighbours":
        found = by_neighbours(codes, factors, "mig_sup", num_neighbours, random_state, code_groups, min_factors=2)
    else:
        found = binned_information(codes, factors, num_bins, "mig_sup", min_factors=2, code_groups=code_groups)
    return _result(found, min_variance=min_variance, normaliser=normaliser)


def gaps_of_codes(normalised: FloatArray) -> FloatArray:
    """The last step: largest minus second largest entry of each row (codes, factors).

    Example:
        >>> gaps_of_codes(np.array([[0.75, 0.25, 0.5]]))
        array([0.25])
    """
    ordered = np.sort(normalised, axis=1)
    return ordered[:, -1] - ordered[:, -2]
