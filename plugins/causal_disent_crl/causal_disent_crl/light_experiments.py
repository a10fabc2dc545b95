"""The experiments of lt_crl_benchmark_v1 (Gamella, Bing and Runge 2025, arXiv:2502.20099), as processes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray

FACTORS = ("red", "green", "blue", "pol_1", "pol_2")
#: The range of the light source, and of the polarizers in degrees.
LIMITS = {factor: (0.0, 255.0) if factor in FACTORS[:3] else (-90.0, 90.0) for factor in FACTORS}

#: The linear mechanism of ``buchholz_1``: (cause, effect) -> weight, each cause before its effects.
WEIGHTS = {
    ("blue", "green"): 0.89303215,
    ("green", "red"): 0.71943922,
    ("pol_1", "red"): 0.84868401,
    ("green", "pol_2"): 0.67726298,
    ("blue", "pol_2"): 0.98534901,
}
ORDER = ("blue", "pol_1", "green", "red", "pol_2")
#: Of the noise; mean and variance of a factor that is set.
VARIANCES = dict(zip(FACTORS, (1.3855493, 1.16426732, 1.00502177, 1.95646855, 1.27482347), strict=True))
SET_MEANS = dict(zip(FACTORS, (1.16920556, 1.47496736, -1.60596209, -1.96578519, 1.0117071), strict=True))
SET_VARIANCES = dict(zip(FACTORS, (1.94878138, 1.35886756, 1.57343313, 1.1021785, 1.30511067), strict=True))
#: Standard deviations that the range of the tunnel has to each side of its middle.
WITHIN = 5

#: Which of the variables, over time, ``citris_1`` lets depend on which.
CITRIS = (("red", "green"), ("green", "blue"), ("pol_1", "pol_2"), ("red", "pol_2"), ("blue", "pol_2"))
#: Steps that are thrown away, and how often nothing is set.
BURN_IN, UNSET = 1000, 0.35

#: Name -> points that were taken.
EXPERIMENTS = {
    "uniform": 2_000,
    "buchholz_1_obs": 10_000,
    **{f"buchholz_1_{factor}": 10_000 for factor in FACTORS},
    "citris_1": 100_000,
}


def target_of(experiment: str) -> str | None:
    """The factor that an experiment of ``buchholz_1`` sets, if any."""
    name = experiment.removeprefix("buchholz_1_")
    return name if name in FACTORS else None


def edges_of(experiment: str) -> tuple[tuple[str, str], ...]:
    """The edges between factors; those of ``citris_1`` lead from one moment to the next, or to the same."""
    if experiment == "citris_1":
        return CITRIS
    target = target_of(experiment)
    return tuple(edge for edge in WEIGHTS if edge[1] != target) if experiment.startswith("buchholz_1") else ()


def draw_experiment(experiment: str, num: int, random_state: np.random.RandomState) -> FloatArray:
    """Points (num, 5) of the experiment: whole numbers of red, green and blue, tenths of a degree.

    The process is the published one, the points are not: they depend on `random_state`. ``buchholz_1`` is scaled
    by the standard deviations of its mechanism, where the published points were by those of a sample of 10,000.
    """
    if experiment == "uniform":
        low, high = np.array([LIMITS[factor] for factor in FACTORS]).T
        points: FloatArray = random_state.uniform(low, high, size=(num, len(FACTORS)))
    elif experiment == "citris_1":
        points = _walk(num, random_state)
    else:
        points = _linear(num, target_of(experiment), random_state)
    return np.concatenate([np.trunc(points[:, :3]), np.round(points[:, 3:], 1)], axis=1)


def after_intervention(experiment: str, factual: FloatArray, given: Mapping[str, FloatArray]) -> FloatArray:
    """What the factors (n, 5) would be had some been set; the noise of the others is abducted and kept.

    Args:
        experiment: ``uniform`` or one of ``buchholz_1``.
        factual: (n, 5).
        given: factor -> (n,).
    """
    if experiment == "citris_1":
        raise errors.InvalidInput(
            "citris_1 is a process in time: what a factor causes shows in later images, so that one image has no "
            "counterfactual. The experiments buchholz_1_obs and uniform have them."
        )
    per_unit, edges = _per_unit(), edges_of(experiment)
    before = dict(zip(FACTORS, factual.T, strict=True))
    after: dict[str, FloatArray] = {}
    for factor in ORDER:
        moved = np.zeros(len(factual))
        for cause, effect in edges:
            if effect == factor:
                moved += WEIGHTS[cause, effect] * (after[cause] - before[cause]) / per_unit[cause]
        follows = np.clip(before[factor] + moved * per_unit[factor], *LIMITS[factor])
        after[factor] = given.get(factor, follows)
    return np.stack([after[factor] for factor in FACTORS], axis=1)


def _linear(num: int, target: str | None, random_state: np.random.RandomState) -> FloatArray:
    """Points of ``buchholz_1``: a linear mechanism with Gaussian noise, scaled to the tunnel's range."""
    latent: dict[str, FloatArray] = {}
    for factor in ORDER:
        noise = random_state.standard_normal(num)
        if factor == target:
            latent[factor] = SET_MEANS[factor] + np.sqrt(SET_VARIANCES[factor]) * noise
        else:
            causes = (weight * latent[cause] for (cause, effect), weight in WEIGHTS.items() if effect == factor)
            latent[factor] = sum(causes, start=np.sqrt(VARIANCES[factor]) * noise)
    per_unit = _per_unit()
    columns = [np.clip(np.mean(LIMITS[f]) + latent[f] * per_unit[f], *LIMITS[f]) for f in FACTORS]
    return np.stack(columns, axis=1)


def _per_unit() -> dict[str, float]:
    """Factor -> what a unit of the mechanism is in the tunnel: the range has `WITHIN` standard deviations."""
    weights = np.zeros((len(FACTORS), len(FACTORS)))
    for (cause, effect), weight in WEIGHTS.items():
        weights[FACTORS.index(cause), FACTORS.index(effect)] = weight
    # Row i, column j: how much of the noise of factor i is in factor j.
    shares = np.linalg.inv(np.eye(len(FACTORS)) - weights)
    deviations = np.sqrt(np.array([VARIANCES[factor] for factor in FACTORS]) @ shares**2)
    return {
        factor: (LIMITS[factor][1] - LIMITS[factor][0]) / 2 / WITHIN / float(deviation)
        for factor, deviation in zip(FACTORS, deviations, strict=True)
    }


def _walk(num: int, random_state: np.random.RandomState) -> FloatArray:
    """Points of ``citris_1``: a walk, in which at most one factor is set at a time."""
    total = num + BURN_IN
    targets = random_state.choice(len(FACTORS) + 1, size=total, p=[UNSET] + [(1 - UNSET) / 5] * 5) - 1
    targets[:BURN_IN] = -1
    set_to = [random_state.uniform(*LIMITS[factor], size=total).tolist() for factor in FACTORS]
    steps = [random_state.uniform(-w, w, size=total).tolist() for w in (50, 50, 50, 10, 5)]
    points = np.zeros((total, len(FACTORS)))
    before = [0.0] * len(FACTORS)
    for i, target in enumerate(targets.tolist()):
        red, green, blue, first, second = before
        now = [red, (red + green) / 2, blue + (green - blue) / 4, first, second]
        for column in range(4):
            now[column] = set_to[column][i] if column == target else now[column] + steps[column][i]
        # The second polarizer follows the first where there is more blue than red, and flees from it elsewhere.
        follows = 1 if now[2] > now[0] else -1
        now[4] = set_to[4][i] if target == 4 else second + follows * (first - second) / 4 + steps[4][i]
        before = [_reflected(value, *LIMITS[factor]) for value, factor in zip(now, FACTORS, strict=True)]
        points[i] = before
    return points[BURN_IN:]


def _reflected(value: float, low: float, high: float) -> float:
    return 2 * low - value if value < low else 2 * high - value if value > high else value
