"""Counterfactual generativeness, CG (Reddy et al. 2022, "On Causally Disentangled Representations")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import (
    check_at_least,
    check_number,
    check_pairs,
    check_random_state,
    check_rho,
    check_whole,
)
from causal_disent.metrics.tools.attribution import attribute, check_sets, select_codes
from causal_disent.metrics.tools.baselines import baseline_of
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap
from causal_disent.metrics.tools.cg_scores import (
    CgScores,
    Chance,
    Interval,
    Stopping,
    bootstrap_intervals,
    chance_levels,
)
from causal_disent.metrics.tools.dead_codes import dead_codes, factors_of
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.decoded import Decode, DecodedPoints, PredictProba
from causal_disent.metrics.tools.interventions import Changes, changes, joined
from causal_disent.metrics.tools.judged import Accuracy, check_accuracy, not_judged
from causal_disent.metrics.tools.resampling import same_state, seed_of_draws
from causal_disent.protocols import Attribution, FloatArray, IntArray

#: Keys of the result file.
SAME_FOR_ALL_RHO = ("not_judged_factors", "dead_codes")


@dataclass(frozen=True)
class CgResult(Bounded):
    """What `cg` returns. Arrays have an entry per factor, NaN if skipped.

    Attributes:
        score: CG, in [0, 1], higher is better.
        average: CG_average, never above the score.
        signed: CG_signed, in [-1, 1]: above 0 if their own codes control the factors, below if the others do.
        directed: CG_directed, in [0, 1]: the same without the factors that the others control.
        judged: the score over the factors that the classifier can judge; None if that is not known, or none.
        per_factor: the score of each factor.
        per_factor_average: the average version of each factor.
        per_factor_signed: the signed version of each factor.
        ice_inside: mean effect on each factor of setting its own codes to the baseline.
        ice_outside: mean effect of setting all other codes to the baseline.
        skipped_factors: factors with a single value in the sample, which carry no information.
        not_judged: factors that the classifier tells hardly better than chance; none if that is not known.
        sets: the codes of each factor.
        dead_codes: codes that change nothing one can see in the images.
        dead_factors: factors all of whose codes are dead.
        num_points: how many points were decoded, if they were to stop at a tolerance.
        interval: 95 % interval of the score: the bootstrap's, or that of a sample that was stopped.
        signed_interval: the bootstrap's of the signed score.
        chance: what the score is for values of other images, and the share of permutations that reach it.
        signed_chance: the same of the signed score.
    """

    score: float
    average: float
    signed: float
    directed: float
    judged: float | None
    per_factor: FloatArray
    per_factor_average: FloatArray
    per_factor_signed: FloatArray
    ice_inside: FloatArray
    ice_outside: FloatArray
    skipped_factors: tuple[int, ...]
    not_judged: tuple[int, ...]
    sets: list[tuple[int, ...]]
    dead_codes: tuple[int, ...]
    dead_factors: tuple[int, ...]
    num_points: int | None
    interval: Interval | None = None
    signed_interval: Interval | None = None
    chance: Chance | None = None
    signed_chance: Chance | None = None


def cg_per_rho(
    codes: FloatArray,
    factors: IntArray,
    decode: Decode,
    predict_proba: PredictProba,
    *,
    rho: Sequence[int],
    attribution: str | Attribution = "irs",
    selection: str = "top",
    binned_factors: IntArray | None = None,
    random_state: np.random.RandomState | int = 0,
    **options: Any,
) -> dict[int, CgResult]:
    """`cg` for each of several `rho`, attributing once; `options` are those of `cg`."""
    codes, factors = check_pairs(codes, factors)
    chosen = [check_rho(one, codes.shape[1]) for one in rho]
    generator = check_random_state(random_state)
    scores = attribute(codes, factors if binned_factors is None else binned_factors, attribution, generator)
    sets = {one: select_codes(scores, one, selection) for one in chosen}
    return {
        one: cg(
            codes, factors, decode, predict_proba, attribution=own, random_state=same_state(generator), **options
        )
        for one, own in sets.items()
    }


@metric(
    "cg",
    needs=DecodedPoints(metric="cg"),
    reports={
        "CG": "score",
        "CG_average": "average",
        "CG_signed": "signed",
        "CG_directed": "directed",
        "CG_judged": "judged",
        "CG_low": "low",
        "CG_high": "high",
        "CG_signed_low": lambda result, names: result.signed_interval and result.signed_interval[0],
        "CG_signed_high": lambda result, names: result.signed_interval and result.signed_interval[1],
        "CG_chance": lambda result, names: result.chance and result.chance.score,
        "CG_chance_share": lambda result, names: result.chance and result.chance.share,
        "CG_within_chance": lambda result, names: result.chance and result.chance.within,
        "CG_signed_chance": lambda result, names: result.signed_chance and result.signed_chance.score,
        "CG_signed_chance_share": lambda result, names: result.signed_chance and result.signed_chance.share,
        "CG_signed_within_chance": lambda result, names: result.signed_chance and result.signed_chance.within,
        "CG_points": "num_points",
        "codes_factor_{factor}": "sets",
        "CG_factor_{factor}": "per_factor",
        "CG_average_factor_{factor}": "per_factor_average",
        "CG_signed_factor_{factor}": "per_factor_signed",
        "ICE_inside_factor_{factor}": "ice_inside",
        "ICE_outside_factor_{factor}": "ice_outside",
        "skipped_factors": lambda result, names: [names[i] for i in result.skipped_factors] or None,
        "not_judged_factors": lambda result, names: [names[i] for i in result.not_judged] or None,
        "dead_codes": lambda result, names: list(result.dead_codes) or None,
        "factors_of_dead_codes": lambda result, names: [names[i] for i in result.dead_factors] or None,
    },
    range=(0, 1),
    by_chance="0.2 to 0.5 (0.37 for noise); CG_signed 0 for noise, and half of it for perfect codes of others",
    compared=(
        "the authors' released program, 36 data sets, rho from 1 to 3, with one decoder and classifier for both "
        "and `selection='published'`: the same numbers"
    ),
    summary="do interventions on a factor's codes change it, and only they?",
    assumes="discrete factors, possibly confounded; a decoder; any number of codes",
    also=("CG_average", "CG_signed"),
    invariances=("permutation", "rescaling"),
    renamed={"attribution": "attribution_fn"},
    several=("rho", cg_per_rho),
    once=SAME_FOR_ALL_RHO,
)
def cg(
    codes: FloatArray,
    factors: IntArray,
    decode: Decode,
    predict_proba: PredictProba,
    *,
    rho: int = 1,
    attribution: str | Attribution | Sequence[Sequence[int]] = "irs",
    selection: str = "top",
    baseline: str = "max_deviation",
    decode_batch_size: int = 256,
    bootstrap: int = 0,
    chance: int = 0,
    tolerance: float | None = None,
    tolerance_per_factor: bool = False,
    random_state: np.random.RandomState | int = 0,
    binned_factors: IntArray | None = None,
    image_shape: Sequence[int] | None = None,
    accuracy: Accuracy | None = None,
) -> CgResult:
    r"""Do interventions on a factor's codes change that factor in the generated image, and only they?

    .. math::
        ICE_I(i, x) = |p_i(G_i^x | g(z)) - p_i(G_i^x | g(z\ \text{with}\ Z_i\ \text{at its baseline}))|

    and :math:`ICE_{\setminus I}` the same with all other codes at their baseline. Then

    .. math::
        CG = \frac1n \sum_i \frac1L \sum_x |ICE_I - ICE_{\setminus I}|, \qquad
        CG_{average} = \frac1n \sum_i \left| \frac1L \sum_x (ICE_I - ICE_{\setminus I}) \right|

    The paper's equation 2 has the absolute value outside the mean over images, its equation 3 and its
    algorithm inside. The score is the latter; both are returned. Neither tells which of the two effects is the
    larger: a factor that its own codes do not touch, and all others do, scores as high as one that is controlled
    by its own codes alone. So there are also

    .. math::
        CG_{signed} = \frac1n \sum_i \frac1L \sum_x (ICE_I - ICE_{\setminus I}), \qquad
        CG_{directed} = \frac1n \sum_i \max\left(0, \frac1L \sum_x (ICE_I - ICE_{\setminus I})\right)

    [Reading a CG](cg.md) shows with pictures why, and what else is reported beside it.

    Assumes: discrete factors that the classifier knows, confounded or not; a decoder; any number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows: the value's position among the columns of
            ``predict_proba``.
        decode: codes (n, codes) -> images in [0, 1]: an array, or what else ``predict_proba`` takes, such as
            a tensor on a device.
        predict_proba: images -> one (n, values) array of probabilities per factor.
        rho: how many codes a factor is given.
        attribution: as for `uc`, or a list of code indices for each factor.
        selection: as for `uc`.
        baseline: ``"max_deviation"`` (the value of each code in the sample farthest from the point's own),
            ``"zero"`` or ``"mean"``.
        decode_batch_size: points decoded together; images of one batch at a time are in memory.
        bootstrap: how many resamples of the points to take for a 95 % interval, codes and baselines
            staying as they are; 0 for none.
        chance: how many permutations of the factors' rows to take for the chance level, effects and codes
            staying as they are; 0 for none.
        tolerance: stop when half the width of the score's 95 % interval is not more, the points coming in random
            order; the interval is one of the score of all points that may be looked at again and again, and all
            points are the limit. None for all of them.
        tolerance_per_factor: go on until the intervals of the factors, each for itself, are as narrow.
        random_state: seed or generator, for the order of the points, the bootstrap and the permutations, and for
            attributions that need one.
        binned_factors: (points, factors), what the attribution sees of the factors; by default all of them as they
            are. Under a config, gin's ``discretizer`` bins them.
        image_shape: height, width and channels that ``decode`` must return; not checked if not given.
        accuracy: of the classifier per factor, on images that it has not seen, or a function that returns it: with
            it, the score over the factors that are judged better than by chance is given, too.

    Returns:
        `CgResult`. The score is in [0, 1], higher is better; 0 <= average <= score and
        -average <= signed <= directed <= average.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> def two_pixels(z): return z.reshape(-1, 1, 2, 1)
        >>> def read(images): return [np.stack([1 - p, p], axis=1) for p in images.reshape(-1, 2).T]
        >>> cg(v, v, two_pixels, read).score
        1.0
        >>> swapped = cg(v, v, two_pixels, read, attribution=[[1], [0]])
        >>> swapped.score, swapped.signed
        (1.0, -1.0)
    """
    codes, factors = check_pairs(codes, factors)
    codes = codes if codes.dtype.kind == "f" else codes.astype(np.float64)
    check_bootstrap(bootstrap)
    check_whole("`chance`", chance, 0)
    if tolerance is not None:
        check_number("`tolerance`", tolerance, above=0, below=1)
    generator = check_random_state(random_state)
    if isinstance(attribution, str) or callable(attribution):
        labels = factors if binned_factors is None else check_pairs(codes, binned_factors)[1]
        scores = attribute(codes, labels, attribution, generator)
        sets = select_codes(scores, rho, selection)
    else:
        sets = check_sets(attribution, factors.shape[1], codes.shape[1])
    check_at_least(1, decode_batch_size=decode_batch_size)
    skipped = tuple(i for i, values in enumerate(factors.T) if values.min() == values.max())
    if len(skipped) == factors.shape[1]:
        raise errors.InvalidInput("Every factor has a single value in the sample; CG needs one that varies.")
    truth, from_codes = _value_indices(factors), baseline_of(codes, baseline)
    seed = seed_of_draws(generator)
    order = slice(None) if tolerance is None else generator.permutation(len(codes))
    known = check_accuracy(accuracy, factors.shape[1])
    batches = changes(
        codes[order],
        truth[order],
        decode,
        predict_proba,
        [None if i in skipped else codes_of for i, codes_of in enumerate(sets)],
        from_codes,
        int(decode_batch_size),
        image_shape,
    )
    stopping = None if tolerance is None else Stopping(len(codes), tolerance, tolerance_per_factor)
    effects, seen = _until_sure(batches, stopping, keep=chance > 0)
    gaps = effects[0] - effects[1]
    draws = np.random.RandomState(seed)
    absolute, signed = bootstrap_intervals(gaps, bootstrap, draws)
    intervals = (absolute if stopping is None else stopping.interval, signed)
    chances = chance_levels(joined(seen), chance, draws, intervals) if chance else (None, None)
    unseen = () if known is None else not_judged(known, factors)
    dead = dead_codes(codes, decode)
    whole, per_factor = CgScores.of(gaps), np.abs(gaps).mean(axis=0)
    of_judged = [per_factor[i] for i in range(len(sets)) if i not in (*unseen, *skipped)]
    return CgResult(
        score=whole.absolute,
        average=whole.average,
        signed=whole.signed,
        directed=whole.directed,
        judged=None if known is None or not of_judged else float(np.mean(of_judged)),
        per_factor=per_factor,
        per_factor_average=np.abs(gaps.mean(axis=0)),
        per_factor_signed=gaps.mean(axis=0),
        ice_inside=effects[0].mean(axis=0),
        ice_outside=effects[1].mean(axis=0),
        skipped_factors=skipped,
        not_judged=unseen,
        sets=sets,
        dead_codes=dead,
        dead_factors=factors_of(sets, dead),
        num_points=None if stopping is None else len(gaps),
        interval=intervals[0],
        signed_interval=intervals[1],
        chance=chances[0],
        signed_chance=chances[1],
    )


def _until_sure(
    batches: Iterator[Changes], stopping: Stopping | None, keep: bool
) -> tuple[FloatArray, list[Changes]]:
    """The effects (2, points, factors) of the batches until it is enough, and all changes if asked for."""
    effects, kept = [], []
    for batch in batches:
        effects.append(batch.effects())
        if keep:
            kept.append(batch)
        if stopping is not None and stopping.enough(effects[-1]):
            break
    return np.concatenate(effects, axis=1), kept


def _value_indices(factors: Any) -> IntArray:
    if (factors != np.floor(factors)).any() or factors.min() < 0:
        raise errors.InvalidInput(
            "`factors` must hold 0, 1, 2, ...: the position of each value among the classifier's columns."
        )
    return factors.astype(np.int64)
