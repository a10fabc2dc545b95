"""Composition of counterfactuals (Monteiro et al. 2023, arXiv:2303.01274): setting what is so already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, check_random_state
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap
from causal_disent.metrics.tools.causal_points import Counterfactual, CounterfactualPoints
from causal_disent.metrics.tools.counterfactuals import in_batches, interval_of_mean, pixel_distance
from causal_disent.metrics.tools.declaration import metric
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value

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


def _reported(result: CompositionResult, names: Sequence[str]) -> dict[str, Any]:
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
    reports=_reported,
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
    points: Counterfactual,
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
        batch_size: images at a time.
        bootstrap: resamples of the images for 95 % intervals; 0 for none.
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
    check_at_least(1, batch_size=batch_size)
    check_bootstrap(bootstrap)
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
                found[number] = pixel_distance(start, images, distance)
            if number < max(times):
                codes = points.encode(images)
        return np.stack([found[number] for number in times], axis=1)

    per_image = in_batches(distances, len(points.codes), batch_size)
    generator = check_random_state(random_state)
    means = dict(zip(times, per_image.mean(axis=0).tolist(), strict=True))
    ends = {
        number: interval_of_mean(column, bootstrap, generator)
        for number, column in zip(times, per_image.T, strict=True)
    }
    intervals = {number: found for number, found in ends.items() if found is not None}
    return CompositionResult(means[times[0]], means, per_image, ends[times[0]], intervals)
