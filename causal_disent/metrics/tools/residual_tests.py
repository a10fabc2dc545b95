"""Tests of conditional independence of continuous factors: do residuals go together?"""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np

from causal_disent.metrics.tools.linear_probe import predict_linear, random_features, standardise
from causal_disent.protocols import FloatArray, IntArray

#: Random features of a regression, of which there is one for so many points, up to a number.
POINTS_PER_FEATURE, MOST_FEATURES = 20, 128
#: What is left of less than this part of a variance is the error of the regression.
NOTHING = 1e-6


def generalised_covariance_test(
    target: FloatArray, factors: FloatArray, columns: IntArray, random_state: np.random.RandomState
) -> FloatArray:
    r"""Does a target go with a factor, given the others? The p-value for each of several factors.

    .. math:: T = \frac{\sqrt n\, \bar R}{\operatorname{sd} R}, \qquad
        R = (Y - \hat E[Y | G_{\setminus i}]) (G_i - \hat E[G_i | G_{\setminus i}])

    This is the generalised covariance measure (Shah and Peters 2020, arXiv:1804.07203): T is standard normal where
    the target does not depend on factor i given the others. A dependence that leaves no covariance, as of an even
    function, is not found.

    Args:
        target: (points,) floats.
        factors: (points, factors) numbers.
        columns: which of the factors to test.
        random_state: of the features that the regressions are linear in.

    Returns:
        (columns,) in [0, 1]; small where the target depends on the factor.

    Example:
        >>> g = np.random.RandomState(0).normal(size=(400, 2))
        >>> generalised_covariance_test(g[:, 0], g, np.array([0, 1]), np.random.RandomState(0)).round(3).tolist()
        [0.0, 1.0]
    """
    found = []
    for column in columns:
        left = _residuals(
            np.delete(factors, column, axis=1), np.column_stack([target, factors[:, column]]), random_state
        )
        found.append(1.0 if left is None else erfc(abs(_statistic(left)) / sqrt(2)))
    return np.array(found)


def projected_covariance_test(
    target: FloatArray, factors: FloatArray, columns: IntArray, random_state: np.random.RandomState
) -> FloatArray:
    r"""The same of a function of the factors that is learnt to go with the target: finds dependence of any form.

    .. math:: R = (Y - \hat E[Y | G_{\setminus i}]) (\hat f(G) - \hat E[\hat f(G) | G_{\setminus i}]), \qquad
        \hat f \approx E[Y | G]

    with :math:`\hat f` fitted on one half of the points and T taken on the other, one-sided: the projected
    covariance measure (Lundborg et al. 2024, arXiv:2211.02039) with least squares for all regressions.

    Example:
        >>> g = np.random.RandomState(0).normal(size=(400, 2))
        >>> both = np.array([0, 1])
        >>> projected_covariance_test(g[:, 0] ** 2, g, both, np.random.RandomState(0)).round(2).tolist()
        [0.0, 1.0]
    """
    order = random_state.permutation(len(target))
    first, second = order[: len(target) // 2], order[len(target) // 2 :]
    fitted, inputs = _features(factors[first], factors[second], random_state)
    learnt = predict_linear(fitted, target[first][:, None], inputs)[:, 0]
    found = []
    for column in columns:
        others = np.delete(factors[second], column, axis=1)
        left = _residuals(others, np.column_stack([target[second], learnt]), random_state)
        found.append(1.0 if left is None else 0.5 * erfc(_statistic(left) / sqrt(2)))
    return np.array(found)


def _features(
    train: FloatArray, test: FloatArray, random_state: np.random.RandomState
) -> tuple[FloatArray, FloatArray]:
    width = min(MOST_FEATURES, len(train) // POINTS_PER_FEATURE)
    return random_features(*standardise(train, test), width, random_state)


def _residuals(inputs: FloatArray, outputs: FloatArray, random_state: np.random.RandomState) -> FloatArray | None:
    """What a regression leaves of two outputs (points, 2); None if it leaves nothing of one."""
    features = _features(inputs, inputs, random_state)[0]
    left = outputs - predict_linear(features, outputs, features)
    return None if (left.var(axis=0) <= NOTHING * outputs.var(axis=0)).any() else left


def _statistic(residuals: FloatArray) -> float:
    products = residuals.prod(axis=1)
    return float(sqrt(len(products)) * products.mean() / products.std())
