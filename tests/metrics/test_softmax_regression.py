"""The regression is scikit-learn's, only faster."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from causal_disent.metrics.linear import class_probabilities, fit_softmax_regression


@pytest.mark.parametrize("num_classes", [2, 3, 7])
@pytest.mark.parametrize("noise", [0.1, 1.0, 100.0])
def test_probabilities_equal_scikit_learns(num_classes, noise, random_state):
    labels = random_state.randint(num_classes, size=600)
    points = random_state.normal(size=(600, 4)) * noise + labels[:, None] * [1, 0, -1, 0.5]
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    weights = fit_softmax_regression(points, labels, num_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 100 iterations are not always enough, there and here
        expected = LogisticRegression().fit(points, labels).predict_proba(points)
    assert np.abs(class_probabilities(weights, points) - expected.T).max() < 1e-6


def test_probabilities_sum_to_one_however_large_the_scores():
    weights = np.array([[1000.0, 0.0], [-1000.0, 5.0], [0.0, 0.0]])
    probabilities = class_probabilities(weights, np.array([[3.0], [-3.0], [0.0]]))
    assert np.allclose(probabilities.sum(axis=0), 1.0)


def test_points_without_features_get_the_classes_shares():
    labels = np.array([0, 0, 0, 1, 2, 2])
    probabilities = class_probabilities(fit_softmax_regression(np.empty((6, 0)), labels, 3), np.empty((1, 0)))
    assert np.allclose(probabilities[:, 0], [1 / 2, 1 / 6, 1 / 3], atol=1e-3)
