"""Boosted trees on binned codes: the model and the importances of scikit-learn's."""

import numpy as np
import pytest
from fitting_promises import mixture
from sklearn.ensemble import GradientBoostingClassifier

from causal_disent import errors
from causal_disent.metrics.boosting import ExactBoosting, HistogramBoosting, bin_edges


@pytest.mark.parametrize("num_values", [2, 3, 5])
def test_few_distinct_values_give_the_same_trees(num_values):
    generator = np.random.RandomState(0)
    codes = np.round(generator.normal(size=(1200, 4)) * 30)
    scores = codes[:, 0] + codes[:, 1] * (codes[:, 2] > 0) + 60 * generator.normal(size=1200)
    labels = np.digitize(scores, np.quantile(scores, np.arange(1, num_values) / num_values))
    assert max(len(np.unique(column)) for column in codes.T) <= 255
    # Where splits are equally good both draw lots, with the same odds; some seeds draw the same.
    seeds = range(8)
    ours = [HistogramBoosting(num_stages=3, random_state=seed).fit(codes, labels) for seed in seeds]
    theirs = [GradientBoostingClassifier(n_estimators=3, random_state=seed).fit(codes, labels) for seed in seeds]
    apart = [[np.abs(a.feature_importances_ - b.feature_importances_).max() for b in theirs] for a in ours]
    first, second = np.unravel_index(np.argmin(apart), (8, 8))
    assert apart[first][second] < 1e-6
    np.testing.assert_array_equal(ours[first].predict(codes), theirs[second].predict(codes))


def test_bins_change_little():
    codes, factors = mixture(1500)
    test_codes, test_factors = mixture(500, seed=1)
    ours = HistogramBoosting(random_state=0).fit(codes, factors[:, 2])
    theirs = GradientBoostingClassifier(random_state=0).fit(codes, factors[:, 2])
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.02)
    accuracy = [np.mean(model.predict(test_codes) == test_factors[:, 2]) for model in (ours, theirs)]
    assert accuracy[0] == pytest.approx(accuracy[1], abs=0.03)


def test_more_classes_than_are_grown_at_once():
    labels = np.arange(600) % 40
    codes = labels[:, None] + 0.1 * np.random.RandomState(0).normal(size=(600, 2))
    assert (
        np.mean(HistogramBoosting(num_stages=20, random_state=0).fit(codes, labels).predict(codes) == labels) > 0.9
    )


def test_values_of_the_factor_come_back():
    codes = np.arange(20.0)[:, None]
    labels = np.where(codes[:, 0] < 7, -3, 11)
    model = HistogramBoosting(random_state=0).fit(codes, labels)
    np.testing.assert_array_equal(model.predict(codes), labels)
    np.testing.assert_array_equal(model.classes_, [-3, 11])


def test_equal_codes_share_the_importance():
    labels = np.arange(300) % 3
    codes = np.random.RandomState(0).normal(size=(300, 1)) + labels[:, None]
    importances = HistogramBoosting(random_state=0).fit(codes.repeat(2, axis=1), labels).feature_importances_
    assert abs(importances[0] - 0.5) < 0.25 and importances.sum() == pytest.approx(1)


def test_a_split_without_gain_still_parts_the_points():
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    exclusive_or = corners.sum(axis=1) % 2
    model = HistogramBoosting(random_state=0).fit(corners, exclusive_or)
    np.testing.assert_array_equal(model.predict(corners), exclusive_or)


def test_constant_codes_have_no_importance():
    model = HistogramBoosting(random_state=0).fit(np.ones((10, 2)), np.arange(10) % 2)
    np.testing.assert_array_equal(model.feature_importances_, [0, 0])
    assert len(model.predict(np.ones((3, 2)))) == 3


def test_codes_that_single_precision_makes_constant():
    codes, factors = mixture(60)
    with pytest.warns(UserWarning, match="codes 0 do not vary"):
        ExactBoosting(n_estimators=1).fit(codes + [1e12, *[0] * (codes.shape[1] - 1)], factors[:, 0])


def test_bin_edges_of_many_values():
    edges = bin_edges(np.arange(1000.0), 4)
    np.testing.assert_array_equal(edges, [249.5, 499.5, 749.5])
    assert len(bin_edges(np.r_[np.zeros(900), np.arange(100.0)], 10)) < 10


def test_a_generator_is_taken_as_a_seed():
    codes, factors = mixture(200)
    codes = codes.repeat(2, axis=1)
    seeded = [
        HistogramBoosting(num_stages=5, random_state=np.random.RandomState(3)).fit(codes, factors[:, 0])
        for _ in range(2)
    ]
    np.testing.assert_array_equal(seeded[0].feature_importances_, seeded[1].feature_importances_)


def test_messages():
    with pytest.raises(errors.InvalidInput, match="needs at least two values; given: one"):
        HistogramBoosting().fit(np.ones((3, 1)), np.zeros(3))
    with pytest.raises(errors.InvalidInput, match="`num_bins` is from 2 to 256; given: 300"):
        HistogramBoosting(num_bins=300).fit(np.ones((3, 1)), np.arange(3))
