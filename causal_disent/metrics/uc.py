"""Unconfoundedness, UC (Reddy et al. 2022, "On Causally Disentangled Representations", equation 1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_pairs, check_random_state, check_rho, checked
from causal_disent.metrics.tools.attribution import CodeSets, attribute, is_irs, select_codes
from causal_disent.metrics.tools.bootstrap import (
    Bounded,
    attribution_resamples,
    check_bootstrap,
    interval,
)
from causal_disent.metrics.tools.code_groups import CodeGroups, all_groups
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.irs_resampling import IrsDraws
from causal_disent.metrics.tools.irs_statistics import robustness
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.recount import Again
from causal_disent.metrics.tools.resampling import seed_of_draws
from causal_disent.metrics.tools.takes import IN_GROUPS
from causal_disent.protocols import Attribution, FloatArray, IntArray
from causal_disent.text import shown_value


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
    num_codes = len(all_groups(code_groups, codes.shape[1]))
    chosen = [check_rho(one, num_codes) for one in (range(1, num_codes + 1) if rho is None else rho)]
    check_bootstrap(bootstrap)
    generator = check_random_state(random_state)
    scores = attribute(codes, factors, attribution, generator, code_groups)
    draws = np.random.RandomState(seed_of_draws(generator))
    resampled = attribution_resamples(codes, factors, attribution, bootstrap, draws, code_groups)
    return {one: _result(scores, one, selection, group_size, resampled) for one in chosen}


def _again(
    codes: FloatArray,
    factors: IntArray,
    *,
    rho: int = 1,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    group_size: int = 2,
    code_groups: CodeGroups | None = None,
    **_: Any,
) -> Again | None:
    """UC of other draws, by the deviations that the IRS is made of."""
    if code_groups or not is_irs(attribution):
        return None
    draws = IrsDraws(codes, factors)

    def score(within: FloatArray, deviations: FloatArray) -> float:
        return uc_of_sets(select_codes(robustness(within, deviations), rho, selection), group_size=group_size)

    return Again(lambda rows: score(*draws.of_rows(rows)), lambda order: score(*draws.of_order(order)))


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
    takes={
        "discrete": {},
        "binned": {},
        "neighbours": {"attribution": "neighbour_information"},
        **IN_GROUPS,
    },
    invariances=("permutation", "rescaling"),
    renamed={"attribution": "attribution_fn"},
    several=("rho", uc_per_rho),
    check=check_factors,
    resampling={"again": _again},
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
        attribution: ``"irs"``, ``"mutual_information"``, ``"neighbour_information"`` (which takes continuous
            factors as they are), ``"dci_importance"``, a plugin's, or a function (codes, factors, random_state) ->
            (codes, factors) scores.
        selection: ``"top"``, or ``"published"`` for comparing with the published tables
            (`causal_disent.metrics.tools.attribution.select_codes`).
        group_size: overlap of pairs (2, the paper), or of larger groups of factors.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            and attributed by the IRS; codes in no block stay alone.
        bootstrap: how many resamples of the points to take for a 95 % interval; 0 for none.
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


def _result(
    scores: FloatArray, rho: int, selection: str, group_size: int, resampled: Sequence[FloatArray]
) -> UcResult:
    """UC from attribution scores, and its interval from those of the resamples."""
    sets = select_codes(scores, rho, selection)
    score = uc_of_sets(sets, group_size=group_size)
    repeated = [uc_of_sets(select_codes(again, rho, selection), group_size=group_size) for again in resampled]
    jaccard = np.array([[_overlap((first, second)) for second in sets] for first in sets])
    return UcResult(score, exp(2 * (score - 1)), sets, jaccard, scores, interval(score, repeated, (0.0, 1.0)))


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
