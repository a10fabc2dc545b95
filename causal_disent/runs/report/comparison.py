"""Whether one model is better than another: comparisons of pairs of runs, corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, log2
from typing import TYPE_CHECKING

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent.text import number_of

if TYPE_CHECKING:
    import pandas as pd

#: A difference counts as real below this corrected p-value, and intervals leave out as much.
LEVEL = 0.05
#: Pairs up to which every combination of signs is tried; beyond, so many are drawn.
MOST_EXACT, DRAWS = 14, 20_000
#: Sums that differ by less than this part of the largest are ties.
TIE = 1e-9


def flips(num_pairs: int, random_state: np.random.RandomState) -> FloatArray:
    """(combinations, pairs) of 1 and -1 for `sign_flip_test`.

    Args:
        num_pairs: how many differences there are.
        random_state: draws 20,000 combinations of signs where there are more than 14 pairs; up to 14, all are
            tried and nothing is drawn.
    """
    if num_pairs > MOST_EXACT:
        return 1.0 - 2 * random_state.randint(2, size=(DRAWS, num_pairs))
    # One half of the combinations: the other has the same sums with the other sign.
    return 1.0 - 2 * (np.arange(max(2**num_pairs // 2, 1))[:, None] >> np.arange(num_pairs) & 1)


def sign_flip_test(differences: FloatArray, signs: FloatArray) -> float:
    r"""Two-sided p-value of the mean difference of pairs, by flipping signs.

    If neither of a pair were better, each difference could as well have had the other sign:

    .. math:: p = P_s\left(\left|\sum_i s_i d_i\right| \ge \left|\sum_i d_i\right|\right),
              \quad s_i \in \{-1, 1\} \text{ at random}

    Args:
        differences: (pairs,) one value less the other of each.
        signs: (combinations, pairs), the `flips` of as many pairs.

    Returns:
        From 2 / 2**pairs to 1; lower speaks against "there is no difference".

    Example:
        >>> sign_flip_test(np.array([0.1, 0.2, 0.3, 0.1]), flips(4, np.random.RandomState(0)))
        0.125
    """
    observed = abs(differences.sum())
    as_large = int((np.abs(signs @ differences) >= observed - TIE * np.abs(differences).sum()).sum())
    drawn = int(len(differences) > MOST_EXACT)  # the observed signs count among those that were drawn
    return (as_large + drawn) / (len(signs) + drawn)


def holm(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """Holm's correction: with it, the chance of any false discovery in the whole family stays below the level.

    Args:
        p_values: (comparisons,) of all comparisons that were made.

    Returns:
        (comparisons,) corrected, in [0, 1], in the given order.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    found = np.asarray(p_values, np.float64)
    order = found.argsort(kind="stable")
    steps = np.maximum.accumulate(found[order] * np.arange(len(found), 0, -1))
    corrected = np.empty_like(found)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def interval(values: Sequence[float] | FloatArray) -> tuple[float, float] | None:
    """95 % interval of the mean by Student's t; None for fewer than two values.

    Example:
        >>> [round(end, 3) for end in interval([0.1, 0.2, 0.3])]
        [-0.048, 0.448]
    """
    from scipy.stats import t

    found = np.asarray(values, np.float64)
    if len(found) < 2:
        return None
    half = float(t.ppf(1 - LEVEL / 2, len(found) - 1) * found.std(ddof=1) / np.sqrt(len(found)))
    return float(found.mean()) - half, float(found.mean()) + half


def pairs_needed(num_models: int) -> int:
    """How many pairs of runs it takes for any difference among so many models to count as real.

    Example:
        >>> pairs_needed(2), pairs_needed(9)
        (6, 11)
    """
    return int(np.ceil(1 + log2(max(comb(num_models, 2), 1) / LEVEL)))


@dataclass(frozen=True)
class Comparison:
    """The best model beside another one.

    Attributes:
        other: the other's name.
        difference: by how much the best is better, on average over pairs.
        interval: of that mean; None for a single pair.
        pairs: runs of both with the same seed on the same data.
        p: of the `sign_flip_test`.
        corrected: the same, corrected for all pairs of models.
    """

    other: str
    difference: float
    interval: tuple[float, float] | None
    pairs: int
    p: float
    corrected: float

    @property
    def real(self) -> bool:
        """Whether the difference counts as real."""
        return self.corrected < LEVEL


@dataclass(frozen=True)
class Ranking:
    """Models by one score, over all data sets and seeds.

    Attributes:
        standings: model -> the mean of its score, the best first.
        comparisons: the best one with each of the others, in their order.
    """

    standings: dict[str, float]
    comparisons: tuple[Comparison, ...]

    @property
    def best(self) -> str:
        """The model with the best mean."""
        return next(iter(self.standings))

    @property
    def decisive(self) -> bool:
        """Whether the best is really better than each of the others."""
        return bool(self.comparisons) and all(one.real for one in self.comparisons)

    def sentence(self) -> str:
        """What follows, in words."""
        if not self.comparisons:
            return "There is nothing to compare it with."
        if self.decisive:
            return f"The ranking is decisive: {self.best} is better than every other model."
        beaten = [one.other for one in self.comparisons if one.real]
        better = f" {self.best} is better than {', '.join(beaten)}; for the rest it is open." if beaten else ""
        fewest, needed = min(one.pairs for one in self.comparisons), pairs_needed(len(self.standings))
        few = (
            f" {number_of(fewest, 'pair')} of runs cannot decide it, whatever they show: {needed} are the fewest "
            "that can."
            if fewest < needed
            else ""
        )
        return f"The ranking is not decisive.{better}{few}"


def ranking(scores: pd.DataFrame, random_state: np.random.RandomState, *, lower: bool = False) -> Ranking:
    """Compare models by one score.

    Args:
        scores: a row for each block (data set and seed), a column for each model; NaN where there is no run.
        random_state: for `flips`.
        lower: whether lower scores are better.
    """
    means = scores.mean().dropna().sort_values(ascending=lower, kind="stable")
    names = [str(name) for name in means.index]
    sign = -1.0 if lower else 1.0
    differences = {
        (one, other): sign * (scores[one] - scores[other]).dropna().to_numpy()
        for one, other in combinations(names, 2)
    }
    # The same signs for all comparisons of as many pairs: drawing them takes longer than using them.
    signs = {size: flips(size, random_state) for size in sorted({len(one) for one in differences.values()})}
    p_values = {pair: sign_flip_test(found, signs[len(found)]) for pair, found in differences.items()}
    corrected = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    with_best = [(names[0], other) for other in names[1:]]
    comparisons = tuple(
        Comparison(
            pair[1],
            float(differences[pair].mean()) if len(differences[pair]) else float("nan"),
            interval(differences[pair]),
            len(differences[pair]),
            p_values[pair],
            float(corrected[pair]),
        )
        for pair in with_best
    )
    return Ranking(dict(zip(names, means.astype(float), strict=True)), comparisons)
