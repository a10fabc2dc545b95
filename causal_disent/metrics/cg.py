"""Counterfactual generativeness, CG (Reddy et al. 2022, "On Causally Disentangled Representations")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_at_least, check_choice, check_pairs, check_random_state
from causal_disent.metrics.tools.attributed import AttributedSample, attributed_sample
from causal_disent.metrics.tools.attribution import SELECTIONS, attribute, check_sets, select_codes
from causal_disent.metrics.tools.baselines import BASELINES, baseline_of
from causal_disent.metrics.tools.bootstrap import check_bootstrap, interval, resample_counts
from causal_disent.metrics.tools.interventions import effects
from causal_disent.metrics.tools.keys import per_rho
from causal_disent.protocols import Attribution, FloatArray, GroundTruthData, IntArray, Representation
from causal_disent.registry import registry

__all__ = [
    "CgResult",
    "cg_of_sample",
    "check_decoder",
    "check_settings",
    "compute_cg",
    "counterfactual_generativeness",
    "image_exchange",
    "make_classifier",
]

Decode = Callable[[FloatArray], Any]
PredictProba = Callable[[Any], Sequence[FloatArray]]


@dataclass(frozen=True)
class CgResult:
    """What `counterfactual_generativeness` returns. Arrays have an entry per factor, NaN if skipped.

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


def counterfactual_generativeness(
    codes: FloatArray,
    factors: IntArray,
    decode: Decode,
    predict_proba: PredictProba,
    *,
    rho: int = 1,
    attribution: str | Attribution | Sequence[Sequence[int]] = "irs",
    selection: str = "top",
    baseline: str = "max_deviation",
    batch_size: int = 256,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
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
        attribution: as for `unconfoundedness`, or a list of code indices for each factor.
        selection: as for `unconfoundedness`.
        baseline: ``"max_deviation"`` (the value of each code in the sample farthest from the point's own),
            ``"zero"`` or ``"mean"``.
        batch_size: points decoded together; images of one batch at a time are in memory.
        bootstrap: how many resamples of the points to take for a 95 % interval, codes and baselines
            staying as they are; 0 for none.
        random_state: seed or generator, for the bootstrap and for attributions that need one.
        image_shape: height, width and channels that ``decode`` must return; not checked if not given.

    Returns:
        `CgResult`. The score is in [0, 1], higher is better; 0 <= average <= score.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> def two_pixels(z): return z.reshape(-1, 1, 2, 1)
        >>> def read(images): return [np.stack([1 - p, p], axis=1) for p in images.reshape(-1, 2).T]
        >>> counterfactual_generativeness(v, v, two_pixels, read).score
        1.0
    """
    codes, factors = check_pairs(codes, factors)
    codes = codes if codes.dtype.kind == "f" else codes.astype(np.float64)
    check_bootstrap(bootstrap)
    generator = check_random_state(random_state)
    if isinstance(attribution, str) or callable(attribution):
        scores = attribute(codes, factors, attribution, generator)
        sets = select_codes(scores, rho, selection)
    else:
        sets = check_sets(attribution, factors.shape[1], codes.shape[1])
    if not batch_size >= 1:
        raise errors.InvalidInput(f"`batch_size` must be at least 1; given: {batch_size!r}.")
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
        int(batch_size),
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


def _keys(result: CgResult, names: Sequence[str]) -> dict[str, Any]:
    """The entries of a result file."""
    keys: dict[str, Any] = {"CG": result.score, "CG_average": result.average}
    if result.interval is not None:
        keys["CG_low"], keys["CG_high"] = result.interval
    for i, name in enumerate(names):
        keys[f"codes_factor_{name}"] = list(result.sets[i])
        if i not in result.skipped_factors:
            keys[f"CG_factor_{name}"] = float(result.per_factor[i])
            keys[f"CG_average_factor_{name}"] = float(result.per_factor_average[i])
            keys[f"ICE_inside_factor_{name}"] = float(result.ice_inside[i])
            keys[f"ICE_outside_factor_{name}"] = float(result.ice_outside[i])
    if result.skipped_factors:
        keys["skipped_factors"] = [names[i] for i in result.skipped_factors]
    return keys


def _classifier_keys(classifier: Any, names: Sequence[str]) -> dict[str, Any]:
    """The classifier's name and its accuracy per factor: a CG without them means nothing."""
    keys: dict[str, Any] = {"classifier": getattr(classifier, "name", type(classifier).__name__)}
    for kind in ("accuracy", "accuracy_on_data"):
        for name, accuracy in zip(names, getattr(classifier, kind, None) or (), strict=False):
            keys[f"classifier_{kind}_factor_{name}"] = float(accuracy)
    return keys


def make_classifier(classifier: Any, data: GroundTruthData) -> Any:
    """A classifier for `data` from a registered name, a factory ``data -> classifier``, or itself."""
    if isinstance(classifier, str):
        classifier = registry.function("classifiers", classifier)
    if isinstance(classifier, type) or (callable(classifier) and not hasattr(classifier, "predict_proba")):
        classifier = classifier(data)
    if not hasattr(classifier, "predict_proba"):
        raise errors.InvalidInput(
            "`classifier` is a registered name, a function data set -> classifier, or an object with "
            f"`predict_proba(images)`; given: {classifier!r}."
        )
    return classifier


def check_settings(selection: str, bootstrap: int, baseline: str, decode_batch_size: int) -> None:
    """Raise what can be known to be wrong before anything is drawn, or a classifier trained."""
    check_bootstrap(bootstrap)
    check_choice("selection", selection, SELECTIONS)
    check_choice("baseline", baseline, list(BASELINES))
    check_at_least(1, decode_batch_size=decode_batch_size)


def check_decoder(representation: Representation, metric: str) -> None:
    """Raise if a representation has no decoder."""
    if getattr(representation, "decode", None) is None:
        raise errors.missing_decoder(metric)


def image_exchange(representation: Any, classifier: Any) -> tuple[Decode, PredictProba]:
    """``decode`` and ``predict_proba`` of a pair: of tensors where both can, as those stay on the device."""
    if hasattr(representation, "decode_tensor") and hasattr(classifier, "predict_proba_tensor"):
        return representation.decode_tensor, classifier.predict_proba_tensor
    return representation.decode, classifier.predict_proba


def compute_cg(
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
    classifier: Any = "nearest_image",
    baseline: str = "max_deviation",
    decode_batch_size: int = 256,
) -> dict[str, Any]:
    """`counterfactual_generativeness` of `num_train` sampled points, for one rho or a list of them.

    Returns:
        ``CG``, ``CG_average``, for each factor ``CG_factor_<name>``, ``CG_average_factor_<name>``,
        ``ICE_inside_factor_<name>``, ``ICE_outside_factor_<name>``, ``codes_factor_<name>``, and with bootstrap
        ``CG_low``, ``CG_high``; each prefixed as in ``rho=2:CG`` for a list of rho. And ``classifier`` and
        ``classifier_accuracy_factor_<name>``.
    """
    check_settings(selection, bootstrap, baseline, decode_batch_size)
    check_decoder(representation_function, "cg")
    sample = attributed_sample(
        ground_truth_data, representation_function, random_state, num_train, batch_size, attribution_fn, rho
    )
    judge = make_classifier(classifier, ground_truth_data)
    return cg_of_sample(
        sample,
        representation_function,
        judge,
        rho,
        selection,
        bootstrap,
        baseline,
        decode_batch_size,
        random_state,
    )


def cg_of_sample(
    sample: AttributedSample,
    representation: Representation,
    classifier: Any,
    rho: int | Sequence[int],
    selection: str,
    bootstrap: int,
    baseline: str,
    batch_size: int,
    random_state: np.random.RandomState,
) -> dict[str, Any]:
    """The entries of a result file, for one rho or several."""
    decode, predict_proba = image_exchange(representation, classifier)

    def keys_of(one: int) -> dict[str, Any]:
        result = counterfactual_generativeness(
            sample.codes,
            sample.factors,
            decode,
            predict_proba,
            attribution=select_codes(sample.scores, one, selection),
            baseline=baseline,
            batch_size=batch_size,
            bootstrap=bootstrap,
            random_state=random_state,
            image_shape=sample.image_shape,
        )
        return _keys(result, sample.names)

    return {**per_rho(rho, keys_of), **_classifier_keys(classifier, sample.names)}
