"""Minimality of counterfactuals (Melistas et al. 2024, arXiv:2403.20287): nothing changes but what must."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_choice, check_random_state
from causal_disent.data.factor_table import factor_values
from causal_disent.metrics.tools.bootstrap import Bounded, check_bootstrap
from causal_disent.metrics.tools.causal_points import Counterfactual, CounterfactualPoints
from causal_disent.metrics.tools.counterfactuals import in_batches, interval_of_mean, other_values
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.image_features import image_features, squared_distances
from causal_disent.protocols import FloatArray

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
    points: Counterfactual,
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
        batch_size: images at a time.
        bootstrap: resamples of the images for a 95 % interval; 0 for none.
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
    targets = other_values(points.values, generator)
    embed = image_features if embedding == "pixels" else points.encode
    # In an order that means nothing: so are ties.
    others = generator.permutation(points.data.factor_table.index.to_numpy())[:pool]
    known = in_batches(lambda rows: np.asarray(embed(points.data.observations(others[rows]))), len(others), 256)
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

    found = in_batches(of, len(points.codes), batch_size)
    return MinimalityResult(
        float(found[..., 0].mean()),
        found[..., 0].mean(axis=0),
        float(found[..., 1].mean()) if points.knows_truth else None,
        float(found[..., 2].mean()),
        interval_of_mean(found[..., 0].mean(axis=1), bootstrap, generator),
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
