"""The trees beside scikit-learn's own, on data of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier

from causal_disent.metrics import boosting as exact_boosting
from causal_disent.metrics.boosting import ExactBoosting
from causal_disent.metrics.dci import dci

STAGES = 8


@pytest.fixture(autouse=True)
def _grown_here(monkeypatch):
    """Small data too are not left to scikit-learn."""
    pytest.importorskip("numba", reason="the trees are scikit-learn's own without numba")
    monkeypatch.setattr(exact_boosting, "WORTH_COMPILED", 0)


@pytest.fixture
def growers(monkeypatch):
    """Every grower that a test makes."""
    made, before = [], exact_boosting._ExactGrower.__init__

    def remember(self, *args):
        before(self, *args)
        made.append(self)

    monkeypatch.setattr(exact_boosting._ExactGrower, "__init__", remember)
    return made


def kinds_of_codes(generator, num):
    """Codes (points, columns) by what is peculiar about them."""
    normal = generator.normal(size=(num, 5))
    drawn = generator.randint(num // 3 + 1, size=num)
    return {
        "continuous": normal,
        "images drawn more than once": normal[drawn],
        "columns twice and reversed": np.column_stack([normal[:, :2], normal[:, :2], -normal[:, :2]]),
        "half of them zero": np.maximum(normal, 0),
        "rounded": normal.round(1),
        "few values": normal.round(),
        "constant or nearly": np.column_stack([normal[:, :2], np.zeros(num), 1 + 1e-7 * normal[:, 2]]),
        "tiny": normal * 1e-6,
        "huge": normal * 1e30,
    }


KINDS = list(kinds_of_codes(np.random.RandomState(0), 6))


def assert_same_trees(ours, theirs):
    for own, other in zip(ours.estimators_.ravel(), theirs.estimators_.ravel(), strict=True):
        nodes, expected = own.tree_.__getstate__()["nodes"], other.tree_.__getstate__()["nodes"]
        for name in set(expected.dtype.names) - {"impurity"}:
            np.testing.assert_array_equal(nodes[name], expected[name], err_msg=name)
        np.testing.assert_allclose(nodes["impurity"], expected["impurity"], atol=1e-12)
        np.testing.assert_allclose(own.tree_.value, other.tree_.value, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


def fitted(make, codes, labels, seed, **settings):
    return make(random_state=seed, **{"n_estimators": STAGES, **settings}).fit(codes, labels)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), num=st.integers(6, 200), classes=st.integers(2, 5))
def test_same_trees(kind, seed, num, classes):
    generator = np.random.RandomState(seed)
    codes = kinds_of_codes(generator, num)[kind]
    blurred = codes[:, 0] / np.abs(codes).max() * classes + generator.normal(size=num) * 0.3
    labels = np.digitize(blurred, np.quantile(blurred, np.arange(1, classes) / classes))
    assert_same_trees(
        fitted(ExactBoosting, codes, labels, seed), fitted(GradientBoostingClassifier, codes, labels, seed)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_same_trees_of_many_points(kind):
    generator = np.random.RandomState(1)
    codes = kinds_of_codes(generator, 3000)[kind]
    labels = generator.randint(3, size=3000) + (codes[:, 0] > 0)
    ours, theirs = (fitted(make, codes, labels, 7) for make in (ExactBoosting, GradientBoostingClassifier))
    assert_same_trees(ours, theirs)
    np.testing.assert_array_equal(ours.predict(codes), theirs.predict(codes))
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_)


def test_perfect_codes():
    factors = np.random.RandomState(2).randint(4, size=(500, 4))
    for codes in (factors, factors + np.random.RandomState(3).normal(size=factors.shape) * 0.05):
        assert_same_trees(
            fitted(ExactBoosting, codes, factors[:, 0], 0),
            fitted(GradientBoostingClassifier, codes, factors[:, 0], 0),
        )


def test_continuous_codes_are_all_decided_here(growers):
    codes = np.random.RandomState(4).normal(size=(400, 3))
    fitted(ExactBoosting, codes, (codes[:, 0] > 0).astype(int), 0)
    assert (growers[0].num_trees, growers[0].num_left) == (STAGES, 0)


def test_choices_too_close_are_left_to_scikit_learn(growers):
    factors = np.random.RandomState(5).randint(4, size=(500, 4))
    fitted(ExactBoosting, factors, factors[:, 0], 0, n_estimators=20)
    assert growers[0].num_left == growers[0].num_trees == exact_boosting.TRIED < 20 * 4


@pytest.mark.parametrize(
    "settings", [{"subsample": 0.5}, {"max_features": 1}, {"max_depth": None}, {"max_depth": 9}]
)
def test_other_settings_are_left_to_scikit_learn(settings, growers):
    codes = np.random.RandomState(6).normal(size=(60, 3))
    labels = np.arange(60) % 2
    ours, theirs = (
        fitted(make, codes, labels, 0, **settings) for make in (ExactBoosting, GradientBoostingClassifier)
    )
    assert_same_trees(ours, theirs)
    assert not growers


def test_weights_are_left_to_scikit_learn(growers):
    codes, labels = np.random.RandomState(7).normal(size=(60, 3)), np.arange(60) % 2
    ExactBoosting(n_estimators=2).fit(codes, labels, sample_weight=np.arange(1.0, 61))
    assert not growers


def test_one_stump_by_hand():
    model = ExactBoosting(n_estimators=1, max_depth=1, random_state=0).fit(
        [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    )
    stump = model.estimators_[0, 0].tree_
    assert stump.threshold[0] == 2.0
    # One half each at first: the step is the mean residual over p (1 - p), so -0.5 / 0.25 on the left.
    assert stump.value.ravel().tolist() == [0.0, -2.0, 2.0]


def test_without_numba(monkeypatch, growers):
    codes, labels = np.random.RandomState(8).normal(size=(60, 3)), np.arange(60) % 3
    monkeypatch.setattr(exact_boosting, "find_spec", lambda name: None)
    assert_same_trees(
        fitted(ExactBoosting, codes, labels, 0), fitted(GradientBoostingClassifier, codes, labels, 0)
    )
    assert not growers


def test_dci_has_the_scores_of_scikit_learn(growers):
    generator = np.random.RandomState(9)
    factors = generator.randint(3, size=(300, 2))
    codes = factors @ generator.normal(size=(2, 3)) + generator.normal(size=(300, 3)) * 0.3
    ours = dci(codes, factors, random_state=0, num_jobs=1)
    assert growers
    theirs = dci(codes, factors, random_state=0, num_jobs=1, estimator=GradientBoostingClassifier)
    np.testing.assert_allclose(ours.importance, theirs.importance, atol=1e-9)
    assert ours.informativeness_test == theirs.informativeness_test
