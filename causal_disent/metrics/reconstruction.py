"""How well a decoder gives images back: pixel errors of reconstructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_random_state
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap
from causal_disent.metrics.tools.causal_points import Counterfactual, CounterfactualPoints
from causal_disent.metrics.tools.counterfactuals import in_batches, interval_of_mean, pixel_distance
from causal_disent.metrics.tools.declaration import metric
from causal_disent.protocols import FloatArray


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
    points: Counterfactual,
    *,
    batch_size: int = 64,
    bootstrap: int = 0,
    random_state: np.random.RandomState | int = 0,
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
    check_at_least(1, batch_size=batch_size)
    check_bootstrap(bootstrap)

    def errors_of(rows: Any) -> FloatArray:
        images, decoded = points.images(rows), points.decode(points.codes[rows])
        return np.stack([pixel_distance(images, decoded), pixel_distance(images, decoded, "l2") ** 2], axis=1)

    absolute, squared = in_batches(errors_of, len(points.indices), batch_size).T
    generator = check_random_state(random_state)
    return ReconstructionResult(
        float(absolute.mean()), float(squared.mean()), absolute, interval_of_mean(absolute, bootstrap, generator)
    )
