"""Binned codes and factors, counted again for resampled points and for shuffled codes.

Sorted codes have their bins side by side, whatever the edges. So the points are sorted once; another draw of them
moves the edges and weighs the points, and nothing is binned anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics.tools.discretize import bin_edges, histogram_discretizer
from causal_disent.metrics.tools.information import mutual_information_matrix, not_negative, times_log
from causal_disent.metrics.tools.information_matrix import Information, information_of
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class Again:
    """A metric's score of other draws of the same points, faster than by its function.

    Attributes:
        resampled: rows (points,), with repetitions -> score.
        permuted: order (points,) of the rows of the codes, the factors as they are -> score.
    """

    resampled: Callable[[IntArray], float]
    permuted: Callable[[IntArray], float]


def recounted(last_step: Callable[..., Any], *, min_factors: int = 1) -> Callable[..., Again | None]:
    """For `metric`'s ``resampling``: a metric that is `last_step` of `Information` and its own options."""

    def again(codes: FloatArray, factors: IntArray, *, num_bins: Any = 20, **options: Any) -> Again | None:
        if callable(num_bins) or options.get("code_groups") or options.get("estimator", "bins") != "bins":
            return None  # bins of one's own, or of several codes, or none
        count = Recount(codes, factors, num_bins, min_factors)
        own = {name: value for name, value in options.items() if name in signature(last_step).parameters}
        return Again(
            lambda rows: last_step(count.resampled(rows), **own).score,
            lambda order: last_step(count.permuted(order), **own).score,
        )

    return again


class Recount:
    """What `binned_information` finds of other draws of some points.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        num_bins: equally wide bins per code, from the smallest to the largest of the points that are drawn.
        min_factors: how many factors must vary in a draw.
    """

    def __init__(self, codes: FloatArray, factors: IntArray, num_bins: int, min_factors: int = 1) -> None:
        codes = np.asarray(codes, dtype=np.float64)
        self._num_bins, self._min_factors = num_bins, min_factors
        self._binned = histogram_discretizer(codes, num_bins)
        columns = np.flatnonzero(factors.min(axis=0) != factors.max(axis=0))
        self._factors, most = factors[:, columns], float(np.log(num_bins))
        self._whole = information_of(codes, self._binned, factors, columns, most)
        self._orders = np.argsort(codes.T, axis=1, kind="stable")
        self._sorted = np.take_along_axis(np.ascontiguousarray(codes.T), self._orders, axis=1)
        self._labels = [np.unique(values, return_inverse=True)[1] for values in factors.T]
        self._sizes = [int(labels.max()) + 1 for labels in self._labels]
        self._in_order = [[labels[order] for labels in self._labels] for order in self._orders]
        self._times_log = times_log(len(codes))

    def permuted(self, order: IntArray) -> Information:
        """Of the codes in another order of their rows, the factors as they are."""
        # A code's point has the factors of the place that it is put at.
        place = np.argsort(order)
        return replace(self._whole, matrix=mutual_information_matrix(self._binned, self._factors[place]))

    def resampled(self, rows: IntArray) -> Information:
        """Of the points in `rows`, as many as there are points, with repetitions."""
        num_points, table = len(rows), self._times_log
        weights = np.bincount(rows, minlength=num_points).astype(np.float64)
        counts = [np.bincount(one, weights, size) for one, size in zip(self._labels, self._sizes, strict=True)]
        num_values = np.array([np.count_nonzero(count) for count in counts])
        columns = np.flatnonzero(num_values > 1)
        if len(columns) < self._min_factors:
            raise errors.InvalidInput("Too few factors vary in this draw of the points.")
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
            matrix=not_negative(log + (together - np.add.outer(of_codes, of_factors)) / num_points),
            code_entropies=not_negative(log - of_codes / num_points),
            factor_entropies=not_negative(log - of_factors / num_points),
            factors=columns,
            num_values=num_values[columns],
            code_variances=variances,
        )

    def _bins(self, values: FloatArray, drawn: FloatArray) -> tuple[IntArray, float]:
        """The bins of sorted values, each drawn so many times, and the variance of what is drawn."""
        present = drawn > 0
        first, last = present.argmax(), len(values) - 1 - present[::-1].argmax()
        offset, edges = bin_edges(values[[first, last]], self._num_bins)
        starts = np.searchsorted(values - offset if offset else values, edges)
        starts[0] = 0
        bins = np.repeat(np.arange(len(edges)), np.diff(starts, append=len(values)))
        if values[first] == values[last]:
            return bins, 0.0
        centred = values - drawn @ values / drawn.sum()
        return bins, float(drawn @ (centred * centred) / drawn.sum())
