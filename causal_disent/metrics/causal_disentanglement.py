"""IRS, UC and CG together, from one sample (Reddy et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from causal_disent.checks import check_pairs, check_random_state
from causal_disent.metrics.cg import SAME_FOR_ALL_RHO, CgResult, cg
from causal_disent.metrics.irs import IrsResult, irs
from causal_disent.metrics.tools.adapter import keys_of
from causal_disent.metrics.tools.attribution import CodeSets
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.decoded import Decode, DecodedPoints, PredictProba
from causal_disent.metrics.tools.judged import Accuracy
from causal_disent.metrics.tools.resampling import Asked, Certainty, certainty, same_state, seed_of_draws
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.uc import UcResult, check_factors, uc, uc_per_rho
from causal_disent.protocols import Attribution, FloatArray, IntArray

#: What is said of IRS, which has no rho.
IRS_SURE = tuple(f"IRS_{end}" for end in ("low", "high", "chance", "chance_share", "within_chance"))


@dataclass(frozen=True)
class CausalDisentanglementResult(Result, score="cg.score"):
    """What `causal_disentanglement` returns: the results of the three metrics; CG is the score.

    Attributes:
        irs, uc, cg: the results.
        irs_sure: how sure IRS is: its interval and its chance level; None if neither was asked for.
        uc_sure: the same of UC.
    """

    irs: IrsResult
    uc: UcResult
    cg: CgResult
    irs_sure: Certainty | None = None
    uc_sure: Certainty | None = None


def causal_disentanglement_per_rho(
    codes: FloatArray,
    factors: IntArray,
    decode: Decode,
    predict_proba: PredictProba,
    *,
    rho: Sequence[int],
    attribution: str | Attribution = "irs",
    selection: str = "top",
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
    binned_factors: IntArray | None = None,
    **options: Any,
) -> dict[int, CausalDisentanglementResult]:
    """`causal_disentanglement` for each of several `rho`, attributing once; `options` are those of `cg`."""
    codes, factors = check_pairs(codes, factors)
    labels = factors if binned_factors is None else binned_factors
    generator = check_random_state(random_state)
    robust = irs(codes, labels)
    separate = uc_per_rho(
        codes,
        labels,
        rho=rho,
        attribution=attribution,
        selection=selection,
        random_state=generator,
    )

    def controlled(sets: CodeSets) -> CgResult:
        given = (codes, factors, decode, predict_proba)
        draws = same_state(generator)
        return cg(*given, attribution=sets, bootstrap=bootstrap, random_state=draws, **options)

    found = {
        one: CausalDisentanglementResult(robust, apart, controlled(apart.sets)) for one, apart in separate.items()
    }
    asked = Asked(bootstrap, options.get("chance", 0), seed_of_draws(generator))
    if not (asked.bootstrap or asked.chance):
        return found
    points, by = (codes, labels), {"attribution": attribution, "selection": selection}

    def sure_of(part: Any, score: float, **chosen: Any) -> Certainty:
        return certainty(part.declaration.facts, part, points, chosen, score, asked)

    irs_sure = sure_of(irs, robust.score)
    return {
        one: replace(result, irs_sure=irs_sure, uc_sure=sure_of(uc, result.uc.score, rho=one, **by))
        for one, result in found.items()
    }


def _keys(result: CausalDisentanglementResult, names: Sequence[str]) -> dict[str, Any]:
    """``IRS``, ``num_active_dims``, and the keys of `uc` and `cg`."""
    parts: Any = ((irs, result.irs), (uc, result.uc), (cg, result.cg))
    found = (keys_of(part.declaration.reports, of_part, names, {}) for part, of_part in parts)
    both = (("IRS", result.irs_sure), ("UC", result.uc_sure))
    sure = (known.keys(name) for name, known in both if known is not None)
    return {key: value for keys in (*found, *sure) for key, value in keys.items()}


@metric(
    "causal_disentanglement",
    needs=DecodedPoints(metric="causal_disentanglement"),
    reports=_keys,
    headline="CG",
    once=("IRS", *IRS_SURE, "num_active_dims", *SAME_FOR_ALL_RHO),
    range=(0, 1),
    by_chance="that of `irs`, `uc` and `cg`",
    compared="its three parts, which it equals",
    summary="irs, uc and cg of one sample",
    assumes="discrete factors, at least two, possibly confounded; a decoder",
    also=("IRS", "UC"),
    invariances=("permutation", "rescaling"),
    renamed={"attribution": "attribution_fn"},
    several=("rho", causal_disentanglement_per_rho),
    check=check_factors,
)
def causal_disentanglement(
    codes: FloatArray,
    factors: IntArray,
    decode: Decode,
    predict_proba: PredictProba,
    *,
    rho: int = 1,
    attribution: str | Attribution = "irs",
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
) -> CausalDisentanglementResult:
    r"""`irs`, `uc` and `cg` of the same points, with the same codes of each factor.

    .. math:: IRS, \qquad UC, \qquad CG \qquad \text{as each of the three metrics defines them}

    Assumes: what `uc` and `cg` do: discrete factors, at least two, confounded or not; a decoder.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows.
        decode: as for `cg`.
        predict_proba: as for `cg`.
        rho: how many codes a factor is given.
        attribution: as for `uc`.
        selection: as for `uc`.
        baseline: as for `cg`.
        decode_batch_size: as for `cg`.
        bootstrap: how many resamples to take for 95 % intervals; 0 for none.
        chance: as for `cg`; of `irs` and `uc` the rows of the codes are permuted.
        tolerance: as for `cg`; `irs` and `uc` are measured on all points.
        tolerance_per_factor: as for `cg`.
        random_state: as for `cg`.
        binned_factors: as for `cg`; what `irs` sees, too.
        image_shape: as for `cg`.
        accuracy: as for `cg`.

    Returns:
        `CausalDisentanglementResult`. UC and CG are in [0, 1], IRS in [-1, 1]; higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> def two_pixels(z): return z.reshape(-1, 1, 2, 1)
        >>> def read(images): return [np.stack([1 - p, p], axis=1) for p in images.reshape(-1, 2).T]
        >>> found = causal_disentanglement(v, v, two_pixels, read)
        >>> found.irs.score, found.uc.score, found.cg.score
        (1.0, 1.0, 1.0)
    """
    found = causal_disentanglement_per_rho(
        codes,
        factors,
        decode,
        predict_proba,
        rho=[rho],
        attribution=attribution,
        selection=selection,
        bootstrap=bootstrap,
        random_state=random_state,
        binned_factors=binned_factors,
        baseline=baseline,
        decode_batch_size=decode_batch_size,
        chance=chance,
        tolerance=tolerance,
        tolerance_per_factor=tolerance_per_factor,
        image_shape=image_shape,
        accuracy=accuracy,
    )
    return found[rho]
