"""Reversibility of counterfactuals (Monteiro et al. 2023, arXiv:2303.01274): there and back again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_random_state
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap
from causal_disent.metrics.tools.causal_points import Counterfactual, CounterfactualPoints
from causal_disent.metrics.tools.counterfactuals import in_batches, interval_of_mean, other_values, pixel_distance
from causal_disent.metrics.tools.declaration import metric
from causal_disent.protocols import FloatArray


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
    points: Counterfactual,
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
        batch_size: images at a time.
        bootstrap: resamples of the images for a 95 % interval; 0 for none.
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
    targets = other_values(points.values, generator)

    def distances(rows: Any) -> FloatArray:
        start, own = points.images(rows), points.concepts.values(points.codes[rows])
        columns = []
        for factor in range(targets.shape[1]):
            images, codes = start, points.codes[rows]
            for _ in range(cycles):
                there = points.under(codes, factor, targets[rows, factor])
                images = points.under(points.encode(there), factor, own[:, factor])
                codes = points.encode(images) if cycles > 1 else codes
            columns.append(pixel_distance(start, images, distance))
        return np.stack(columns, axis=1)

    per_image = in_batches(distances, len(points.codes), batch_size)
    ends = interval_of_mean(per_image.mean(axis=1), bootstrap, generator)
    return ReversibilityResult(float(per_image.mean()), per_image.mean(axis=0), per_image, ends)
