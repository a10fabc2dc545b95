"""Mutual information by nearest neighbours, beside scikit-learn's and closed forms."""

import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from causal_disent import get_metric, score
from causal_disent.data.array_data import ArrayDataset
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.metrics import dcimig, jemmig, mig, mig_sup, uc
from causal_disent.metrics.information import neighbour_information, number_information

RNG = np.random.RandomState(0)
UNIFORM = RNG.rand(500, 3)
CODES = UNIFORM[:, [2, 0, 1]] + 0.02 * RNG.normal(size=(500, 3))
METRICS = [mig, mig_sup, jemmig, dcimig]
ALL = np.arange(3)


@pytest.mark.parametrize("k", [3, 10])
def test_numbers_with_numbers_as_scikit_learn_has_it(k):
    x, y = RNG.normal(size=(2, 400))
    for one, other in ((x, x + y), (x, y), (np.exp(x), x**2 + 0.1 * y)):
        one, other = one / one.std(), other / other.std()
        expected = mutual_info_regression(one[:, None], other, n_neighbors=k, random_state=0)[0]
        assert number_information(one, other, k) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 0.99])
def test_gaussians_have_a_closed_form(correlation):
    x, y = RNG.normal(size=(2, 3000))
    found = number_information(x, correlation * x + np.sqrt(1 - correlation**2) * y, 10)
    assert found == pytest.approx(-0.5 * np.log(1 - correlation**2), abs=0.06)


def test_each_pair_by_what_its_columns_are():
    classes = RNG.randint(4, size=400)
    smooth = classes + 0.4 * RNG.normal(size=400)
    factors = np.column_stack([classes, smooth + RNG.normal(size=400), RNG.randint(3, size=400)])
    codes = np.column_stack([smooth, classes % 2])
    found = neighbour_information(codes, factors, ALL, 5, np.random.RandomState(0))
    expected = mutual_info_classif(smooth[:, None], classes, n_neighbors=5, random_state=0)[0]
    assert found.matrix[0, 0] == pytest.approx(expected, abs=1e-6)
    expected = mutual_info_regression(smooth[:, None], factors[:, 1], n_neighbors=5, random_state=0)[0]
    assert found.matrix[0, 1] == pytest.approx(expected, abs=1e-6)
    expected = mutual_info_classif(factors[:, [1]], codes[:, 1], n_neighbors=5, random_state=0)[0]
    assert found.matrix[1, 1] == pytest.approx(expected, abs=1e-6)
    assert found.matrix[1, 0] == pytest.approx(found.code_entropies[1])  # counted: a function of the classes


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_continuous_factors_are_taken_as_they_are(metric):
    with pytest.raises(InvalidInput, match="or as they are, `estimator='neighbours'`"):
        metric(CODES, UNIFORM)
    exact, good, noise = (
        metric(codes, UNIFORM, estimator="neighbours").score
        for codes in (UNIFORM * [[1, 3, 5]], CODES, RNG.rand(500, 3))
    )
    # Exact codes say all that cells of ten points can hold.
    assert 1 >= exact > 0.97 > good > 0.4 and noise < 0.1


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_discrete_columns_are_counted(metric):
    v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    assert metric(v, v, estimator="neighbours").score == pytest.approx(1.0)


def test_the_numbers_alone_decide():
    one, other = (mig(codes, UNIFORM, estimator="neighbours").score for codes in (CODES, CODES.tolist()))
    assert one == other
    assert mig(-5 * CODES, UNIFORM, estimator="neighbours").score == pytest.approx(one, abs=1e-6)


def test_strange_arguments():
    with pytest.raises(UnknownName, match="neighbours"):
        mig(CODES, UNIFORM > 0.5, estimator="neighbors")
    with pytest.raises(InvalidInput, match="less than the number of points, 500; given: 500"):
        mig(CODES, UNIFORM, estimator="neighbours", num_neighbours=500)
    with pytest.raises(InvalidInput, match="`code_groups` are for the estimator 'bins'"):
        mig(CODES, UNIFORM, estimator="neighbours", code_groups=[[0, 1]])


def test_attribution_of_continuous_factors():
    found = uc(CODES, UNIFORM, attribution="neighbour_information")
    assert found.score == 1.0 and found.sets == [(1,), (2,), (0,)]


def test_a_table_of_continuous_factors():
    found = score(CODES, UNIFORM, ["mig", "irs", "mcc"], neighbours=10, bootstrap=10, chance=19)
    assert found.results["mig"].score == pytest.approx(mig(CODES, UNIFORM, estimator="neighbours").score)
    assert found.table.remark["mig"] == "information by 10 nearest neighbours"
    assert "10 equally filled bins" in found.table.remark["irs"]
    assert found.table.low["mig"] < found.table.score["mig"] < found.table.high["mig"]
    binned = score(CODES, UNIFORM, ["mig"], bootstrap=0, chance=0)
    assert "10 equally filled bins (`neighbours=10` takes them as they are)" in binned.table.remark["mig"]


def test_text_beside_continuous_factors():
    factors = {"angle": UNIFORM[:, 0], "shape": np.array(["cube", "ball", "cone"])[RNG.randint(3, size=500)]}
    found = score(CODES, factors, ["mig"], neighbours=5, bootstrap=0, chance=0)
    assert list(found.results) == ["mig"]


def test_a_data_set_with_continuous_factors():
    images = UNIFORM.reshape(-1, 1, 3, 1).astype(np.float32)
    data = ArrayDataset(images, {f"f{i}": UNIFORM[:, i] for i in range(3)})
    mean = lambda images: images.reshape(len(images), 3)  # noqa: E731
    with pytest.raises(InvalidInput, match="`estimator='neighbours'`"):
        get_metric("mig")(data, mean, np.random.RandomState(0), num_train=300)
    found = get_metric("mig")(data, mean, np.random.RandomState(0), num_train=300, estimator="neighbours")
    assert found["discrete_mig"] > 0.7
