"""What stands in for disentanglement_lib's own functions."""

from pathlib import Path

import numpy as np
import pytest
from left_behind import BINS
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import mutual_info_score

from causal_disent import config
from causal_disent.compat import gin_names, utils

ROOT = Path(__file__).parents[2]


def test_points_come_from_the_code_table(small_data):
    from causal_disent.representation.code_table import CodeTable

    table = CodeTable.of(small_data, lambda images: images.reshape(len(images), -1).astype(np.float64))
    codes, factors = utils.generate_batch_factor_code(small_data, table, 100, np.random.RandomState(0), 16)
    assert codes.shape == factors.shape == (3, 100) and np.allclose(codes * 3, factors)
    assert small_data.num_observed == 12
    images = small_data.sample_observations(10, np.random.RandomState(0))
    assert (utils.obtain_representation(images, table, 4) == table(images).T).all()


def test_statistics_are_those_of_the_original(random_state):
    codes, factors = random_state.randint(5, size=(3, 60)), random_state.randint(4, size=(2, 60))
    expected = [[mutual_info_score(factor, code) for factor in factors] for code in codes]
    assert utils.discrete_mutual_info(codes, factors) == pytest.approx(np.array(expected))
    entropy = [mutual_info_score(factor, factor) for factor in factors]
    assert utils.discrete_entropy(factors) == pytest.approx(np.array(entropy))
    train, test = utils.split_train_test(codes, 0.71)
    assert train.shape == (3, 43) and (np.hstack([train, test]) == codes).all()


def test_normalised_rows():
    data = np.array([[1.0, 3.0], [2.0, 2.0]])
    normal, mean, deviation = utils.normalize_data(data)
    assert normal.tolist() == [[-1, 1], [0, 0]] and mean.tolist() == [2, 2] and deviation.tolist() == [1, 0]
    assert utils.normalize_data(data, mean=[1, 1], stddev=[2, 2])[0].tolist() == [[0, 1], [0.5, 0.5]]


def test_bins(random_state):
    codes, factors = random_state.rand(2, 40), random_state.randint(90, size=(2, 40))
    expected = np.array([np.digitize(row, np.histogram(row, 7)[1][:-1]) for row in codes])
    with config.gin_config([], BINS):
        assert (utils.make_discretizer(codes) == expected).all()
        assert utils.make_discretizer(factors).max() == 7
        assert utils.make_discretizer(codes, 3).max() == utils.make_discretizer(codes, num_bins=3).max() == 3
    with config.gin_config([], ["histogram_discretizer.num_bins = 7"]):
        assert (utils._histogram_discretize(codes) == expected).all()
    assert (utils._histogram_discretize(codes, num_bins=7) == expected).all()
    assert (utils.make_discretizer(codes, 7, utils._histogram_discretize) == expected).all()
    # Nothing bound: what is discrete stays.
    assert (utils.make_discretizer(factors) == factors).all() and utils.make_discretizer(codes).max() == 20


def test_predictors_are_those_of_gin_and_seeded():
    assert isinstance(utils.make_predictor_fn()(), GradientBoostingClassifier)
    assert utils.gradient_boosting_classifier().random_state == utils.SEED
    with config.gin_config([], ["predictor.predictor_fn = @logistic_regression_cv"]):
        make = utils.make_predictor_fn()
        assert type(make()).__name__ == type(utils.logistic_regression_cv()).__name__ == "LogisticRegressionCV"
        assert make.__name__ == "logistic_regression_cv"
    assert utils.make_predictor_fn("random_forest")().random_state == utils.SEED


def test_numbers_that_came_with_pictures(tmp_path):
    matrix = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert utils.precision(matrix, 0.5) == 2 and utils.recall(matrix, 0.85) == 1
    assert utils.dendrogram_plot(matrix.T, "nowhere", ["a", "b"]) == {"merge_0_1": 2.0}
    assert utils.namespaced_dict({"x": 1}, a={"b": 2}) == {"x": 1, "a.b": 2}
    utils.heat_square(matrix, str(tmp_path / "new"), "m", "codes", "factors", factor_names=["a", "b"])
    assert (tmp_path / "new/m.csv").read_text().splitlines()[0] == "a,b"
    assert utils.plot_recovery_vs_independent(matrix, str(tmp_path), "m") is None


def test_the_page_lists_what_is_offered():
    text = (ROOT / "docs/compatibility.md").read_text()
    section = text.partition("## An old metric file, unchanged")[2].partition("\n## ")[0]
    for module in gin_names.package_stand_ins().values():
        names = [name for name in vars(module) if not name.startswith("__")]
        assert all(f"`{name}`" in section for name in (module.__name__, *names))
