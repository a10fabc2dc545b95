"""Metrics of counterfactual images: reconstruction, composition, reversibility, effectiveness, minimality."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, check_random_state
from causal_disent.data.factor_table import factor_values, value_rows
from causal_disent.metrics.certainty import check_bootstrap, find_interval_of_mean, resample_counts
from causal_disent.metrics.concepts import CounterfactualPoints
from causal_disent.metrics.contract import Bounded, find_registered, metric
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- Values to set, distances of images, and predictors of factors from images

DISTANCES = ("l1", "l2")


def measure_pixel_distance(images: FloatArray, others: FloatArray, distance: str = "l1") -> FloatArray:
    """(n,): the mean absolute difference of pixels, or the root of the mean squared one; in [0, 1].

    Example:
        >>> measure_pixel_distance(np.zeros((1, 2, 1, 1)), np.array([0.0, 1.0]).reshape(1, 2, 1, 1), "l2").round(3)
        array([0.707])
    """
    check_choice("distance", distance, DISTANCES)
    apart = np.abs(np.asarray(images, dtype=np.float64) - others).reshape(len(images), -1)
    return apart.mean(axis=1) if distance == "l1" else np.sqrt((apart**2).mean(axis=1))


def check_batches(batch_size: int, bootstrap: int) -> None:
    """What all metrics of counterfactuals are given."""
    check_at_least(1, batch_size=batch_size)
    check_bootstrap(bootstrap)


def map_batches(function: Callable[[IntArray], FloatArray], number: int, size: int) -> FloatArray:
    """`function` of the rows 0, 1, ... `number` - 1, so many at a time, put together."""
    starts = range(0, number, size)
    parts = [
        function(np.arange(start, min(start + size, number)))
        for start in track(starts, "counterfactuals", total=len(starts), unit="batch")
    ]
    return np.concatenate(parts)


def draw_other_values(values: FloatArray, random_state: np.random.RandomState) -> FloatArray:
    """(n, factors): for each point and factor the value of another point, a different one wherever there is one.

    Example:
        >>> v = np.array([[0.0, 5.0], [1.0, 5.0], [1.0, 5.0]])
        >>> (draw_other_values(v, np.random.RandomState(0)) != v).tolist()
        [[True, False], [True, False], [True, False]]
    """
    drawn = np.empty_like(values)
    for column, known in enumerate(values.T):
        order = np.argsort(known, kind="stable")
        ranked = known[order]
        first, last = np.searchsorted(ranked, known, side="left"), np.searchsorted(ranked, known, side="right")
        different = len(known) - (last - first)
        # A draw among those that differ, counted past the block of equal ones.
        place = (random_state.random_sample(len(known)) * different).astype(np.int64)
        place += np.where(place >= first, last - first, 0)
        drawn[:, column] = np.where(different > 0, ranked[np.minimum(place, len(known) - 1)], known)
    if (drawn == values).all():
        raise errors.InvalidInput(
            f"Nothing can be set to another value: no factor differs between the points, which are {len(values)}. "
            "Take more points."
        )
    return drawn


def _interval(
    per_point: FloatArray, resamples: int, random_state: np.random.RandomState
) -> tuple[float, float] | None:
    """95 % bootstrap interval of the mean over points; None without resamples."""
    return find_interval_of_mean(per_point, resample_counts(len(per_point), resamples, random_state))


def measure_scale(values: FloatArray) -> FloatArray:
    """(factors,): how far apart the values of each factor are; 1 where there is one."""
    spread: Any = np.ptp(values, axis=0)
    return np.where(spread > 0, spread, 1.0)


#: Images are averaged to at most so many rows and columns.
SIDE = 24

#: Images that the regressor is fitted to and tested on, its ridge, and the seed of their draw.
NUM_FITTED, NUM_TESTED, RIDGE, SEED = 1500, 300, 1e-4, 0


def image_features(images: FloatArray) -> FloatArray:
    """(n, features): images averaged over blocks of pixels, at most 24 to a side.

    Example:
        >>> image_features(np.arange(48.0 * 48).reshape(1, 48, 48, 1)).shape
        (1, 576)
    """
    images = np.asarray(images, dtype=np.float32)
    for axis in (1, 2):
        size = images.shape[axis]
        starts = np.unique(np.linspace(0, size, min(size, SIDE), endpoint=False).astype(int))
        counts = np.diff([*starts, size]).astype(np.float32)
        shape = [-1 if a == axis else 1 for a in range(4)]
        images = np.add.reduceat(images, starts, axis=axis) / counts.reshape(shape)
    return images.reshape(len(images), -1)


def squared_distances(one: FloatArray, other: FloatArray) -> FloatArray:
    """(n, m): between the rows of two matrices."""
    norms = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)
    return np.maximum(norms - 2 * one @ other.T, 0.0)


class ImageRegressor:
    """Kernel ridge regression of the factors on small images of a finite data set.

    Args:
        data: finite ground-truth data.
    """

    is_classifier = False

    def __init__(self, data: Any) -> None:
        self._data = data
        order = np.random.RandomState(SEED).permutation(data.factor_table.index.to_numpy())
        tested = min(NUM_TESTED, len(order) // 5)
        self._tested, self._fitted = order[:tested], order[tested : tested + NUM_FITTED]

    def predict(self, images: FloatArray) -> FloatArray:
        """(n, factors): the factors as the images show them, in the units of `factor_values`."""
        return self._kernel(image_features(images)) @ self._weights + self._centre

    @cached_property
    def error(self) -> FloatArray:
        """(factors,): mean absolute error on images it was not fitted to, as a part of each factor's range."""
        values = factor_values(self._data, self._tested)
        apart = np.abs(self.predict(self._data.observations(self._tested)) - values).mean(axis=0)
        return apart / measure_scale(factor_values(self._data, self._fitted))

    @cached_property
    def _known(self) -> FloatArray:
        return image_features(self._data.observations(self._fitted))

    @cached_property
    def _width(self) -> float:
        return float(np.median(squared_distances(self._known[:300], self._known))) or 1.0

    @cached_property
    def _centre(self) -> FloatArray:
        return factor_values(self._data, self._fitted).mean(axis=0)

    @cached_property
    def _weights(self) -> FloatArray:
        kernel = self._kernel(self._known)
        kernel[np.diag_indices_from(kernel)] += RIDGE
        return np.linalg.solve(kernel, factor_values(self._data, self._fitted) - self._centre)

    def _kernel(self, features: FloatArray) -> FloatArray:
        return np.exp(-squared_distances(features, self._known).astype(np.float64) / self._width)


class _ByClassifier:
    """A classifier's most probable value of each factor, as a number."""

    is_classifier = True

    def __init__(self, classifier: Any, data: Any) -> None:
        self._classifier = classifier
        table = data.factor_table
        values, places = factor_values(data, table.index.to_numpy()), value_rows(table)
        self._numbers = [_numbers(place, value) for place, value in zip(places.T, values.T, strict=True)]

    @property
    def error(self) -> FloatArray:
        """(factors,): the part of images that the classifier was not fitted to and is wrong on."""
        return 1 - np.asarray(self._classifier.accuracy, dtype=np.float64)

    def predict(self, images: FloatArray) -> FloatArray:
        """(n, factors)."""
        tables = self._classifier.predict_proba(images)
        if len(tables) != len(self._numbers):
            raise errors.InvalidInput(
                f"The classifier knows {len(tables)} factors; the data set has {len(self._numbers)}."
            )
        found = [numbers[np.argmax(table, axis=1)] for numbers, table in zip(self._numbers, tables, strict=True)]
        return np.stack(found, axis=1)


def _numbers(places: IntArray, values: FloatArray) -> FloatArray:
    """The number behind each place among a factor's values; NaN where no image has it."""
    numbers = np.full(places.max() + 1, np.nan)
    numbers[places] = values
    return numbers


def make_predictor(predictor: Any, data: Any, make_classifier: Callable[..., Any] | None = None) -> Any:
    """What says the factors of images: ``"ridge"``, the name of a classifier, or an object.

    `make_classifier` (name, data) finds a classifier. An object has ``predict(images) -> (n, factors)``,
    in the units of `factor_values`, or ``predict_proba``.
    """
    if predictor == "ridge":
        return ImageRegressor(data)
    if hasattr(predictor, "predict"):
        return predictor
    if make_classifier is not None:
        predictor = make_classifier(predictor, data)
    elif isinstance(predictor, str):
        predictor = find_registered("classifiers", predictor)(data)
    return _ByClassifier(predictor, data)


# --- Reconstruction: does the decoder give images back?


@dataclass(frozen=True)
class ReconstructionResult(Bounded):
    """What `reconstruction` returns.

    Attributes:
        score: mean absolute error of a pixel, in [0, 1], lower is better.
        mse: mean squared error of a pixel, in [0, 1], lower is better.
        per_image: (n,) mean absolute error of each image.
        interval: 95 % bootstrap interval of the score, if asked for.
    """

    score: float
    mse: float
    per_image: FloatArray
    interval: tuple[float, float] | None = None


@metric(
    "reconstruction",
    needs=CounterfactualPoints("reconstruction", num_points=500),
    reports={
        "reconstruction_MAE": "score",
        "reconstruction_MSE": "mse",
        "reconstruction_MAE_low": "low",
        "reconstruction_MAE_high": "high",
    },
    range=(0, 1),
    better="lower",
    by_chance="none: no factor is looked at",
    compared="sums written out, on a model with known faults; no program of the authors",
    summary="does the decoder give images back?",
    assumes="a decoder; nothing of the factors",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "a code that says nothing of the factors may tell images apart"},
)
def reconstruction(
    points: Any, *, batch_size: int = 64, bootstrap: int = 0, random_state: np.random.RandomState | int = 0
) -> ReconstructionResult:
    r"""Distance of images from what is decoded of their codes.

    .. math:: \frac1n \sum_x \| x - g(f(x)) \|_1 / \text{pixels}

    Assumes: a decoder of images in [0, 1].

    Args:
        points: images and the model's codes of them.
        batch_size: images decoded at a time.
        bootstrap: resamples of the images for a 95 % interval; 0 for none.
        random_state: seed or generator, of the resamples.

    Returns:
        `ReconstructionResult`. The score, the mean absolute error, is in [0, 1], lower is better.

    Example:
        >>> from types import SimpleNamespace
        >>> image = np.full((1, 2, 2, 1), 0.5)
        >>> points = SimpleNamespace(codes=np.zeros((1, 1)), indices=np.array([0]),
        ...     images=lambda rows: image, decode=lambda codes: image - 0.25)
        >>> reconstruction(points).score
        0.25
    """
    check_batches(batch_size, bootstrap)

    def errors_of(rows: Any) -> FloatArray:
        images, decoded = points.images(rows), points.decode(points.codes[rows])
        return np.stack(
            [measure_pixel_distance(images, decoded), measure_pixel_distance(images, decoded, "l2") ** 2], axis=1
        )

    absolute, squared = map_batches(errors_of, len(points.indices), batch_size).T
    generator = check_random_state(random_state)
    return ReconstructionResult(
        float(absolute.mean()), float(squared.mean()), absolute, _interval(absolute, bootstrap, generator)
    )


# --- Composition (Monteiro et al. 2023, arXiv:2303.01274): setting what is so already

NULL = ("all", "none")


@dataclass(frozen=True)
class CompositionResult(Bounded):
    """What `composition` returns.

    Attributes:
        score: distance after the first of the `times`, in [0, 1], lower is better.
        by_times: how often -> mean distance.
        per_image: (n, times) distance of each image.
        interval: 95 % bootstrap interval of the score, if asked for.
        intervals: how often -> its interval.
    """

    score: float
    by_times: dict[int, float]
    per_image: FloatArray
    interval: tuple[float, float] | None
    intervals: dict[int, tuple[float, float]]


def _composition_keys(result: CompositionResult, names: Sequence[str]) -> dict[str, Any]:
    keys: dict[str, Any] = {"composition": result.score}
    if result.interval is not None:
        keys |= {"composition_low": result.low, "composition_high": result.high}
    keys |= {f"composition_{times}": distance for times, distance in result.by_times.items()}
    for times, (low, high) in result.intervals.items():
        keys |= {f"composition_{times}_low": low, f"composition_{times}_high": high}
    return keys


@metric(
    "composition",
    needs=CounterfactualPoints("composition"),
    reports=_composition_keys,
    headline="composition",
    also=("composition_10 (lower)",),
    range=(0, 1),
    better="lower",
    by_chance="none: no factor is looked at",
    compared="sums written out, on a model with known faults; no program of the authors",
    summary="does setting what is so already leave the image as it is?",
    assumes="a decoder; a concept for each factor",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "a code that says nothing of the factors may tell images apart"},
)
def composition(
    points: Any,
    *,
    times: Sequence[int] = (1, 10),
    null: str = "all",
    distance: str = "l1",
    batch_size: int = 64,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> CompositionResult:
    r"""Distance of images from what is left of them after m interventions that change nothing.

    .. math:: composition(m) = \frac1n \sum_x d\left(x, h^m(x)\right), \qquad
        h(x) = g\left(\operatorname{do}_{v = v(f(x))}(f(x))\right)

    Each h encodes, sets every concept to the value that it has, and decodes.

    Assumes: a decoder of images in [0, 1]; an encoder that takes what it decodes.

    Args:
        points: images, the model's codes of them, and its concepts.
        times: the m to report, the first of which is the score.
        null: ``"all"`` sets all concepts to their own values; ``"none"`` sets nothing: encode and decode alone.
        distance: ``"l1"``, the mean absolute difference of pixels, or ``"l2"``, the root of the mean squared one.
        batch_size: as for `reconstruction`.
        bootstrap: as for `reconstruction`.
        random_state: seed or generator, of the resamples.

    Returns:
        `CompositionResult`. Distances are in [0, 1], lower is better.

    Example:
        >>> from types import SimpleNamespace
        >>> fading = SimpleNamespace(values=lambda z: z, intervene=lambda z, do: z)
        >>> points = SimpleNamespace(codes=np.ones((1, 1)), concepts=fading,
        ...     images=lambda rows: np.ones((1, 1, 1, 1)), encode=lambda x: x.reshape(1, 1),
        ...     decode=lambda z: z.reshape(1, 1, 1, 1) / 2)
        >>> composition(points, times=(1, 2)).by_times
        {1: 0.5, 2: 0.75}
    """
    check_choice("null", null, NULL)
    check_batches(batch_size, bootstrap)
    if isinstance(times, int) or not times:
        raise errors.InvalidInput(f"`times` is a list of one or more whole numbers; given: {shown_value(times)}.")
    for one in times:
        check_at_least(1, times=one)

    def distances(rows: Any) -> FloatArray:
        start, codes, found = points.images(rows), points.codes[rows], {}
        for number in range(1, max(times) + 1):
            do = dict(enumerate(points.concepts.values(codes).T)) if null == "all" else {}
            images = points.decode(points.concepts.intervene(codes, do))
            if number in times:
                found[number] = measure_pixel_distance(start, images, distance)
            if number < max(times):
                codes = points.encode(images)
        return np.stack([found[number] for number in times], axis=1)

    per_image = map_batches(distances, len(points.codes), batch_size)
    generator = check_random_state(random_state)
    means = dict(zip(times, per_image.mean(axis=0).tolist(), strict=True))
    ends = {
        number: _interval(column, bootstrap, generator) for number, column in zip(times, per_image.T, strict=True)
    }
    intervals = {number: found for number, found in ends.items() if found is not None}
    return CompositionResult(means[times[0]], means, per_image, ends[times[0]], intervals)


# --- Reversibility (Monteiro et al. 2023, arXiv:2303.01274): there and back again


@dataclass(frozen=True)
class ReversibilityResult(Bounded):
    """What `reversibility` returns.

    Attributes:
        score: mean over factors, in [0, 1], lower is better.
        per_factor: (factors,) mean distance of images from those that come back.
        per_image: (n, factors) the distances.
        interval: 95 % bootstrap interval of the score, if asked for.
    """

    score: float
    per_factor: FloatArray
    per_image: FloatArray
    interval: tuple[float, float] | None


@metric(
    "reversibility",
    needs=CounterfactualPoints("reversibility"),
    reports={
        "reversibility": "score",
        "reversibility_low": "low",
        "reversibility_high": "high",
        "reversibility_factor_{factor}": "per_factor",
    },
    range=(0, 1),
    better="lower",
    by_chance="none: an image that never changes comes back, too",
    compared="sums written out, on a model with known faults; no program of the authors",
    summary="does setting a factor back give the first image back?",
    assumes="a decoder; a concept for each factor",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "a code that says nothing of the factors may tell images apart"},
)
def reversibility(
    points: Any,
    *,
    cycles: int = 1,
    distance: str = "l1",
    batch_size: int = 64,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> ReversibilityResult:
    r"""Distance of images from what comes back when a factor is set to another value, and then to its own.

    .. math:: \frac1{nk} \sum_x \sum_i d\left(x, h_i(h_i(x, v'), v_i(x))\right), \qquad
        h_i(x, v) = g\left(\operatorname{do}_{i = v}(f(x))\right)

    v' is the value of another image, a different one; the image is decoded and encoded again in between. The value
    that is set back is what the model said of the image: one with an idea of its own of the values is not blamed
    here (effectiveness tells).

    Assumes: a decoder of images in [0, 1]; an encoder that takes what it decodes.

    Args:
        points: images, the model's codes of them, and its concepts.
        cycles: how often there and back.
        distance: ``"l1"`` or ``"l2"``, as in `composition`.
        batch_size: as for `reconstruction`.
        bootstrap: as for `reconstruction`.
        random_state: seed or generator, of the values that are set and of the resamples.

    Returns:
        `ReversibilityResult`. The score is in [0, 1], lower is better.

    Example:
        >>> from types import SimpleNamespace
        >>> def image(v): return v.reshape(-1, 1, 1, 1)
        >>> v = np.array([[0.0], [1.0]])
        >>> points = SimpleNamespace(codes=v, values=v, concepts=SimpleNamespace(values=lambda z: z),
        ...     images=lambda rows: image(v[rows]), encode=lambda x: x.reshape(-1, 1),
        ...     under=lambda z, i, v: image(v))
        >>> reversibility(points).score
        0.0
    """
    check_at_least(1, batch_size=batch_size, cycles=cycles)
    check_bootstrap(bootstrap)
    generator = check_random_state(random_state)
    targets = draw_other_values(points.values, generator)

    def distances(rows: Any) -> FloatArray:
        start, own = points.images(rows), points.concepts.values(points.codes[rows])
        columns = []
        for factor in range(targets.shape[1]):
            images, codes = start, points.codes[rows]
            for _ in range(cycles):
                there = points.under(codes, factor, targets[rows, factor])
                images = points.under(points.encode(there), factor, own[:, factor])
                codes = points.encode(images) if cycles > 1 else codes
            columns.append(measure_pixel_distance(start, images, distance))
        return np.stack(columns, axis=1)

    per_image = map_batches(distances, len(points.codes), batch_size)
    ends = _interval(per_image.mean(axis=1), bootstrap, generator)
    return ReversibilityResult(float(per_image.mean()), per_image.mean(axis=0), per_image, ends)


# --- Effectiveness (Monteiro et al. 2023, arXiv:2303.01274): does what is set show?

#: A value is hit if the prediction is so near, as a part of the factor's range.
SAME = 1e-6


@dataclass(frozen=True)
class EffectivenessResult(Bounded):
    """What `effectiveness` returns. Errors of values are parts of their factor's range; lower is better.

    Attributes:
        score: error of the factor that is set, as the predictor sees it in the image; mean over factors.
        per_factor: (factors,) the same of each.
        accuracy: part of the images in which a classifier sees the value that was set; None for a regressor.
        predictor_error: (factors,) of the predictor on images of the data set.
        truth_score: `score` of the true counterfactual images: what a perfect model gets. None, as the others
            below, where the data set has no true counterfactuals.
        pixel_error: mean absolute difference of a pixel from the true counterfactual image.
        pixel_error_per_factor: (factors,) the same of each factor that is set.
        label_error: of all factors, those that follow and those that stay, as the predictor sees the image.
        value_error: of all factors, as the model's own concepts say them after the intervention.
        interval: 95 % bootstrap interval of the score, if asked for.
        pixel_interval: the same of `pixel_error`.
    """

    score: float
    per_factor: FloatArray
    accuracy: float | None
    predictor_error: FloatArray
    truth_score: float | None
    pixel_error: float | None
    pixel_error_per_factor: FloatArray | None
    label_error: float | None
    value_error: float | None
    interval: tuple[float, float] | None
    pixel_interval: tuple[float, float] | None


@metric(
    "effectiveness",
    needs=CounterfactualPoints("effectiveness"),
    reports={
        "effectiveness_error": "score",
        "effectiveness_error_low": "low",
        "effectiveness_error_high": "high",
        "effectiveness_error_of_truth": "truth_score",
        "effectiveness_accuracy": "accuracy",
        "counterfactual_pixel_error": "pixel_error",
        "counterfactual_pixel_error_low": lambda result, _: result.pixel_interval and result.pixel_interval[0],
        "counterfactual_pixel_error_high": lambda result, _: result.pixel_interval and result.pixel_interval[1],
        "counterfactual_label_error": "label_error",
        "counterfactual_value_error": "value_error",
        "effectiveness_error_factor_{factor}": "per_factor",
        "predictor_error_factor_{factor}": "predictor_error",
        "counterfactual_pixel_error_factor_{factor}": "pixel_error_per_factor",
    },
    range=(0, float("inf")),
    better="lower",
    by_chance="what images that never change have: the mean distance of two values, over the range",
    compared="sums written out, on a model with known faults; no program of the authors",
    also=(
        "effectiveness_error_of_truth (lower)",
        "counterfactual_pixel_error (lower)",
        "counterfactual_label_error (lower)",
        "counterfactual_value_error (lower)",
    ),
    summary="does the image show what a factor was set to, and what follows from it?",
    assumes="a decoder; a concept for each factor; factors that are numbers",
    takes=("discrete", "continuous"),
)
def effectiveness(
    points: Any,
    *,
    predictor: Any = "ridge",
    batch_size: int = 64,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> EffectivenessResult:
    r"""Error of the factors that are set, as seen in the counterfactual image, and distance from the true one.

    .. math:: \frac1{nk} \sum_x \sum_i \frac{|p_i(h_i(x, v')) - v'|}{\text{range}_i}, \qquad
        h_i(x, v) = g\left(\operatorname{do}_{i = v}(f(x))\right)

    with p a predictor of the factors from images, and v' the value of another image, a different one: a value that
    stays would be met by doing nothing. Where the data set knows the true counterfactual image, the model's is
    compared with it, pixel by pixel and in all factors: what follows must follow, and the rest must stay. A
    predictor that was fitted to images in which factors depend on each other may err where they do not: what it
    makes of the true images stands beside.

    Assumes: a decoder of images in [0, 1]; a predictor that is right on images that are not of the data set.

    Args:
        points: images, the model's codes of them, and its concepts.
        predictor: ``"ridge"`` (a regressor that is fitted to the data set's images), the name of a registered
            classifier, or an object as `make_predictor` takes it.
        batch_size: as for `reconstruction`.
        bootstrap: as for `reconstruction`.
        random_state: seed or generator, of the values that are set and of the resamples.

    Returns:
        `EffectivenessResult`. The score is 0 or more, lower is better; a perfect model has `truth_score`, and a
        pixel error of 0.

    Example:
        >>> from types import SimpleNamespace
        >>> def image(v): return v.reshape(-1, 1, 1, 1)
        >>> v = np.array([[0.0], [1.0]])
        >>> points = SimpleNamespace(values=v, codes=v, data=None, knows_truth=False,
        ...     under=lambda z, i, v: image(v))
        >>> reader = SimpleNamespace(predict=lambda x: x.reshape(-1, 1), error=np.zeros(1))
        >>> effectiveness(points, predictor=reader).score
        0.0
    """
    check_batches(batch_size, bootstrap)
    generator = check_random_state(random_state)
    targets, scale = draw_other_values(points.values, generator), measure_scale(points.values)
    seer = make_predictor(predictor, points.data, getattr(points, "make_classifier", None))

    def errors_of(rows: Any) -> FloatArray:
        """(n, factors, 5): own error, that of the truth, pixels, labels, values."""
        found = np.full((len(rows), targets.shape[1], 5), np.nan)
        for factor in range(targets.shape[1]):
            wanted, codes = targets[rows, factor], points.codes[rows]
            images = points.under(codes, factor, wanted)
            seen = seer.predict(images)
            found[:, factor, 0] = np.abs(seen[:, factor] - wanted) / scale[factor]
            if points.knows_truth:
                true_images, true_values = points.truth(rows, factor, wanted)
                found[:, factor, 1] = np.abs(seer.predict(true_images)[:, factor] - wanted) / scale[factor]
                found[:, factor, 2] = measure_pixel_distance(true_images, images)
                found[:, factor, 3] = (np.abs(seen - true_values) / scale).mean(axis=1)
                own = points.concepts.values(points.concepts.intervene(codes, {factor: wanted}))
                found[:, factor, 4] = (np.abs(own - true_values) / scale).mean(axis=1)
        return found

    found = map_batches(errors_of, len(points.codes), batch_size)
    means = [float(mean) if points.knows_truth else None for mean in found.mean(axis=(0, 1))[1:]]
    per_image = found.mean(axis=1)
    return EffectivenessResult(
        float(found[..., 0].mean()),
        found[..., 0].mean(axis=0),
        float((found[..., 0] <= SAME).mean()) if getattr(seer, "is_classifier", False) else None,
        np.asarray(seer.error),
        means[0],
        means[1],
        found[..., 2].mean(axis=0) if points.knows_truth else None,
        means[2],
        means[3],
        _interval(per_image[:, 0], bootstrap, generator),
        _interval(per_image[:, 2], bootstrap, generator) if points.knows_truth else None,
    )


# --- Minimality (Melistas et al. 2024, arXiv:2403.20287): nothing changes but what must

EMBEDDINGS = ("pixels", "codes")

#: The published weights of a change that is too large, and of one that is too small.
TOO_LARGE, TOO_SMALL = 0.8, 0.2


@dataclass(frozen=True)
class MinimalityResult(Bounded):
    """What `minimality` returns. All are in [0, 1], lower is better.

    Attributes:
        score: counterfactual latent divergence (CLD), mean over images and factors.
        per_factor: (factors,) the same of each factor that is set.
        truth_score: CLD of the true counterfactual images: what a perfect model gets; None where the data set has
            none.
        unchanged_score: CLD of images that are left as they are: what doing nothing gets.
        interval: 95 % bootstrap interval of the score, if asked for.
    """

    score: float
    per_factor: FloatArray
    truth_score: float | None
    unchanged_score: float
    interval: tuple[float, float] | None


@metric(
    "minimality",
    needs=CounterfactualPoints("minimality"),
    reports={
        "minimality_CLD": "score",
        "minimality_CLD_low": "low",
        "minimality_CLD_high": "high",
        "minimality_CLD_of_truth": "truth_score",
        "minimality_CLD_unchanged": "unchanged_score",
        "minimality_CLD_factor_{factor}": "per_factor",
    },
    range=(0, 1),
    better="lower",
    by_chance="doing nothing is better than 0.5 (0.3 on Pendulum): read it beside effectiveness",
    compared=(
        "sums written out, on a model with known faults; no program of the authors (the published one has a "
        "divergence in which a mean stands for a scale)"
    ),
    also=("minimality_CLD_of_truth (lower)",),
    summary="does a counterfactual change no more than it must?",
    assumes="a decoder; a concept for each factor; several images with nearly the same value",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "what changes the image too little scores well, as doing nothing does"},
)
def minimality(
    points: Any,
    *,
    embedding: str = "pixels",
    neighbours: int = 50,
    pool: int = 10_000,
    batch_size: int = 64,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
) -> MinimalityResult:
    r"""Is the counterfactual nearer to its image than images of the data set that have the value it is set to?

    .. math:: CLD = \log\left(0.8\, e^{P(S_{cf} \le d)} + 0.2\, e^{P(S_f \ge d)}\right)

    with d the distance of the image from its counterfactual; :math:`S_{cf}` its distances from images of the data
    set with the value that is set, and :math:`S_f` from other images with the value that it has. Doing nothing
    scores log(0.8 + 0.2 e) = 0.295; read it beside effectiveness, and beside that of the true counterfactuals.

    The published program embeds images by a VAE and takes a divergence in which the mean stands for the log scale
    as well; here the distance is that of the embeddings, of which the formula speaks.

    Assumes: a decoder of images in [0, 1]; several images near each value of a factor.

    Args:
        points: images, the model's codes of them, and its concepts.
        embedding: ``"pixels"``, images averaged to at most 24x24, or ``"codes"``, the model's own.
        neighbours: images with the value, or those with the nearest values.
        pool: images of the data set among which these are looked for, drawn where there are more.
        batch_size: as for `reconstruction`.
        bootstrap: as for `reconstruction`.
        random_state: seed or generator, of the values that are set, of ties, and of the resamples.

    Returns:
        `MinimalityResult`. The score is in [0, 1], lower is better.

    Example:
        >>> divergence(np.array([1.0]), np.array([[2.0, 3.0]]), np.array([[0.1, 0.2]]))
        array([0.])
    """
    check_choice("embedding", embedding, EMBEDDINGS)
    check_at_least(1, batch_size=batch_size, neighbours=neighbours)
    check_at_least(2, pool=pool)
    check_bootstrap(bootstrap)
    generator = check_random_state(random_state)
    targets = draw_other_values(points.values, generator)
    embed = image_features if embedding == "pixels" else points.encode
    # In an order that means nothing: so are ties.
    others = generator.permutation(points.data.factor_table.index.to_numpy())[:pool]
    known = map_batches(lambda rows: np.asarray(embed(points.data.observations(others[rows]))), len(others), 256)
    values = factor_values(points.data, others)

    def of(rows: Any) -> FloatArray:
        """(n, factors, 3): CLD of the model, of the truth, and of no change."""
        own = np.asarray(embed(points.images(rows)))
        apart = np.sqrt(squared_distances(own, known))
        itself = points.indices[rows][:, None] == others
        found = np.full((len(rows), targets.shape[1], 3), np.nan)
        for factor in range(targets.shape[1]):
            wanted = targets[rows, factor]
            there = _nearest(apart, values[:, factor], wanted, itself, neighbours)
            here = _nearest(apart, values[:, factor], points.values[rows, factor], itself, neighbours)
            shown = [points.under(points.codes[rows], factor, wanted)]
            shown += [points.truth(rows, factor, wanted)[0]] if points.knows_truth else []
            for which, images in enumerate(shown):
                moved = np.sqrt(((np.asarray(embed(images)) - own) ** 2).sum(axis=1))
                found[:, factor, which] = divergence(moved, there, here)
            found[:, factor, 2] = divergence(np.zeros(len(rows)), there, here)
        return found

    found = map_batches(of, len(points.codes), batch_size)
    return MinimalityResult(
        float(found[..., 0].mean()),
        found[..., 0].mean(axis=0),
        float(found[..., 1].mean()) if points.knows_truth else None,
        float(found[..., 2].mean()),
        _interval(found[..., 0].mean(axis=1), bootstrap, generator),
    )


def divergence(moved: FloatArray, there: FloatArray, here: FloatArray) -> FloatArray:
    """(n,): CLD.

    Args:
        moved: (n,) distance of each image from its counterfactual.
        there: (n, neighbours) from images with the value that is set.
        here: (n, neighbours) from images with the value that it has.

    Example:
        >>> divergence(np.array([0.0]), np.array([[2.0]]), np.array([[1.0]])).round(3)
        array([0.295])
    """
    too_large, too_small = (there <= moved[:, None]).mean(axis=1), (here >= moved[:, None]).mean(axis=1)
    return np.log(TOO_LARGE * np.exp(too_large) + TOO_SMALL * np.exp(too_small))


def _nearest(
    apart: FloatArray, values: FloatArray, wanted: FloatArray, itself: Any, neighbours: int
) -> FloatArray:
    """(n, neighbours): distances to the images whose values are nearest to the wanted ones, itself aside."""
    off = np.abs(values[None, :] - wanted[:, None])
    off[itself] = np.inf
    count = min(neighbours, len(values) - 1)
    chosen = np.argsort(off, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(apart, chosen, axis=1)
