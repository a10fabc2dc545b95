"""Counterfactual generativeness, CG (Reddy et al. 2022, "On Causally Disentangled Representations")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_at_least, check_pairs, check_random_state, check_rho
from causal_disent.metrics.tools.attribution import attribute, check_sets, select_codes
from causal_disent.metrics.tools.baselines import baseline_of
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap, interval, resample_counts
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.decoded import Decode, DecodedPoints, PredictProba
from causal_disent.metrics.tools.interventions import effects
from causal_disent.protocols import Attribution, FloatArray, IntArray


@dataclass(frozen=True)
class CgResult(Bounded):
    """What `cg` returns. Arrays have an entry per factor, NaN if skipped.

    Attributes:
        score: CG, in [0, 1], higher is better.
        average: CG_average, never above the score.
        per_factor: the score of each factor.
        per_factor_average: the average version of each factor.
        ice_inside: mean effect on each factor of setting its own codes to the baseline.
        ice_outside: mean effect of setting all other codes to the baseline.
        skipped_factors: factors with a single value in the sample, which carry no information.
        sets: the codes of each factor.
        interval: 95 % bootstrap interval of the score, if asked for.
    """

    score: float
    average: float
    per_factor: FloatArray
    per_factor_average: FloatArray
    ice_inside: FloatArray
    ice_outside: FloatArray
    skipped_factors: tuple[int, ...]
    sets: list[tuple[int, ...]]
    interval: tuple[float, float] | None = None


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
        one: cg(codes, factors, decode, predict_proba, attribution=own, random_state=generator, **options)
        for one, own in sets.items()
    }


@metric(
    "cg",
    needs=DecodedPoints(metric="cg"),
    reports={
        "CG": "score",
        "CG_average": "average",
        "CG_low": "low",
        "CG_high": "high",
        "codes_factor_{factor}": "sets",
        "CG_factor_{factor}": "per_factor",
        "CG_average_factor_{factor}": "per_factor_average",
        "ICE_inside_factor_{factor}": "ice_inside",
        "ICE_outside_factor_{factor}": "ice_outside",
        "skipped_factors": lambda result, names: [names[i] for i in result.skipped_factors] or None,
    },
    range=(0, 1),
    summary="do interventions on a factor's codes change it, and only they?",
    assumes="discrete factors, possibly confounded; a decoder; any number of codes",
    also=("CG_average",),
    invariances=("permutation", "rescaling"),
    renamed={"attribution": "attribution_fn"},
    several=("rho", cg_per_rho),
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
    random_state: np.random.RandomState | int = 0,
    binned_factors: IntArray | None = None,
    image_shape: Sequence[int] | None = None,
) -> CgResult:
    r"""Do interventions on a factor's codes change that factor in the generated image, and only they?

    .. math::
        ICE_I(i, x) = |p_i(G_i^x | g(z)) - p_i(G_i^x | g(z\ \text{with}\ Z_i\ \text{at its baseline}))|

    and :math:`ICE_{\setminus I}` the same with all other codes at their baseline. Then

    .. math::
        CG = \frac1n \sum_i \frac1L \sum_x |ICE_I - ICE_{\setminus I}|, \qquad
        CG_{average} = \frac1n \sum_i \left| \frac1L \sum_x (ICE_I - ICE_{\setminus I}) \right|

    The paper's equation 2 has the absolute value outside the mean over images, its equation 3 and its
    algorithm inside. The score is the latter; both are returned.

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
        random_state: seed or generator, for the bootstrap and for attributions that need one.
        binned_factors: (points, factors), what the attribution sees of the factors; by default all of them as they
            are. Under a config, gin's ``discretizer`` bins them.
        image_shape: height, width and channels that ``decode`` must return; not checked if not given.

    Returns:
        `CgResult`. The score is in [0, 1], higher is better; 0 <= average <= score.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> def two_pixels(z): return z.reshape(-1, 1, 2, 1)
        >>> def read(images): return [np.stack([1 - p, p], axis=1) for p in images.reshape(-1, 2).T]
        >>> cg(v, v, two_pixels, read).score
        1.0
    """
    codes, factors = check_pairs(codes, factors)
    codes = codes if codes.dtype.kind == "f" else codes.astype(np.float64)
    check_bootstrap(bootstrap)
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
    inside, outside = effects(
        codes,
        _value_indices(factors),
        decode,
        predict_proba,
        [None if i in skipped else codes_of for i, codes_of in enumerate(sets)],
        baseline_of(codes, baseline),
        int(decode_batch_size),
        image_shape,
    )
    return _result(inside, outside, skipped, sets, bootstrap, generator)


def _value_indices(factors: Any) -> IntArray:
    if (factors != np.floor(factors)).any() or factors.min() < 0:
        raise errors.InvalidInput(
            "`factors` must hold 0, 1, 2, ...: the position of each value among the classifier's columns."
        )
    return factors.astype(np.int64)


def _result(
    inside: FloatArray,
    outside: FloatArray,
    skipped: tuple[int, ...],
    sets: list[tuple[int, ...]],
    bootstrap: int,
    random_state: np.random.RandomState,
) -> CgResult:
    """CG from the effects (points, factors), NaN in the columns of skipped factors."""
    gaps = inside - outside
    per_factor = np.abs(gaps).mean(axis=0)
    per_factor_average = np.abs(gaps.mean(axis=0))
    counts = resample_counts(len(gaps), bootstrap, random_state)
    per_point = np.nanmean(np.abs(gaps), axis=1)
    return CgResult(
        score=float(np.nanmean(per_factor)),
        average=float(np.nanmean(per_factor_average)),
        per_factor=per_factor,
        per_factor_average=per_factor_average,
        ice_inside=inside.mean(axis=0),
        ice_outside=outside.mean(axis=0),
        skipped_factors=skipped,
        sets=sets,
        interval=interval((counts @ per_point / len(gaps)).tolist()),
    )
