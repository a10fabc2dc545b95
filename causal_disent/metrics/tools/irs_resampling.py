"""IRS matrices of bootstrap resamples, without computing each from scratch.

The IRS needs, for each value of each factor, a high quantile of |z - mean|. As |z - mean| falls and
then rises along sorted z, its largest entries are at the two ends of the sorted codes, whatever
the mean. So the ends are cut out once, and a resample only reweighs them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from causal_disent.metrics.tools.code_groups import CodeGroups
from causal_disent.metrics.tools.irs_statistics import (
    deviations_within,
    group,
    irs_score,
    largest_deviations,
    robustness,
)
from causal_disent.metrics.tools.recount import Again
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray

#: Resamples handled together, to bound the memory.
CHUNK = 25


def resampled_irs_matrices(
    codes: FloatArray, factors: IntArray, counts: IntArray, diff_quantile: float = 0.99
) -> list[FloatArray]:
    """The IRS matrix of the points repeated by each row of `counts`.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        counts: (resamples, points), how often each point is drawn; each row sums to the number of points.
        diff_quantile: as for `causal_disent.metrics.irs`.

    Returns:
        A (codes, factors) matrix per resample, equal to ``irs(...).matrix`` of the repeated points.
    """
    draws = IrsDraws(codes, factors, diff_quantile)
    matrices: list[FloatArray] = []
    chunks = [counts[start : start + CHUNK] for start in range(0, len(counts), CHUNK)]
    for chunk in track(chunks, "bootstrap", unit="chunk"):
        matrices.extend(robustness(*pair) for pair in zip(*draws.resampled(chunk), strict=True))
    return matrices


class IrsDraws:
    """The deviations that the IRS is made of, of resampled points and of shuffled codes."""

    def __init__(self, codes: FloatArray, factors: IntArray, diff_quantile: float = 0.99) -> None:
        self._by_code = np.ascontiguousarray(codes.T, dtype=np.float64)
        self._factors, self._quantile = factors, diff_quantile
        self._whole = _Ends(self._by_code, np.arange(len(codes)), 1.0)
        self._ends = []
        for factor in factors.T:
            order, starts = group(factor)
            self._ends.append([_Ends(self._by_code, points, diff_quantile) for points in np.split(order, starts)])

    def resampled(self, counts: IntArray) -> tuple[FloatArray, FloatArray]:
        """Within the values of each factor (resamples, codes, factors), and over all points (resamples, codes)."""
        within = np.stack([_mean_over_values(values, counts) for values in self._ends], axis=2)
        return within, self._whole.quantiles(counts)[0]

    def of_rows(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """The same of one resample, given by its rows: (codes, factors) and (codes,)."""
        within, deviations = self.resampled(np.bincount(rows, minlength=self._by_code.shape[1])[None])
        return within[0], deviations[0]

    def of_order(self, order: IntArray) -> tuple[FloatArray, FloatArray]:
        """The same of the codes in another order of their rows, the factors as they are."""
        by_code = self._by_code[:, order]
        return deviations_within(by_code, self._factors, self._quantile), largest_deviations(by_code)


def irs_again(
    codes: FloatArray, factors: IntArray, *, diff_quantile: float = 0.99, code_groups: CodeGroups | None = None
) -> Again | None:
    """For `metric`'s ``resampling``."""
    if code_groups:  # distances of several codes are not ordered as the codes are
        return None
    draws = IrsDraws(codes, factors, diff_quantile)

    def score(within: FloatArray, deviations: FloatArray) -> float:
        return irs_score(robustness(within, deviations), deviations)

    return Again(lambda rows: score(*draws.of_rows(rows)), lambda order: score(*draws.of_order(order)))


def _mean_over_values(values: list[_Ends], counts: IntArray) -> FloatArray:
    """(resamples, codes): the quantiles averaged over the values of a factor that a resample contains."""
    total = np.zeros((len(counts), values[0].num_codes))
    present = np.zeros(len(counts))
    for ends in values:
        quantiles, drawn = ends.quantiles(counts)
        total += np.where(drawn[:, None] > 0, quantiles, 0.0)
        present += drawn > 0
    return total / present[:, None]


class _Ends:
    """The lowest and the highest codes of some points, enough of them for a quantile of |z - mean|."""

    def __init__(self, by_code: FloatArray, points: IntArray, quantile: float) -> None:
        self._points = points
        self._quantile = quantile
        self._values = by_code[:, points]
        self.num_codes = len(by_code)
        order = np.argsort(self._values, axis=1)
        most = _ranks(np.array(len(points)), quantile)[0] + 2
        # A point is drawn about once, so a margin of some standard deviations nearly always suffices.
        keep = int(most + 4 * np.sqrt(most) + 4)
        if 2 * keep < len(points):
            order = np.concatenate([order[:, :keep], order[:, -keep:]], axis=1)
            self._keep = keep
        else:
            self._keep = 0  # everything is kept
        self._candidates = order
        self._candidate_values = np.take_along_axis(self._values, order, axis=1)

    def quantiles(self, counts: IntArray) -> tuple[FloatArray, IntArray]:
        """The quantile (resamples, codes) of |z - mean| and how many points each resample draws."""
        mine = counts[:, self._points]
        drawn = mine.sum(axis=1)
        means = (mine @ self._values.T) / np.maximum(drawn, 1)[:, None]
        weights = mine[:, self._candidates]
        distances = np.abs(self._candidate_values - means[:, :, None])
        below, fraction = _ranks(drawn, self._quantile)
        drawn_values = np.where(weights > 0, self._candidate_values, np.nan)
        with np.errstate(all="ignore"):
            constant = np.fmax.reduce(drawn_values, axis=2) == np.fmin.reduce(drawn_values, axis=2)
        # A code that is constant in the resample must come out as exactly 0.
        result = np.where(constant, 0.0, _weighted_quantile(distances, weights, below, fraction))
        for resample, code in self._uncovered(weights, below):
            repeated = np.repeat(self._values[code], mine[resample])
            spread = np.abs(repeated - means[resample, code])
            same = len(repeated) == 0 or repeated.min() == repeated.max()
            result[resample, code] = 0.0 if same else np.quantile(spread, self._quantile)
        return result, drawn

    def _uncovered(self, weights: IntArray, below: IntArray) -> Iterator[tuple[int, int]]:
        """Where one end holds too few drawn points to be sure of the quantile."""
        if self._keep == 0:
            return
        low = weights[:, :, : self._keep].sum(axis=2)
        high = weights[:, :, self._keep :].sum(axis=2)
        for resample, code in np.argwhere(np.minimum(low, high) < below[:, None] + 2):
            yield int(resample), int(code)


def _ranks(drawn: IntArray, quantile: float) -> tuple[IntArray, FloatArray]:
    """Linear interpolation counted from the top: the rank (0 = largest) of the upper neighbour and how
    far down towards the next one the quantile lies."""
    from_top = (np.maximum(drawn, 1) - 1) * (1.0 - quantile)
    rank = np.floor(from_top + 1e-9).astype(np.int64)
    return rank, np.maximum(from_top - rank, 0.0)


def _weighted_quantile(
    distances: FloatArray, weights: IntArray, rank: IntArray, fraction: FloatArray
) -> FloatArray:
    """The interpolated value at `rank` from the top of `distances` repeated `weights` times."""
    order = np.argsort(-distances, axis=2)
    descending = np.take_along_axis(distances, order, axis=2)
    reached = np.cumsum(np.take_along_axis(weights, order, axis=2), axis=2)
    last = distances.shape[2] - 1

    def at(wanted: IntArray) -> FloatArray:
        position = np.minimum((reached <= wanted[:, None, None]).sum(axis=2), last)
        return np.take_along_axis(descending, position[:, :, None], axis=2)[:, :, 0]

    upper = at(rank)
    return upper + (at(rank + 1) - upper) * fraction[:, None]
