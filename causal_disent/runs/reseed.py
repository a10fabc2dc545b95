"""How much metrics vary with the seed of sampling and fitting, and whether they still tell good codes from bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causal_disent.arguments import check_at_least
from causal_disent.runs.calibrate import CASES, Case, calibrate

#: From good to bad: codes of each are worse than those before, which no metric of disentanglement should deny.
FROM_GOOD_TO_BAD = tuple(case for case in CASES if case.name in ("perfect", "mixed 0.25", "mixed 1", "noise"))


@dataclass(frozen=True)
class Reseeded:
    """One score of a metric at one size, over seeds.

    Attributes:
        metric: its name.
        score: the key of the score.
        num_train: points that were sampled.
        means: of each case over the seeds; NaN if there is a seed without a score.
        noise: of each case, the standard deviation over the seeds.
        right: for each case but the last, the share of pairs of seeds in which it scores better than the next,
            ties counted half: 1 if the metric tells them apart whatever the seed, 0.5 if it cannot, 0 if it has
            them the wrong way round.
    """

    metric: str
    score: str
    num_train: int
    means: tuple[float, ...]
    noise: tuple[float, ...]
    right: tuple[float, ...]


def reseed(
    metrics: Sequence[str] | None = None,
    *,
    sizes: Sequence[int] = (1_000,),
    seeds: int = 5,
    random_seed: int = 0,
    cases: Sequence[Case] = FROM_GOOD_TO_BAD,
) -> list[Reseeded]:
    """Scores of codes from good to bad under several seeds.

    Args:
        metrics: their names; all that are registered if None.
        sizes: points to sample.
        seeds: how many, from `random_seed` on.
        random_seed: the first.
        cases: from good to bad.
    """
    check_at_least(2, seeds=seeds)
    found = []
    for size in sizes:
        tables = [
            calibrate(metrics, cases=cases, num_train=size, random_seed=random_seed + seed, bootstrap=0, chance=0)
            for seed in range(seeds)
        ]
        for rows in zip(*tables, strict=True):
            cells = [[cell if isinstance(cell, float) else np.nan for cell in row.cells] for row in rows]
            found.append(reseeded(rows[0].metric, rows[0].score, size, np.array(cells), rows[0].lower_is_better))
    return found


def reseeded(metric: str, score: str, size: int, values: np.ndarray, lower_is_better: bool) -> Reseeded:
    """The last step, of scores (seeds, cases).

    Example:
        >>> reseeded("mig", "score", 10, np.array([[0.9, 0.2], [0.7, 0.8]]), False).right
        (0.75,)
    """
    signed = -values if lower_is_better else values
    gaps = signed[:, None, :-1] - signed[None, :, 1:]
    right = np.where(np.isnan(gaps), np.nan, (gaps > 0) + 0.5 * (gaps == 0)).mean(axis=(0, 1))
    means, noise = values.mean(axis=0), values.std(axis=0, ddof=1)
    return Reseeded(metric, score, size, tuple(means.tolist()), tuple(noise.tolist()), tuple(right.tolist()))
