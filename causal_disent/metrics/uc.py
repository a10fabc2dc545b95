"""Unconfoundedness, UC (Reddy et al. 2022, "On Causally Disentangled Representations", equation 1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_pairs, check_random_state, check_rho
from causal_disent.metrics.tools.attributed import AttributedSample, attributed_sample
from causal_disent.metrics.tools.attribution import CodeSets, attribute, select_codes
from causal_disent.metrics.tools.bootstrap import attribution_resamples, check_bootstrap, interval
from causal_disent.metrics.tools.keys import per_rho
from causal_disent.protocols import Attribution, FloatArray, GroundTruthData, IntArray, Representation

__all__ = [
    "UcResult",
    "check_factors",
    "compute_uc",
    "uc_of_sample",
    "unconfoundedness",
    "unconfoundedness_curve",
    "unconfoundedness_of_sets",
]


@dataclass(frozen=True)
class UcResult:
    """What `unconfoundedness` returns.

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


def unconfoundedness(
    codes: FloatArray,
    factors: IntArray,
    *,
    rho: int = 1,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    group_size: int = 2,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> UcResult:
    r"""Are the factors captured by separate codes?

    .. math:: UC = 1 - \frac{1}{\binom n2} \sum_{i<j} \frac{|Z_i \cap Z_j|}{|Z_i \cup Z_j|}

    where :math:`Z_i` are the rho codes attributed to factor i. All pairs of factors count, each once
    (the published algorithms stop one factor early, and the workshop version divides by n(n-1)).

    Assumes: discrete factors, at least two, confounded or not; any number of codes from `rho` on.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, at least two factors, the same rows.
        rho: how many codes a factor is given. With rho = codes the score is 0 by definition.
        attribution: ``"irs"``, ``"mutual_information"``, ``"dci_importance"``, a plugin's, or a function
            (codes, factors, random_state) -> (codes, factors) scores.
        selection: ``"top"``, or ``"published"`` for comparing with the published tables
            (`causal_disent.metrics.tools.attribution.select_codes`).
        group_size: overlap of pairs (2, the paper), or of larger groups of factors.
        bootstrap: how many resamples of the points to take for a 95 % interval; 0 for none.
        random_state: seed or generator, for the bootstrap and for attributions that need one.

    Returns:
        `UcResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> unconfoundedness(v, v).score
        1.0
        >>> unconfoundedness(v[:, :1].repeat(2, axis=1), v).score
        0.0
    """
    codes, factors = check_pairs(codes, factors)
    check_factors(factors.shape[1])
    check_rho(rho, codes.shape[1])
    check_bootstrap(bootstrap)
    generator = check_random_state(random_state)
    scores = attribute(codes, factors, attribution, generator)
    resampled = attribution_resamples(codes, factors, attribution, bootstrap, generator)
    return _result(scores, rho, selection, group_size, resampled)


def _result(
    scores: FloatArray, rho: int, selection: str, group_size: int, resampled: Sequence[FloatArray]
) -> UcResult:
    """UC from attribution scores, and its interval from those of the resamples."""
    sets = select_codes(scores, rho, selection)
    score = unconfoundedness_of_sets(sets, group_size=group_size)
    repeated = [
        unconfoundedness_of_sets(select_codes(again, rho, selection), group_size=group_size) for again in resampled
    ]
    jaccard = np.array([[_overlap((first, second)) for second in sets] for first in sets])
    return UcResult(score, exp(2 * (score - 1)), sets, jaccard, scores, interval(repeated))


def unconfoundedness_of_sets(sets: Sequence[Collection[int]], *, group_size: int = 2) -> float:
    """UC of sets of codes, one per factor.

    Example:
        >>> unconfoundedness_of_sets([{1, 2, 3}, {2, 3, 6}])
        0.5
    """
    check_factors(len(sets))
    if not 2 <= group_size <= len(sets):
        raise errors.InvalidInput(
            f"`group_size` is from 2 to {len(sets)} (the number of factors); given: {group_size!r}."
        )
    empty = [i for i, codes in enumerate(sets) if not len(codes)]
    if empty:
        raise errors.InvalidInput(f"The set of factor {empty[0]} is empty; each factor needs a code.")
    overlaps = [_overlap(group) for group in combinations(sets, group_size)]
    return 1.0 - sum(overlaps) / len(overlaps)


def unconfoundedness_curve(
    codes: FloatArray,
    factors: IntArray,
    *,
    rhos: Sequence[int] | None = None,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    random_state: np.random.RandomState | int = 0,
) -> dict[int, float]:
    """UC for each of `rhos` (all by default), attributing once.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> unconfoundedness_curve(v, v)
        {1: 1.0, 2: 0.0}
    """
    codes, factors = check_pairs(codes, factors)
    check_factors(factors.shape[1])
    scores = attribute(codes, factors, attribution, check_random_state(random_state))
    chosen = range(1, codes.shape[1] + 1) if rhos is None else rhos
    return {rho: unconfoundedness_of_sets(select_codes(scores, rho, selection)) for rho in chosen}


def _overlap(group: Sequence[Collection[int]]) -> float:
    """Size of the intersection over size of the union."""
    sets = [set(codes) for codes in group]
    return len(set.intersection(*sets)) / len(set.union(*sets))


def check_factors(num_factors: int) -> None:
    """Raise if there are too few factors for UC."""
    if num_factors < 2:
        raise errors.InvalidInput(
            f"UC compares factors with each other and needs at least two; given: {num_factors}."
        )


def _keys(result: UcResult, names: Sequence[str]) -> dict[str, Any]:
    """The entries of a result file."""
    keys: dict[str, Any] = {"UC": result.score, "UC_rescaled": result.rescaled}
    if result.interval is not None:
        keys["UC_low"], keys["UC_high"] = result.interval
    for name, codes in zip(names, result.sets, strict=True):
        keys[f"codes_factor_{name}"] = list(codes)
    return keys


def compute_uc(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 10_000,
    batch_size: int = 16,
    rho: int | Sequence[int] = 1,
    attribution_fn: str | Attribution = "irs",
    selection: str = "top",
    bootstrap: int = 0,
) -> dict[str, Any]:
    """`unconfoundedness` of `num_train` sampled points, for one rho or a list of them.

    Returns:
        ``UC``, ``UC_rescaled``, ``codes_factor_<name>``, and with bootstrap ``UC_low``, ``UC_high``;
        for a list of rho each key is prefixed, as in ``rho=2:UC``.
    """
    check_bootstrap(bootstrap)
    check_factors(ground_truth_data.num_factors)
    sample = attributed_sample(
        ground_truth_data, representation_function, random_state, num_train, batch_size, attribution_fn, rho
    )
    return uc_of_sample(sample, rho, attribution_fn, selection, bootstrap, random_state)


def uc_of_sample(
    sample: AttributedSample,
    rho: int | Sequence[int],
    attribution: str | Attribution,
    selection: str,
    bootstrap: int,
    random_state: np.random.RandomState,
) -> dict[str, Any]:
    """The entries of a result file, for one rho or several."""
    resampled = attribution_resamples(sample.codes, sample.discrete, attribution, bootstrap, random_state)
    return per_rho(rho, lambda one: _keys(_result(sample.scores, one, selection, 2, resampled), sample.names))
