"""Linear support vector machines of one code each, solved exactly and many at a time.

The problem is that of scikit-learn's ``LinearSVC(C, class_weight="balanced")``: squared hinge loss, the intercept
penalised along with the weight, a machine for each class against the others. Of a single code the points within
the margin are a stretch of the sorted ones, so that running sums give the loss and its derivatives at any weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causal_disent.protocols import FloatArray, IntArray

#: Newton steps at the most (some ten are usual), and the step below which the machines stand still.
STEPS, STILL = 100, 1e-10


def machine_accuracies(
    values: FloatArray,
    labels: Sequence[IntArray],
    test_values: FloatArray,
    test_labels: Sequence[IntArray],
    c: float,
) -> FloatArray:
    """How often machines that see `values` (points,) alone tell each of several factors of the test points.

    Args:
        values: of one code.
        labels: of each factor, (points,) whole numbers from 0, of which each up to the largest occurs.
        test_values: of that code, at other points.
        test_labels: of each factor there; a label that is not among `labels` is never told.
        c: weight of the loss against the penalty.
    """
    classes = [int(one.max()) + 1 for one in labels]
    positive = np.hstack([_positive(one, k) for one, k in zip(labels, classes, strict=True)])
    costs = [_costs(one, k, c) for one, k in zip(labels, classes, strict=True)]
    weights, offsets = fit_machines(values, positive, *np.hstack(costs))
    scores = test_values[:, None] * weights + offsets
    found, start = [], 0
    for own, k in zip(test_labels, classes, strict=True):
        part = scores[:, start : start + (1 if k == 2 else k)]
        start += part.shape[1]
        told = part[:, 0] > 0 if k == 2 else part.argmax(axis=1)
        found.append(np.mean(told == own))
    return np.array(found)


def _positive(labels: IntArray, classes: int) -> np.ndarray:
    """(points, machines): each class against the others; of two classes, the second against the first."""
    return labels[:, None] == (np.array([1]) if classes == 2 else np.arange(classes))


def _costs(labels: IntArray, classes: int, c: float) -> FloatArray:
    """(2, machines): what a positive and a negative point cost; of many classes the first alone is weighed."""
    even = c * len(labels) / (classes * np.bincount(labels))
    return np.array([even[1:], even[:1]]) if classes == 2 else np.array([even, np.full(classes, c)])


def fit_machines(
    values: FloatArray, positive: np.ndarray, positive_cost: FloatArray, negative_cost: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Weights and intercepts (machines,) that minimise, for each machine,

    .. math:: \frac12 (w^2 + b^2) + \sum_i c_i \max(0, 1 - y_i (w x_i + b))^2

    Args:
        values: (points,) x.
        positive: (points, machines) where y is 1 rather than -1.
        positive_cost: (machines,) c of those.
        negative_cost: (machines,) c of the others.
    """
    order = np.argsort(values)
    x, own = values[order], np.ascontiguousarray(positive[order].T)
    powers = np.stack([np.ones(len(x)), x, x * x])
    machines = np.arange(len(own))
    sums, all_sums = np.zeros((3, len(own), len(x) + 1)), np.zeros((3, len(x) + 1))
    np.cumsum(powers[:, None] * own, axis=2, out=sums[:, :, 1:])
    np.cumsum(powers, axis=1, out=all_sums[:, 1:])

    def state(w: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The objective, and the weights (2, machines) that are best for the points within these margins."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.nan_to_num(np.stack([1.0 - b, -1.0 - b]) / w, nan=np.inf)
        lower, upper = (np.searchsorted(x, ends.ravel(), side).reshape(2, -1) for side in ("left", "right"))
        # Positive points are within where w x + b < 1, negative ones where it is more than -1.
        below, total = np.array([[True], [False]]) == (w > 0), len(x)
        flat = np.stack([b < 1.0, b > -1.0]) * total
        starts = np.where(w == 0, 0, np.where(below, 0, upper))
        stops = np.where(w == 0, flat, np.where(below, lower, total))
        inside = sums[:, machines, stops[0]] - sums[:, machines, starts[0]]
        outside = all_sums[:, stops[1]] - all_sums[:, starts[1]]
        outside -= sums[:, machines, stops[1]] - sums[:, machines, starts[1]]
        plus, minus = positive_cost * inside, negative_cost * outside
        s0, s1, s2 = plus + minus
        d0, d1 = plus[:2] - minus[:2]
        loss = s0 * (1 + b * b) + 2 * s1 * w * b + s2 * w * w - 2 * (d0 * b + d1 * w)
        a, e = 1 + 2 * s2, 1 + 2 * s0
        det = a * e - 4 * s1 * s1
        best = 2 * np.stack([e * d1 - 2 * s1 * d0, a * d0 - 2 * s1 * d1]) / det
        return 0.5 * (w * w + b * b) + loss, best

    at = np.zeros((2, len(machines)))
    objective, best = state(*at)
    for _ in range(STEPS):
        step = best - at
        if np.abs(step).max() < STILL:
            break
        length = np.ones(len(machines))
        while True:
            reached, next_best = state(*(at + length * step))
            worse = reached > objective + 1e-12 * np.abs(objective)
            if not worse.any() or length.min() < 1e-6:
                break
            length[worse] /= 2
        at, objective, best = at + length * step, reached, next_best
    return at[0], at[1]
