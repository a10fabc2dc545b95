"""Fast ways to score other draws of the same points, by the metric's name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics.arrays import CodeGroups
from causal_disent.metrics.deviations import (
    find_largest_deviations,
    group_points,
    irs_score,
    measure_deviations_within,
    robustness,
)
from causal_disent.metrics.gaps import dcimig_from, jemmig_from, mig_from, mig_sup_from
from causal_disent.metrics.information import (
    Information,
    bin_edges,
    count_information,
    drop_rounding,
    equal_width_bins,
    label_columns,
    measure_information,
    tabulate_times_log,
)
from causal_disent.metrics.irs_uc import is_irs, select_codes, uc_of_sets
from causal_disent.metrics.others import covariance_of, gaussian_total_correlation
from causal_disent.metrics.reuse import reused
from causal_disent.protocols import Attribution, FloatArray, IntArray


@dataclass(frozen=True)
class Again:
    """A metric's score of other draws of the same points, faster than by its function.

    Attributes:
        resampled: rows (points,), with repetitions -> score.
        permuted: order (points,) of the rows of the codes, the factors as they are -> score.
    """

    resampled: Callable[[IntArray], float]
    permuted: Callable[[IntArray], float]


# --- Binned codes and factors, counted again
#
# Sorted codes have their bins side by side, whatever the edges. So the points are sorted once; another draw of
# them moves the edges and weighs the points, and nothing is binned anew.


def recount_by(last_step: Callable[..., Any], *, min_factors: int = 1) -> Callable[..., Again | None]:
    """Score by `last_step`, a function of `Information` and of a metric's own options."""

    def again(codes: FloatArray, factors: IntArray, *, num_bins: Any = 20, **options: Any) -> Again | None:
        if callable(num_bins) or options.get("code_groups") or options.get("estimator", "bins") != "bins":
            return None  # bins of one's own, or of several codes, or none
        count = _recount(codes, factors, num_bins)
        own = {name: value for name, value in options.items() if name in signature(last_step).parameters}

        def resampled(rows: IntArray) -> float:
            found = _of_rows(count, rows)
            if len(found.factors) < min_factors:
                raise errors.InvalidInput("Too few factors vary in this draw of the points.")
            return last_step(found, **own).score

        return Again(resampled, lambda order: last_step(_of_order(count, order), **own).score)

    return again


class Recount:
    """What `binned_information` finds of other draws of some points.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        num_bins: equally wide bins per code, from the smallest to the largest of the points that are drawn.
    """

    def __init__(self, codes: FloatArray, factors: IntArray, num_bins: int) -> None:
        codes = np.asarray(codes, dtype=np.float64)
        self._num_bins = num_bins
        self._binned = label_columns(equal_width_bins(codes, num_bins))
        columns = np.flatnonzero(factors.min(axis=0) != factors.max(axis=0))
        self._factors = factors[:, columns]
        binned, most = equal_width_bins(codes, num_bins), float(np.log(num_bins))
        self._whole = measure_information(codes, binned, factors, columns, most)
        self._orders = np.argsort(codes.T, axis=1, kind="stable")
        self._sorted = np.take_along_axis(np.ascontiguousarray(codes.T), self._orders, axis=1)
        self._labels = [np.unique(values, return_inverse=True)[1] for values in factors.T]
        self._sizes = [int(labels.max()) + 1 for labels in self._labels]
        self._in_order = [[labels[order] for labels in self._labels] for order in self._orders]
        self._times_log = tabulate_times_log(len(codes))

    def permuted(self, order: IntArray) -> Information:
        """Of the codes in another order of their rows, the factors as they are."""
        # A code's point has the factors of the place that it is put at.
        place = np.argsort(order)
        labels = label_columns(self._factors[place])
        return replace(self._whole, matrix=count_information(self._binned, labels, len(place))[0])

    def resampled(self, rows: IntArray) -> Information:
        """Of the points in `rows`, with repetitions, as many as there are points at most."""
        num_points, table = len(rows), self._times_log
        weights = np.bincount(rows, minlength=self._orders.shape[1]).astype(np.float64)
        counts = [np.bincount(one, weights, size) for one, size in zip(self._labels, self._sizes, strict=True)]
        num_values = np.array([np.count_nonzero(count) for count in counts])
        columns = np.flatnonzero(num_values > 1)
        of_factors = np.array([table[counts[i].astype(np.intp)].sum() for i in columns])
        together = np.empty((len(self._orders), len(columns)))
        of_codes, variances = np.empty(len(self._orders)), np.empty(len(self._orders))
        for j, (order, values) in enumerate(zip(self._orders, self._sorted, strict=True)):
            drawn = weights[order]
            bins, variances[j] = self._bins(values, drawn)
            of_codes[j] = table[np.bincount(bins, drawn).astype(np.intp)].sum()
            for i, column in enumerate(columns):
                cells = np.bincount(bins * self._sizes[column] + self._in_order[j][column], drawn)
                together[j, i] = table[cells.astype(np.intp)].sum()
        log = np.log(num_points)
        return replace(
            self._whole,
            matrix=drop_rounding(log + (together - np.add.outer(of_codes, of_factors)) / num_points),
            code_entropies=drop_rounding(log - of_codes / num_points),
            factor_entropies=drop_rounding(log - of_factors / num_points),
            factors=columns,
            num_values=num_values[columns],
            code_variances=variances,
        )

    def _bins(self, values: FloatArray, drawn: FloatArray) -> tuple[IntArray, float]:
        """The bins of sorted values, each drawn so many times, and the variance of what is drawn."""
        present = drawn > 0
        first, last = present.argmax(), len(values) - 1 - present[::-1].argmax()
        offset, edges = bin_edges(values[first], values[last], self._num_bins)
        starts = np.searchsorted(values - offset if offset else values, edges)
        starts[0] = 0
        bins = np.repeat(np.arange(len(edges)), np.diff(starts, append=len(values)))
        if values[first] == values[last]:
            return bins, 0.0
        centred = values - drawn @ values / drawn.sum()
        return bins, float(drawn @ (centred * centred) / drawn.sum())


# Several metrics start from what a draw has: it is counted once.
_recount = reused(Recount)
_of_rows = reused(Recount.resampled)
_of_order = reused(Recount.permuted)


# --- The IRS of other draws
#
# The IRS needs, for each value of each factor, a high quantile of |z - mean|. As |z - mean| falls and
# then rises along sorted z, its largest entries are at the two ends of the sorted codes, whatever
# the mean. So the ends are cut out once, and a draw only reweighs them.


class IrsDraws:
    """The deviations that the IRS is made of, of resampled points and of shuffled codes."""

    def __init__(
        self, codes: FloatArray, factors: IntArray, diff_quantile: float = 0.99, deviation: str = "max"
    ) -> None:
        self._by_code = np.ascontiguousarray(codes.T, dtype=np.float64)
        self._factors, self._quantile = factors, diff_quantile
        self._quantile_of_all = diff_quantile if deviation == "quantile" else 1.0
        self._whole = _Ends(self._by_code, np.arange(len(codes)), self._quantile_of_all)
        self._ends = []
        for factor in factors.T:
            order, starts = group_points(factor)
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
        within = measure_deviations_within(by_code, self._factors, self._quantile)
        return within, find_largest_deviations(by_code, quantile=self._quantile_of_all)


_irs_draws = reused(IrsDraws)
_irs_of_rows = reused(IrsDraws.of_rows)
_irs_of_order = reused(IrsDraws.of_order)


def recount_irs(
    codes: FloatArray,
    factors: IntArray,
    *,
    diff_quantile: float = 0.99,
    deviation: str = "max",
    code_groups: CodeGroups | None = None,
) -> Again | None:
    """IRS of other draws."""
    if code_groups:  # distances of several codes are not ordered as the codes are
        return None
    draws = _irs_draws(codes, factors, diff_quantile, deviation)

    def score(within: FloatArray, deviations: FloatArray) -> float:
        return irs_score(robustness(within, deviations), deviations)

    return Again(lambda rows: score(*_irs_of_rows(draws, rows)), lambda order: score(*_irs_of_order(draws, order)))


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


def recount_uc(
    codes: FloatArray,
    factors: IntArray,
    *,
    rho: int = 1,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    group_size: int = 2,
    code_groups: CodeGroups | None = None,
    **_: Any,
) -> Again | None:
    """UC of other draws, by the deviations that the IRS is made of."""
    if code_groups or not is_irs(attribution):
        return None
    draws = _irs_draws(codes, factors, 0.99)

    def score(within: FloatArray, deviations: FloatArray) -> float:
        return uc_of_sets(select_codes(robustness(within, deviations), rho, selection), group_size=group_size)

    return Again(lambda rows: score(*_irs_of_rows(draws, rows)), lambda order: score(*_irs_of_order(draws, order)))


def recount_total_correlation(codes: FloatArray, factors: Any, **_: Any) -> Again:
    """The first score of other draws alone: it is of the covariance, and the same in any order."""
    return Again(
        lambda rows: gaussian_total_correlation(covariance_of(codes[rows])),
        lambda order: gaussian_total_correlation(covariance_of(codes)),
    )


#: Metric -> function (codes, factors, options) -> `Again`; None of it where the options do not allow the fast way.
FAST: dict[str, Callable[..., Again | None]] = {
    "mig": recount_by(mig_from),
    "mig_sup": recount_by(mig_sup_from, min_factors=2),
    "dcimig": recount_by(dcimig_from, min_factors=2),
    "jemmig": recount_by(jemmig_from),
    "irs": recount_irs,
    "uc": recount_uc,
    "unsupervised_metrics": recount_total_correlation,
}

#: Metrics whose scores of other draws start from the same work.
FAMILIES = (("mig", "mig_sup", "dcimig", "jemmig"), ("irs", "uc"))


def together(names: Sequence[str]) -> list[list[str]]:
    """The metrics that share the work of other draws side by side, any other by itself.

    Example:
        >>> together(["irs", "mcc", "uc"])
        [['irs', 'uc'], ['mcc']]
    """
    found: dict[Any, list[str]] = {}
    for name in names:
        found.setdefault(next((family for family in FAMILIES if name in family), name), []).append(name)
    return list(found.values())
