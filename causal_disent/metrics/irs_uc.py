"""Interventional robustness (IRS), attribution of codes to factors, and unconfoundedness (UC)."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, isnan
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import (
    check_choice,
    check_fits_trees,
    check_pairs,
    check_random_state,
    check_rho,
    checked,
)
from causal_disent.metrics.arrays import CodeGroups, all_groups, varies
from causal_disent.metrics.certainty import Asked, certainty, choose_seed
from causal_disent.metrics.contract import IN_GROUPS, Bounded, Result, find_registered, metric
from causal_disent.metrics.deviations import (
    find_largest_deviations,
    irs_score,
    make_distances,
    measure_deviations_within,
    robustness,
)
from causal_disent.metrics.draw import points
from causal_disent.metrics.fitting import fit_model
from causal_disent.metrics.information import count_information, equal_width_bins, label_columns
from causal_disent.metrics.information import estimate_by_neighbours as information_by_neighbours
from causal_disent.metrics.reuse import reused
from causal_disent.protocols import Attribution, FloatArray, IntArray
from causal_disent.text import shown_value

# --- IRS (Suter et al. 2019, arXiv:1811.00007)

#: How far a code goes over all points.
DEVIATIONS = ("max", "quantile")


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
    robust={"deviation": "quantile"},
    resampling={"by_range": True},
)
def irs(
    codes: FloatArray,
    factors: IntArray,
    *,
    diff_quantile: float = 0.99,
    deviation: str = "max",
    code_groups: CodeGroups | None = None,
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
        deviation: of each code over all points: ``"max"``, as published, which one point decides and which grows
            with the number of points where codes have no bounds; or ``"quantile"``, the quantile q there as well.
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
    check_choice("deviation", deviation, DEVIATIONS)
    of_all = diff_quantile if deviation == "quantile" else 1.0
    groups = all_groups(code_groups, codes.shape[1])
    deviations, within = _measure_deviations(codes, factors, diff_quantile, of_all, groups)
    matrix = robustness(within, deviations)
    return IrsResult(irs_score(matrix, deviations), matrix, deviations.copy(), int((deviations > 0).sum()))


@reused
def _measure_deviations(
    codes: FloatArray, factors: IntArray, diff_quantile: float, of_all: float, groups: Sequence[Sequence[int]]
) -> tuple[FloatArray, FloatArray]:
    """The quantile `of_all` of deviations (codes,); those within the values of each factor (codes, factors)."""
    by_code = np.ascontiguousarray(codes.T, dtype=np.float64)
    distances = make_distances(groups)
    within = measure_deviations_within(by_code, factors, diff_quantile, distances)
    return find_largest_deviations(by_code, distances, of_all), within


def check_quantile(diff_quantile: float) -> None:
    """A number from 0 to 1."""
    if not 0 <= diff_quantile <= 1:
        raise errors.InvalidInput(f"`diff_quantile` is a number from 0 to 1; given: {shown_value(diff_quantile)}.")


# --- Which codes belong to which factor: scores (codes, factors), and the choice of the rho best

CodeSets = list[tuple[int, ...]]

#: Scores closer than this count as tied, so that rescaling a code (a rounding error) changes no set.
TIE = 1e-9

SELECTIONS = ("top", "published")


def irs_attribution(codes: FloatArray, factors: IntArray, random_state: np.random.RandomState) -> FloatArray:
    """The matrix of the interventional robustness score: the sources' choice."""
    return irs(codes, factors).matrix


def robust_irs_attribution(
    codes: FloatArray, factors: IntArray, random_state: np.random.RandomState
) -> FloatArray:
    """The same with quantiles in place of the largest deviations, which one point decides."""
    return irs(codes, factors, deviation="quantile").matrix


def mutual_information(codes: FloatArray, factors: IntArray, random_state: np.random.RandomState) -> FloatArray:
    """Mutual information in nats of each code, in 20 equally wide bins, with each factor."""
    codes, factors = check_pairs(codes, factors)
    return count_information(label_columns(equal_width_bins(codes, 20)), label_columns(factors), len(codes))[0]


def neighbour_information(
    codes: FloatArray, factors: FloatArray | IntArray, random_state: np.random.RandomState
) -> FloatArray:
    """Mutual information in nats of each code with each factor by ten nearest neighbours, continuous ones too."""
    codes, factors = check_pairs(codes, factors)
    codes, columns = np.asarray(codes, dtype=np.float64), np.arange(factors.shape[1])
    generator = check_random_state(random_state)
    return information_by_neighbours(codes, factors, columns, 10, generator).matrix


def dci_importance(codes: FloatArray, factors: IntArray, random_state: np.random.RandomState) -> FloatArray:
    """Importance of each code in gradient boosted trees that predict each factor (Eastwood 2018)."""
    from causal_disent.metrics.boosting import ExactBoosting

    codes, factors = check_pairs(codes, factors)
    check_fits_trees(codes)
    importance = np.zeros((codes.shape[1], factors.shape[1]))
    for i, factor in enumerate(factors.T):
        if np.unique(factor).size > 1:
            trees = fit_model(ExactBoosting(random_state=check_random_state(random_state)), codes, factor)
            importance[:, i] = np.abs(trees.feature_importances_)
    return importance


#: The attributions that have a name here.
ATTRIBUTIONS: dict[str, Attribution] = {
    "irs": irs_attribution,
    "robust_irs": robust_irs_attribution,
    "mutual_information": mutual_information,
    "neighbour_information": neighbour_information,
    "dci_importance": dci_importance,
}


def attribute(
    codes: FloatArray,
    factors: IntArray,
    attribution: str | Attribution,
    random_state: np.random.RandomState,
    code_groups: CodeGroups | None = None,
) -> FloatArray:
    """The scores of a registered attribution, or of one's own function; codes that never vary are NaN.

    Groups of codes in the place of codes are for that of the IRS.
    """
    if code_groups:
        if not is_irs(attribution):
            raise errors.InvalidInput(
                "`code_groups` are attributed by the IRS alone (attribution 'irs'); given: "
                f"{shown_value(attribution)}."
            )
        return irs(codes, factors, code_groups=code_groups).matrix
    function: Any = attribution
    if isinstance(attribution, str):
        function = ATTRIBUTIONS.get(attribution) or find_registered("attributions", attribution)
    elif not callable(attribution):
        raise errors.InvalidInput(
            "`attribution` is a name or a function (codes, factors, random_state) -> (codes, factors) "
            f"scores; given: {shown_value(attribution)}."
        )
    with errors.readable(f"What the attribution {shown_value(attribution)} gives"):
        scores = np.array(function(codes, factors, random_state), dtype=np.float64)
    expected = (codes.shape[1], factors.shape[1])
    if scores.shape != expected:
        raise errors.InvalidInput(
            "The attribution "
            f"{shown_value(attribution)} must return scores of shape (codes, factors) = {expected}; "
            f"it returned {scores.shape}."
        )
    scores[codes.min(axis=0) == codes.max(axis=0)] = np.nan
    return scores


def is_irs(attribution: Any) -> bool:
    """Whether an attribution, or its name, is that of the IRS."""
    return attribution == "irs" or getattr(attribution, "__wrapped__", attribution) is irs_attribution


def select_codes(scores: FloatArray, rho: int, selection: str = "top") -> CodeSets:
    """The codes of each factor.

    Args:
        scores: (codes, factors); NaN marks a code that never varies, which is chosen last.
        rho: how many codes a factor is given.
        selection: ``"top"``, the rho best, ties (within 1e-9) to the lower index; or ``"published"``, what
            the authors' code takes: ``argpartition(column, -1)[::-rho][:rho]`` of the codes that vary,
            which for rho > 1 is not the rho best. Only for comparing with the published tables.

    Returns:
        A tuple of code indices, ascending, for each factor.
    """
    check_choice("selection", selection, SELECTIONS)
    rho = check_rho(rho, len(scores))
    choose = _top if selection == "top" else _published
    return [tuple(sorted(choose(column, rho))) for column in scores.T]


def _top(column: FloatArray, rho: int) -> list[int]:
    filled = np.where(np.isnan(column), -np.inf, column)
    order = np.argsort(-filled, kind="stable")
    with np.errstate(invalid="ignore"):  # -inf minus -inf: codes that never vary tie with each other
        gaps = filled[order][:-1] - filled[order][1:]
    groups = np.concatenate([[0], np.cumsum(gaps > TIE)])
    return order[np.lexsort((order, groups))][:rho].tolist()


def _published(column: FloatArray, rho: int) -> list[int]:
    varying = np.flatnonzero(~np.isnan(column))
    if not varying.size:
        return list(range(rho))
    return varying[np.argpartition(column[varying], -1)[::-rho][:rho]].tolist()


def check_sets(sets: Sequence[Any], num_factors: int, num_codes: int) -> CodeSets:
    """Index sets given by hand, one per factor."""
    if len(sets) != num_factors:
        raise errors.InvalidInput(f"One set of codes per factor ({num_factors}) is needed; given: {len(sets)}.")
    checked: CodeSets = []
    for i, codes in enumerate(sets):
        indices = sorted({int(code) for code in codes})
        if not indices or indices[0] < 0 or indices[-1] >= num_codes:
            raise errors.InvalidInput(
                f"The set of factor {i} must hold code indices from 0 to {num_codes - 1}; given: "
                f"{shown_value(codes)}."
            )
        checked.append(tuple(indices))
    return checked


# --- UC (Reddy et al. 2022, "On Causally Disentangled Representations", equation 1)


@dataclass(frozen=True)
class UcResult(Bounded):
    """What `uc` returns.

    Attributes:
        score: in [0, 1]; 1 if no two factors share a code, 0 if all have the same codes.
        rescaled: ``exp(2 (score - 1))``, which spreads the scores near 1 that rho > 1 gives.
        sets: the codes of each factor.
        jaccard: (factors, factors) overlap of the sets, 1 on the diagonal.
        attribution: (codes, factors) scores that the sets were chosen by.
        interval: 95 % bootstrap interval of the score, if asked for.
    """

    score: float
    rescaled: float
    sets: CodeSets
    jaccard: FloatArray
    attribution: FloatArray
    interval: tuple[float, float] | None = None


def check_factors(num_factors: int) -> None:
    """Raise if there are too few factors for UC."""
    if num_factors < 2:
        raise errors.InvalidInput(
            f"UC compares factors with each other and needs at least two; given: {num_factors}."
        )


@checked
def uc_per_rho(
    codes: FloatArray,
    factors: IntArray,
    *,
    rho: Sequence[int] | None = None,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    group_size: int = 2,
    code_groups: CodeGroups | None = None,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> dict[int, UcResult]:
    """`uc` for each of several `rho` (all by default), attributing once.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> {rho: result.score for rho, result in uc_per_rho(v, v).items()}
        {1: 1.0, 2: 0.0}
    """
    codes, factors = check_pairs(codes, factors)
    check_factors(factors.shape[1])
    if constant := np.flatnonzero(~varies(factors)).tolist():
        warnings.warn(
            "uc gives codes to factors that never vary, which means nothing: leave out "
            f"{errors.listing(constant)}.",
            stacklevel=3,
        )
    num_codes = len(all_groups(code_groups, codes.shape[1]))
    chosen = [check_rho(one, num_codes) for one in (range(1, num_codes + 1) if rho is None else rho)]
    generator = check_random_state(random_state)
    scores = attribute(codes, factors, attribution, generator, code_groups)
    found = {one: uc_of_scores(scores, one, selection, group_size) for one in chosen}
    if not bootstrap:
        return found
    asked = Asked(bootstrap, 0, choose_seed(generator))
    warnings.warn(
        "`bootstrap` of uc is deprecated: ask causal_disent.score for intervals, or bind evaluation.bootstrap.",
        DeprecationWarning,
        stacklevel=3,
    )
    options: dict[str, Any] = {"attribution": attribution, "selection": selection}
    options |= {"group_size": group_size, "code_groups": code_groups}
    for one, result in found.items():
        given = {**options, "rho": one}
        sure = certainty(uc.declaration.facts, uc, (codes, factors), given, result.score, asked)  # type: ignore[attr-defined]
        found[one] = replace(result, interval=None if isnan(sure.low) else (sure.low, sure.high))
    return found


@metric(
    "uc",
    needs=points(factors_in_bins=True),
    reports={
        "UC": "score",
        "UC_rescaled": "rescaled",
        "UC_low": "low",
        "UC_high": "high",
        "codes_factor_{factor}": "sets",
    },
    range=(0, 1),
    by_chance="anything from 0 to near 1 (0.93 for noise): which code is best is chance, and often another one",
    compared=(
        "the authors' released program, 36 data sets, rho from 1 to 3 (`selection='published'`): the same numbers"
    ),
    summary="are the factors captured by separate codes?",
    assumes="discrete factors, at least two, possibly confounded; any number of codes",
    takes={"discrete": {}, "binned": {}, "neighbours": {"attribution": "neighbour_information"}, **IN_GROUPS},
    invariances=("permutation", "rescaling"),
    robust={"attribution": "robust_irs"},
    renamed={"attribution": "attribution_fn"},
    several=("rho", uc_per_rho),
    check=check_factors,
)
def uc(
    codes: FloatArray,
    factors: IntArray,
    *,
    rho: int = 1,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    group_size: int = 2,
    code_groups: CodeGroups | None = None,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> UcResult:
    r"""Are the factors captured by separate codes?

    .. math:: UC = 1 - \frac{1}{\binom n2} \sum_{i<j} \frac{|Z_i \cap Z_j|}{|Z_i \cup Z_j|}

    where :math:`Z_i` are the rho codes attributed to factor i. All pairs of factors count, each once, as in the
    released code (it is the printed pseudo-code that stops one factor early, and the workshop version that divides
    by n(n-1)). Even codes of noise have separate best codes
    for most factors: read the score beside its chance level.

    Assumes: discrete factors, at least two, confounded or not; any number of codes from `rho` on.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, at least two factors, the same rows.
        rho: how many codes a factor is given. With rho = codes the score is 0 by definition.
        attribution: ``"irs"``, ``"robust_irs"`` (by quantiles, where one point may decide),
            ``"mutual_information"``, ``"neighbour_information"`` (which takes continuous factors as they are),
            ``"dci_importance"``, a plugin's, or a function (codes, factors, random_state) -> (codes, factors)
            scores.
        selection: ``"top"``, or ``"published"`` for comparing with the published tables
            (`causal_disent.metrics.irs_uc.select_codes`).
        group_size: overlap of pairs (2, the paper), or of larger groups of factors.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            and attributed by the IRS; codes in no block stay alone.
        bootstrap: deprecated; resamples for a 95 % interval, as `causal_disent.score` takes them.
        random_state: seed or generator, for the bootstrap and for attributions that need one.

    Returns:
        `UcResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> uc(v, v).score
        1.0
        >>> uc(v[:, :1].repeat(2, axis=1), v).score
        0.0
    """
    found = uc_per_rho(
        codes,
        factors,
        rho=[rho],
        attribution=attribution,
        selection=selection,
        group_size=group_size,
        code_groups=code_groups,
        bootstrap=bootstrap,
        random_state=random_state,
    )
    return found[rho]


def uc_of_scores(scores: FloatArray, rho: int, selection: str, group_size: int) -> UcResult:
    """UC from attribution scores."""
    sets = select_codes(scores, rho, selection)
    score = uc_of_sets(sets, group_size=group_size)
    jaccard = np.array([[_overlap((first, second)) for second in sets] for first in sets])
    return UcResult(score, exp(2 * (score - 1)), sets, jaccard, scores)


@checked
def uc_of_sets(sets: Sequence[Collection[int]], *, group_size: int = 2) -> float:
    """UC of sets of codes, one per factor.

    Example:
        >>> uc_of_sets([{1, 2, 3}, {2, 3, 6}])
        0.5
    """
    check_factors(len(sets))
    if not 2 <= group_size <= len(sets):
        raise errors.InvalidInput(
            f"`group_size` is from 2 to {len(sets)} (the number of factors); given: {shown_value(group_size)}."
        )
    empty = [i for i, codes in enumerate(sets) if not len(codes)]
    if empty:
        raise errors.InvalidInput(f"The set of factor {empty[0]} is empty; each factor needs a code.")
    overlaps = [_overlap(group) for group in combinations(sets, group_size)]
    return 1.0 - sum(overlaps) / len(overlaps)


def _overlap(group: Sequence[Collection[int]]) -> float:
    """Size of the intersection over size of the union."""
    sets = [set(codes) for codes in group]
    return len(set.intersection(*sets)) / len(set.union(*sets))
