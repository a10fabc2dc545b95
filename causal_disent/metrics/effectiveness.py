"""Effectiveness of counterfactuals (Monteiro et al. 2023, arXiv:2303.01274): does what is set show?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_random_state
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap
from causal_disent.metrics.tools.causal_points import Counterfactual, CounterfactualPoints
from causal_disent.metrics.tools.counterfactuals import (
    in_batches,
    interval_of_mean,
    other_values,
    pixel_distance,
    scale_of,
)
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.image_features import make_predictor
from causal_disent.protocols import FloatArray

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
    points: Counterfactual,
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
        batch_size: images at a time.
        bootstrap: resamples of the images for 95 % intervals; 0 for none.
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
    check_at_least(1, batch_size=batch_size)
    check_bootstrap(bootstrap)
    generator = check_random_state(random_state)
    targets, scale = other_values(points.values, generator), scale_of(points.values)
    seer = make_predictor(predictor, points.data)

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
                found[:, factor, 2] = pixel_distance(true_images, images)
                found[:, factor, 3] = (np.abs(seen - true_values) / scale).mean(axis=1)
                own = points.concepts.values(points.concepts.intervene(codes, {factor: wanted}))
                found[:, factor, 4] = (np.abs(own - true_values) / scale).mean(axis=1)
        return found

    found = in_batches(errors_of, len(points.codes), batch_size)
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
        interval_of_mean(per_image[:, 0], bootstrap, generator),
        interval_of_mean(per_image[:, 2], bootstrap, generator) if points.knows_truth else None,
    )
