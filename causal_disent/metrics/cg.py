"""Counterfactual generativeness, CG (Reddy et al. 2022), and IRS, UC and CG of one sample."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import (
    as_numbers,
    check_at_least,
    check_choice,
    check_number,
    check_pairs,
    check_random_state,
    check_rho,
    check_whole,
    parameters_of,
)
from causal_disent.metrics.certainty import (
    Asked,
    Certainty,
    Chance,
    ConfidenceSequence,
    certainty,
    check_bootstrap,
    choose_seed,
    copy_generator,
    find_interval_of_mean,
    resample_counts,
)
from causal_disent.metrics.contract import Bounded, Result, bound, metric, report_keys
from causal_disent.metrics.draw import Points, Sample, Source, factor_names
from causal_disent.metrics.information import discretizer
from causal_disent.metrics.irs_uc import (
    IrsResult,
    UcResult,
    attribute,
    check_factors,
    check_sets,
    irs,
    select_codes,
    uc,
    uc_per_rho,
)
from causal_disent.progress import track
from causal_disent.protocols import Attribution, FloatArray, IntArray
from causal_disent.representation.image_shape import check_image_shape
from causal_disent.text import shown_value

# --- Points with a decoder and a classifier of what it decodes

#: In place of a name: the best classifier that is installed, by the rank it was registered with.
BEST = "best"

Decode = Callable[[FloatArray], Any]

PredictProba = Callable[[Any], Sequence[FloatArray]]


@dataclass(frozen=True)
class DecodedPoints(Points):
    """Points, the representation's decoder, and a classifier; `metric` is who needs them, for messages."""

    metric: str = ""

    words = "a decoder and a classifier"
    arrays_suffice = False
    how = (
        "`num_train` sampled points, drawn `batch_size` at a time, as `classifier` sees what is decoded (`'best'` "
        "is `'conv_classifier'` where the torch plugin is installed, and else `'nearest_image'`); its name and "
        "its accuracy on images that it has not seen are reported too"
    )
    gives = ("binned_factors", "image_shape", "accuracy")

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "classifier": BEST}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        data, representation = source.data, source.representation
        if getattr(representation, "decode", None) is None:
            raise errors.missing_decoder(self.metric)
        (points,) = super().draw(source, num_train=drawn["num_train"], batch_size=drawn["batch_size"])

        @cache  # made when the first image is decoded: training may take long, and a wrong argument is told before
        def judge() -> Any:
            return source.make_classifier(drawn["classifier"], data, f"{self.metric}.classifier")

        yield Sample(
            (
                *points.arguments,
                lambda codes: image_exchange(representation, judge())[0](codes),
                lambda images: image_exchange(representation, judge())[1](images),
            ),
            source.random_state,
            {
                "binned_factors": bound(discretizer)(points.arguments[1]),
                "image_shape": tuple(data.observation_shape),
                "accuracy": lambda: getattr(judge(), "accuracy", None),
            },
            keys=lambda: _classifier_keys(judge(), factor_names(data)),
        )


def image_exchange(representation: Any, classifier: Any) -> tuple[Decode, PredictProba]:
    """``decode`` and ``predict_proba`` of a pair: of tensors where both can, as those stay on the device.

    A part whose tensors are not torch's says so by an attribute ``tensors``, the name of the framework.
    """
    alike = getattr(representation, "tensors", None) == getattr(classifier, "tensors", None)
    if alike and hasattr(representation, "decode_tensor") and hasattr(classifier, "predict_proba_tensor"):
        return representation.decode_tensor, classifier.predict_proba_tensor
    return representation.decode, classifier.predict_proba


def _classifier_keys(classifier: Any, names: Sequence[str]) -> dict[str, Any]:
    """The classifier's name and its held-out accuracy per factor: a CG without them means nothing."""
    keys: dict[str, Any] = {"classifier": getattr(classifier, "name", type(classifier).__name__)}
    for name, accuracy in zip(names, getattr(classifier, "accuracy", None) or (), strict=False):
        keys[f"classifier_accuracy_factor_{name}"] = float(accuracy)
    return keys


# --- The values that an intervention gives to codes

Baseline = Callable[[FloatArray], FloatArray]


def max_deviation(codes: FloatArray) -> Baseline:
    """For each code of a point, the value of that code in the sample farthest from the point's own.

    That is the smallest or the largest value; of a point exactly midway, whichever comes first in
    the sample.

    Example:
        >>> max_deviation(np.array([[0.0], [1.0], [5.0]]))(np.array([[1.0], [4.0]]))
        array([[5.],
               [0.]])
    """
    lowest, highest = codes.min(axis=0), codes.max(axis=0)
    low_first = codes.argmin(axis=0) < codes.argmax(axis=0)

    def baseline(points: FloatArray) -> FloatArray:
        down, up = points - lowest, highest - points
        return np.where((down > up) | ((down == up) & low_first), lowest, highest)

    return baseline


def zero(codes: FloatArray) -> Baseline:
    """0 for every code."""
    return np.zeros_like


def mean(codes: FloatArray) -> Baseline:
    """The mean of each code over the sample."""
    means = codes.mean(axis=0)
    return lambda points: np.broadcast_to(means, points.shape)


BASELINES = {"max_deviation": max_deviation, "zero": zero, "mean": mean}


def make_baseline(codes: FloatArray, name: str) -> Baseline:
    """A function from points (n, codes) to the values (n, codes) that an intervention sets."""
    return BASELINES[check_choice("baseline", name, list(BASELINES))](codes)


# --- The effect of interventions on codes, as a classifier sees it in the decoded images

#: How far a probability or a pixel may be off by rounding.
PIXEL_SLACK = 1e-5

PROBABILITY_SLACK = 1e-3


@dataclass(frozen=True)
class Changes:
    """What the interventions change in some points.

    Attributes:
        tables: for each factor (2, points, values): the probability of each value as it is, less that where the
            factor's own codes are set, and where all others are; None for a factor that is left out.
        truth: (points, factors) value indices.
    """

    tables: Sequence[FloatArray | None]
    truth: IntArray

    def effects(self, truth: IntArray | None = None) -> FloatArray:
        """By how much the true value's probability falls (2, points, factors), or that of other values if given;
        the size of it is ICE."""
        truth = self.truth if truth is None else truth
        rows = np.arange(len(truth))
        result = np.full((2, *truth.shape), np.nan)
        for i, table in enumerate(self.tables):
            if table is not None:
                result[:, :, i] = table[:, rows, truth[:, i]]
        return result


def join_changes(parts: Sequence[Changes]) -> Changes:
    """The changes of all points of `parts`."""
    tables = [
        None if of_factor[0] is None else np.concatenate(of_factor, axis=1)
        for of_factor in zip(*(part.tables for part in parts), strict=True)
    ]
    return Changes(tables, np.concatenate([part.truth for part in parts]))


def measure_changes(
    codes: FloatArray,
    factors: IntArray,
    decode: Callable[[FloatArray], Any],
    predict_proba: Callable[[Any], Sequence[FloatArray]],
    sets: Sequence[tuple[int, ...] | None],
    baseline: Callable[[FloatArray], FloatArray],
    batch_size: int,
    image_shape: Sequence[int] | None = None,
) -> Iterator[Changes]:
    """What setting each factor's own codes changes, and what all others do, a batch of points at a time.

    Each batch is decoded once as it is and once per distinct set of codes, so 1 + 2n times for n factors at
    the most; only the images of one batch are in memory.

    Args:
        codes: (points, codes).
        factors: (points, factors) value indices.
        decode: codes -> images; they are handed on as they are, so they may stay on a device.
        predict_proba: images -> a (n, values) array per factor.
        sets: the codes of each factor; None leaves the factor out.
        baseline: points -> the values that an intervention sets.
        batch_size: points per batch.
        image_shape: what each image must have, if that is known.
    """

    def seen(points: FloatArray, truth: IntArray, wanted: Sequence[int]) -> dict[int, FloatArray]:
        images = check_images(decode(points), len(points), image_shape)
        return _probabilities(predict_proba(images), truth, wanted)

    everything = frozenset(range(codes.shape[1]))
    readers: dict[frozenset[int], list[tuple[int, int]]] = {}
    for i, own in enumerate(sets):
        if own is not None:
            readers.setdefault(frozenset(own), []).append((0, i))
            readers.setdefault(everything - set(own), []).append((1, i))
    readers.pop(frozenset(), None)  # setting no code changes nothing: the effect is 0
    wanted = [i for i, own in enumerate(sets) if own is not None]
    starts = range(0, len(codes), batch_size)
    for start in track(starts, "counterfactuals", total=len(starts), unit="batch"):
        points, truth = codes[start : start + batch_size], factors[start : start + batch_size]
        base = seen(points, truth, wanted)
        tables = [np.zeros((2, *base[i].shape)) if i in base else None for i in range(len(sets))]
        replacement = baseline(points)
        for intervened, targets in readers.items():
            changed = points.copy()
            columns = sorted(intervened)
            changed[:, columns] = replacement[:, columns]
            after = seen(changed, truth, [i for _, i in targets])
            for side, i in targets:
                tables[i][side] = base[i] - after[i]  # type: ignore[index]
        yield Changes(tables, truth)


def _probabilities(tables: Sequence[FloatArray], truth: IntArray, wanted: Sequence[int]) -> dict[int, FloatArray]:
    """For each wanted factor, the probabilities (n, values), from what a classifier returned."""
    if len(tables) != truth.shape[1]:
        raise errors.InvalidInput(
            f"`predict_proba` must return one array per factor ({truth.shape[1]}); it returned {len(tables)}."
        )
    return {i: _check_probabilities(tables[i], i, truth[:, i]) for i in set(wanted)}


def check_images(images: Any, num: int, shape: Sequence[int] | None = None) -> Any:
    """What a decoder returned, if it is `num` images of that shape in [0, 1]; a tensor stays one."""
    images = images if hasattr(images, "shape") else np.asarray(images)
    if isinstance(images, np.ndarray) and images.dtype.kind not in "biuf":
        images = as_numbers("What `decode` returns", images)
    if len(images.shape) != 4 or len(images) != num:
        raise errors.InvalidInput(
            f"`decode` must return images of shape ({num}, height, width, channels) for {num} points; "
            f"it returned shape {tuple(images.shape)}."
        )
    if shape is not None:
        check_image_shape(images, shape, "What `decode` returns")
    low, high = float(images.min()), float(images.max())
    if not (low >= -PIXEL_SLACK and high <= 1 + PIXEL_SLACK):
        raise errors.InvalidInput(
            f"`decode` must return pixels in [0, 1]; it returned values from {low:.4g} to {high:.4g}. "
            "A decoder that returns logits needs a sigmoid."
        )
    return images


def _check_probabilities(table: Any, factor: int, truth: IntArray) -> FloatArray:
    """A classifier's answer for one factor, if it is a distribution over its values."""
    table = as_numbers("What `predict_proba` returns", table).astype(np.float64, copy=False)
    if table.ndim != 2 or len(table) != len(truth) or table.shape[1] <= truth.max():
        raise errors.InvalidInput(
            f"`predict_proba` must return shape ({len(truth)}, values) for factor {factor}, with more than "
            f"{truth.max()} values (the largest in the sample); it returned shape {table.shape}."
        )
    sums = table.sum(axis=1)
    if not (np.abs(sums - 1) <= PROBABILITY_SLACK).all() or table.min() < -PROBABILITY_SLACK:
        worst = int(np.nanargmax(np.abs(sums - 1))) if not np.isnan(sums).all() else 0
        raise errors.InvalidInput(
            f"The probabilities of factor {factor} must be at least 0 and sum to 1; those of image {worst} sum "
            f"to {sums[worst]:.4g} (smallest entry {table.min():.4g}). Apply a softmax."
        )
    return np.clip(table, 0.0, 1.0)


# --- Factors that a classifier can judge: a CG says nothing of a factor that its classifier does not see

#: An accuracy below this is pointed out.
GOOD = 0.9

#: The part of the way from chance to certainty that a classifier must be ahead, or it does not judge the factor.
HARDLY = 0.1

#: Held-out accuracy per factor, or what gives it when it is asked for, where making the classifier takes long.
Accuracy = Sequence[float] | Callable[[], Sequence[float] | None]


def not_judged(accuracy: Sequence[float] | FloatArray, factors: IntArray) -> tuple[int, ...]:
    r"""The factors judged hardly better than by always naming the value that is most frequent.

    .. math:: \frac{a_i - c_i}{1 - c_i} < 0.1, \qquad c_i = \max_v P(G_i = v)

    Args:
        accuracy: a, per factor, on images that the classifier has not seen.
        factors: (points, factors) values; those with one value only are left out.

    Example:
        >>> not_judged([0.55, 0.23], np.array([[0, 0], [0, 1], [1, 2], [1, 3]]))
        (1,)
    """
    frequent = [np.unique(column, return_counts=True)[1].max() / len(column) for column in factors.T]
    pairs = enumerate(zip(accuracy, frequent, strict=True))
    return tuple(i for i, (right, chance) in pairs if chance < 1 and right - chance < HARDLY * (1 - chance))


def check_accuracy(accuracy: Accuracy | None, num_factors: int) -> FloatArray | None:
    """One number in [0, 1] per factor, or None if nobody knows them."""
    found = accuracy() if callable(accuracy) else accuracy
    if found is None:
        return None
    numbers = as_numbers("The accuracy of a classifier", found)
    if numbers.shape != (num_factors,) or not ((numbers >= 0) & (numbers <= 1)).all():
        raise errors.InvalidInput(
            f"The accuracy of a classifier is one number from 0 to 1 per factor ({num_factors}); given: "
            f"{shown_value(found)}."
        )
    return numbers


# --- Codes that do nothing: they hardly vary, or the decoder ignores them

#: The least change of a pixel, of 1, that one sees.
VISIBLE = 0.08

#: Points whose codes are moved, spread evenly over the sample.
NUM_POINTS = 16


def find_dead_codes(codes: FloatArray, decode: Callable[[FloatArray], Any]) -> tuple[int, ...]:
    """The codes that can run over all their values in the sample without anybody seeing it in the images.

    A code is dead if the pixel that it changes most changes by less than 0.08 of the range from black to white,
    on average over some points: where the code hardly varies, and where the decoder ignores it.

    Args:
        codes: (points, codes).
        decode: codes -> images in [0, 1], arrays or tensors.

    Example:
        >>> v = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> find_dead_codes(v, lambda z: z[:, :1].reshape(-1, 1, 1, 1))
        (1,)
    """
    low, high = codes.min(axis=0), codes.max(axis=0)
    rows = np.unique(np.linspace(0, len(codes) - 1, NUM_POINTS).round().astype(int))
    return tuple(
        code
        for code in range(codes.shape[1])
        if low[code] == high[code] or _visible(codes[rows], code, low[code], high[code], decode) < VISIBLE
    )


def _visible(points: FloatArray, code: int, low: float, high: float, decode: Callable[[FloatArray], Any]) -> float:
    """The largest change of a pixel between both ends of a code, averaged over the points."""
    ends = np.concatenate([points, points])
    ends[:, code] = np.repeat([low, high], len(points))
    images = decode(ends)
    first, second = images[: len(points)], images[len(points) :]
    return float(np.mean([float(abs(one - other).max()) for one, other in zip(first, second, strict=True)]))


def find_dead_factors(sets: Sequence[Sequence[int]], dead: Sequence[int]) -> tuple[int, ...]:
    """The factors all of whose codes are dead.

    Example:
        >>> find_dead_factors([(0,), (1, 2), (2,)], dead=(2,))
        (2,)
    """
    return tuple(i for i, own in enumerate(sets) if set(own) <= set(dead))


# --- CG


@dataclass(frozen=True)
class CgScores:
    """Each score by its definition, from gaps (points, factors): effect of the own codes minus that of the others.

    Example:
        >>> found = CgScores.of(np.array([[1.0, -0.5], [0.5, -0.5]]))
        >>> found.absolute, found.average, found.signed, found.directed
        (0.625, 0.625, 0.125, 0.375)
    """

    absolute: float
    average: float
    signed: float
    directed: float

    @classmethod
    def of(cls, gaps: FloatArray) -> CgScores:
        """Columns that are NaN throughout are left out."""
        means = gaps.mean(axis=0)
        return cls(
            absolute=float(np.nanmean(np.abs(gaps).mean(axis=0))),
            average=float(np.nanmean(np.abs(means))),
            signed=float(np.nanmean(means)),
            directed=float(np.nanmean(np.maximum(means, 0))),
        )


class Stopping:
    """Says when the scores of the points so far, drawn in random order, are as sure as is wanted.

    Args:
        population: how many points there are.
        tolerance: half the width of the 95 % interval that is wanted.
        each_factor: whether that of each factor must be as narrow.
    """

    def __init__(self, population: int, tolerance: float, each_factor: bool) -> None:
        self._tolerance, self._each_factor = tolerance, each_factor
        self._sequence = ConfidenceSequence(population, tolerance)

    def enough(self, effects: FloatArray) -> bool:
        """Take the effects (2, points, factors) of further points."""
        sizes = np.abs(_gaps(effects))
        seen = sizes[:, ~np.isnan(sizes).all(axis=0)]
        means = seen.mean(axis=1, keepdims=True)
        self._sequence.add(np.hstack([means, seen]) if self._each_factor else means)
        return bool((self._sequence.half_widths <= self._tolerance).all())

    @property
    def interval(self) -> Interval:
        """Of CG of all points."""
        return float(self._sequence.low[0]), float(self._sequence.high[0])


Interval = tuple[float, float]
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
        ace_inside: ACE of its own codes on each factor, in [-1, 1]: by how much the probability of its true value
            falls on average where they are at the baseline, with its sign.
        ace_outside: the same of all other codes.
        ice: (2, points, factors) ICE of each image, of the own codes and of all others, in the order of the
            points; of those that were decoded, in the order drawn, if there is a tolerance.
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
        per_point: (points,) what the score is the mean of, in the order of the points; None if it was stopped.
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
    ace_inside: FloatArray
    ace_outside: FloatArray
    ice: FloatArray
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
    per_point: FloatArray | None = None


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
            codes,
            factors,
            decode,
            predict_proba,
            attribution=own,
            random_state=copy_generator(generator),
            **options,
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
        "ACE_inside_factor_{factor}": "ace_inside",
        "ACE_outside_factor_{factor}": "ace_outside",
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
    ranges={"CG_signed": (-1, 1)},
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

    The result has ICE of each image (``ice``) and its mean (``ice_inside``, ``ice_outside``), and the average
    causal effect with its sign, definition 2 of the paper (``ace_inside``, ``ace_outside``): the mean of the
    difference inside the bars. It is near 0 where interventions make the true value likelier in some images and
    less likely in others.

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
    truth, from_codes = _value_indices(factors), make_baseline(codes, baseline)
    seed = choose_seed(generator)
    order = slice(None) if tolerance is None else generator.permutation(len(codes))
    known = check_accuracy(accuracy, factors.shape[1])
    batches = measure_changes(
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
    gaps = _gaps(effects)
    draws = np.random.RandomState(seed)
    counts = resample_counts(len(gaps), bootstrap, draws)
    absolute, signed = (
        find_interval_of_mean(np.nanmean(sizes, axis=1), counts, ends)
        for sizes, ends in ((np.abs(gaps), (0.0, 1.0)), (gaps, (-1.0, 1.0)))
    )
    intervals = (absolute if stopping is None else stopping.interval, signed)
    chances = _chance_levels(join_changes(seen), chance, draws, intervals) if chance else (None, None)
    unseen = () if known is None else not_judged(known, factors)
    dead = find_dead_codes(codes, decode)
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
        ice_inside=np.abs(effects[0]).mean(axis=0),
        ice_outside=np.abs(effects[1]).mean(axis=0),
        ace_inside=effects[0].mean(axis=0),
        ace_outside=effects[1].mean(axis=0),
        ice=np.abs(effects),
        skipped_factors=skipped,
        not_judged=unseen,
        sets=sets,
        dead_codes=dead,
        dead_factors=find_dead_factors(sets, dead),
        num_points=None if stopping is None else len(gaps),
        interval=intervals[0],
        signed_interval=intervals[1],
        chance=chances[0],
        signed_chance=chances[1],
        per_point=np.nanmean(np.abs(gaps), axis=1) if stopping is None else None,
    )


def _chance_levels(
    changes: Changes,
    permutations: int,
    random_state: np.random.RandomState,
    intervals: tuple[Interval | None, Interval | None],
) -> tuple[Chance, Chance]:
    """Chance of CG and of CG_signed: the same interventions, looked at for the values of other images.

    The rows of factors are permuted. Each factor keeps its codes, and nothing is decoded again.
    """
    own = CgScores.of(_gaps(changes.effects()))
    others = [
        CgScores.of(_gaps(changes.effects(random_state.permutation(changes.truth)))) for _ in range(permutations)
    ]
    return (
        Chance.of([one.absolute for one in others], own.absolute, intervals[0]),
        Chance.of([one.signed for one in others], own.signed, intervals[1]),
    )


def _gaps(effects: FloatArray) -> FloatArray:
    """ICE of the own codes less that of the others (points, factors)."""
    return np.abs(effects[0]) - np.abs(effects[1])


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


# --- IRS, UC and CG together, from one sample

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
    chance: int = 0,
    random_state: np.random.RandomState | int = 0,
    binned_factors: IntArray | None = None,
    **options: Any,
) -> dict[int, CausalDisentanglementResult]:
    """`causal_disentanglement` for each of several `rho`, attributing once; `options` are those of `cg`."""
    codes, factors = check_pairs(codes, factors)
    labels = factors if binned_factors is None else binned_factors
    generator = check_random_state(random_state)
    how: dict[str, Any] = {"attribution": attribution, "selection": selection}
    robust, separate = irs(codes, labels), uc_per_rho(codes, labels, rho=rho, random_state=generator, **how)
    options |= {"bootstrap": bootstrap, "chance": chance}
    given = (codes, factors, decode, predict_proba)
    found = {
        one: CausalDisentanglementResult(
            robust, apart, cg(*given, attribution=apart.sets, random_state=copy_generator(generator), **options)
        )
        for one, apart in separate.items()
    }
    asked = Asked(bootstrap, chance, choose_seed(generator))
    if not (bootstrap or chance):
        return found

    def sure_of(part: Any, score: float, **chosen: Any) -> Certainty:
        return certainty(part.declaration.facts, part, (codes, labels), chosen, score, asked)

    irs_sure = sure_of(irs, robust.score)
    return {
        one: replace(result, irs_sure=irs_sure, uc_sure=sure_of(uc, result.uc.score, rho=one, **how))
        for one, result in found.items()
    }


def _with_options_of_cg(function: Any) -> Any:
    """Give a function with ``**options`` the signature of `cg`, so that configs bind each of them."""
    of_cg, own = inspect.signature(cg), inspect.signature(function)
    parameters = [
        parameter.replace(annotation=str | Attribution) if parameter.name == "attribution" else parameter
        for parameter in parameters_of(cg).values()
    ]
    function.__signature__ = of_cg.replace(parameters=parameters, return_annotation=own.return_annotation)
    return function


def _causal_keys(result: CausalDisentanglementResult, names: Sequence[str]) -> dict[str, Any]:
    """``IRS``, ``num_active_dims``, and the keys of `uc` and `cg`."""
    parts: Any = ((irs, result.irs), (uc, result.uc), (cg, result.cg))
    found = (report_keys(part.declaration.reports, of_part, names, {}) for part, of_part in parts)
    both = (("IRS", result.irs_sure), ("UC", result.uc_sure))
    sure = (known.keys(name) for name, known in both if known is not None)
    return {key: value for keys in (*found, *sure) for key, value in keys.items()}


@metric(
    "causal_disentanglement",
    needs=DecodedPoints(metric="causal_disentanglement"),
    reports=_causal_keys,
    headline="CG",
    once=("IRS", *IRS_SURE, "num_active_dims", *SAME_FOR_ALL_RHO),
    range=(0, 1),
    by_chance="that of `irs`, `uc` and `cg`",
    compared="its three parts, which it equals",
    summary="irs, uc and cg of one sample",
    assumes="discrete factors, at least two, possibly confounded; a decoder",
    also=("IRS", "UC"),
    ranges={"IRS": (-1, 1)},
    invariances=("permutation", "rescaling"),
    renamed={"attribution": "attribution_fn"},
    several=("rho", causal_disentanglement_per_rho),
    check=check_factors,
)
@_with_options_of_cg
def causal_disentanglement(
    codes: FloatArray,
    factors: IntArray,
    decode: Decode,
    predict_proba: PredictProba,
    *,
    rho: int = 1,
    **options: Any,
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
        options: those of `cg`. The intervals and chance levels that `bootstrap` and `chance` ask for are also of
            `irs` and `uc`, which are measured on all points, whatever the `tolerance`, and see `binned_factors`.

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
    return causal_disentanglement_per_rho(codes, factors, decode, predict_proba, rho=[rho], **options)[rho]
