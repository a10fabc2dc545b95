"""Gaps of mutual information: MIG, MIG-sup, DCIMIG and JEMMIG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice, check_not_negative, check_pairs, varying_factors
from causal_disent.metrics.arrays import CodeGroups, all_groups, place_values
from causal_disent.metrics.contract import BY_NEIGHBOURS, IN_GROUPS, Result, metric
from causal_disent.metrics.draw import points
from causal_disent.metrics.information import (
    GIN_BINS,
    Bins,
    Information,
    bin_codes,
    estimate_information,
    measure_information,
)
from causal_disent.protocols import FloatArray, IntArray

#: The arguments with which no single point decides.
BY_QUANTILES = {"estimator": "quantile_bins"}


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


def mig_from(information: Information) -> MigResult:
    gaps = find_mig_gaps(information.matrix, information.factor_entropies)
    matrix = np.zeros((len(information.matrix), information.num_factors))  # nothing is known of what never varies
    matrix[:, information.factors] = information.matrix
    return MigResult(float(gaps.mean()), place_values(gaps, information.factors, information.num_factors), matrix)


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
    robust=BY_QUANTILES,
    supplies=GIN_BINS,
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
        estimator: of information: ``"bins"``, of codes in equally wide bins; ``"quantile_bins"``, in equally
            filled ones, which single points do not decide; or ``"neighbours"``, by nearest ones, which takes
            continuous factors as they are. The entropy of what is continuous is then that of cells of
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
    if estimator != "bins":
        if callable(num_bins) and estimator == "quantile_bins":
            raise errors.InvalidInput(
                "`num_bins` is a number for the estimator 'quantile_bins', which puts codes into bins by itself."
            )
        found = estimate_information(
            "mig",
            codes,
            factors,
            num_bins=2 if callable(num_bins) else num_bins,
            estimator=estimator,
            num_neighbours=num_neighbours,
            random_state=random_state,
            code_groups=code_groups,
            min_codes=2,
        )
        return mig_from(found)
    codes, factors = check_pairs(codes, factors, min_codes=2)
    groups = None if code_groups is None else all_groups(code_groups, codes.shape[1], least=2)
    varying = varying_factors(factors, "mig")
    return mig_from(measure_information(codes, bin_codes(codes, num_bins), factors, varying, groups=groups))


def find_mig_gaps(information: FloatArray, entropy: FloatArray) -> FloatArray:
    """Per factor, the largest less the second largest information (codes, factors), over the entropy."""
    second, first = np.sort(information, axis=0)[-2:]
    return (first - second) / entropy


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


def mig_sup_from(
    information: Information, *, min_variance: float = 0.0, normaliser: str = "entropy"
) -> MigSupResult:
    active = information.code_variances > min_variance
    by = information.factor_entropies if normaliser == "entropy" else np.log(information.num_values)
    gaps = find_gaps_of_codes(information.matrix / by)
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
    robust=BY_QUANTILES,
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
        estimator: as for `mig`.
        num_neighbours: as for `mig`.
        min_variance: codes of this variance or less are not active. At 0 only codes that never vary are;
            the authors take 0.01 for the means of a VAE, whose prior has variance 1.
        normaliser: what information is divided by: ``"entropy"``, of the factor in the sample; or
            ``"log_values"``, the logarithm of the number of its values, as the authors have it. They are equal for
            factors whose values are equally frequent.
        code_groups: as for `mig`.
        random_state: as for `mig`.

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
    found = estimate_information(
        "mig_sup",
        codes,
        factors,
        num_bins=num_bins,
        estimator=estimator,
        num_neighbours=num_neighbours,
        random_state=random_state,
        code_groups=code_groups,
        min_factors=2,
    )
    return mig_sup_from(found, min_variance=min_variance, normaliser=normaliser)


def find_gaps_of_codes(normalised: FloatArray) -> FloatArray:
    """The last step: largest minus second largest entry of each row (codes, factors).

    Example:
        >>> find_gaps_of_codes(np.array([[0.75, 0.25, 0.5]]))
        array([0.25])
    """
    ordered = np.sort(normalised, axis=1)
    return ordered[:, -1] - ordered[:, -2]


@dataclass(frozen=True)
class DcimigResult(Result):
    """What `dcimig` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) the factor's gap over its entropy; NaN if it never varies.
    """

    score: float
    per_factor: FloatArray


def dcimig_from(information: Information) -> DcimigResult:
    gaps, entropy = find_best_gaps(information.matrix), information.factor_entropies
    per_factor = place_values(gaps / entropy, information.factors, information.num_factors)
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
    robust=BY_QUANTILES,
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
        estimator: as for `mig`.
        num_neighbours: as for `mig`.
        code_groups: as for `mig`.
        random_state: as for `mig`.

    Returns:
        `DcimigResult`. The score is in [0, 1], higher is better. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> dcimig(v, v, num_bins=2).score
        1.0
        >>> dcimig(v[:, :1], v, num_bins=2).score
        0.5
    """
    found = estimate_information(
        "dcimig",
        codes,
        factors,
        num_bins=num_bins,
        estimator=estimator,
        num_neighbours=num_neighbours,
        random_state=random_state,
        code_groups=code_groups,
        min_factors=2,
    )
    return dcimig_from(found)


def find_best_gaps(matrix: FloatArray) -> FloatArray:
    """The last step: the largest gap among the codes (codes, factors) whose first factor each one is.

    Example:
        >>> find_best_gaps(np.array([[0.75, 0.25], [0.5, 0.375]]))
        array([0.5, 0. ])
    """
    best = np.zeros(matrix.shape[1])
    np.maximum.at(best, matrix.argmax(axis=1), find_gaps_of_codes(matrix))
    return best


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


def jemmig_from(information: Information) -> JemmigResult:
    raw = np.maximum(_jemmig_of(information), 0.0)  # a sum of entropies: below 0 by rounding alone
    score = 1.0 - raw / (information.factor_entropies + information.most_entropy)
    columns, num_factors = information.factors, information.num_factors
    return JemmigResult(
        float(score.mean()),
        place_values(score, columns, num_factors),
        float(raw.mean()),
        place_values(raw, columns, num_factors),
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
    robust=BY_QUANTILES,
    resampling={"by_range": True},
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
        estimator: as for `mig`.
        num_neighbours: as for `mig`.
        random_state: as for `mig`.

    Returns:
        `JemmigResult`. The score is in [0, 1], higher is better; ``raw`` is the published quantity, which is
        better the lower it is. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> result = jemmig(v, v, num_bins=2)
        >>> result.score, result.raw
        (1.0, 0.0)
    """
    found = estimate_information(
        "jemmig",
        codes,
        factors,
        num_bins=num_bins,
        estimator=estimator,
        num_neighbours=num_neighbours,
        random_state=random_state,
        min_codes=2,
    )
    return jemmig_from(found)


def _jemmig_of(information: Information) -> FloatArray:
    """(varying factors,), from H(z, g) = H(z) + H(g) - I(z; g)."""
    ordered = np.sort(information.matrix, axis=0)
    is_best = information.matrix >= ordered[-1] - TIE
    best_entropy = np.where(is_best, information.code_entropies[:, None], np.inf).min(axis=0)
    return best_entropy + information.factor_entropies - 2.0 * ordered[-1] + ordered[-2]
