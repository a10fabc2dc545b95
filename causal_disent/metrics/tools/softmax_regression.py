"""Logistic regression of many classes, fast enough to be fitted once per factor.

The problem and its solver are those of scikit-learn's ``LogisticRegression()``: the mean log loss plus
``|weights|^2 / (2 n)``, intercepts free, solved by L-BFGS from zero to a gradient of 1e-4. So the fitted
classifier is the same up to rounding; the loss here works on whole rows of (classes, points), which is what
makes the difference in time.
"""

from __future__ import annotations

import numpy as np

from causal_disent.metrics.tools.convergence import count_fits
from causal_disent.protocols import FloatArray, IntArray

#: scikit-learn's: gradient, decrease, and steps of one line search at which it stops.
STOPPING = {"gtol": 1e-4, "ftol": 64 * np.finfo(np.float64).eps, "maxls": 50}


def fit_softmax_regression(
    points: FloatArray, labels: IntArray, num_classes: int, max_iterations: int = 100
) -> FloatArray:
    """Weights (classes, features + 1), the intercepts last.

    Args:
        points: (points, features), standardised.
        labels: (points,) from 0 to `num_classes` - 1.
        num_classes: at least two.
        max_iterations: after which it stops.
    """
    from scipy.optimize import minimize

    rows = _with_ones(points)
    # Two classes need one row of weights: scikit-learn penalises that alone, so the first stays zero.
    free = slice(1, 2) if num_classes == 2 else slice(0, num_classes)
    weights = np.zeros((num_classes, len(rows)))
    own = labels * len(points) + np.arange(len(points))  # where (classes, points), flat, holds a point's own class

    def loss_and_gradient(flat: FloatArray) -> tuple[float, FloatArray]:
        weights[free] = flat.reshape(weights[free].shape)
        scores = weights @ rows
        highest = scores.max(axis=0)
        own_scores = scores.ravel()[own]
        totals = _exponentiate(scores, highest)
        loss = np.mean(np.log(totals) + highest - own_scores)
        scores /= totals
        scores.ravel()[own] -= 1.0
        penalised = weights[free].copy()
        penalised[:, -1] = 0.0
        gradient = (scores[free] @ rows.T + penalised) / len(points)
        return float(loss + np.square(penalised).sum() / (2 * len(points))), gradient.ravel()

    start = np.zeros(weights[free].size)
    options = {**STOPPING, "maxiter": max_iterations}
    found = minimize(loss_and_gradient, start, method="L-BFGS-B", jac=True, options=options)
    count_fits(1, not found.success)
    weights[free] = found.x.reshape(weights[free].shape)
    return weights


def class_probabilities(weights: FloatArray, points: FloatArray) -> FloatArray:
    """(classes, points) from `fit_softmax_regression`'s weights."""
    scores = weights @ _with_ones(points)
    scores /= _exponentiate(scores, scores.max(axis=0))
    return scores


def _with_ones(points: FloatArray) -> FloatArray:
    """(features + 1, points), the last row all ones."""
    return np.vstack([points.T, np.ones(len(points))])


def _exponentiate(scores: FloatArray, highest: FloatArray) -> FloatArray:
    """Replace scores (classes, points) by exp(score - highest); their sums over the classes."""
    scores -= highest
    np.exp(scores, out=scores)
    return scores.sum(axis=0)
