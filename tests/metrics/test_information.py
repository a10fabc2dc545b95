"""Tests of `causal_disent.metrics.information`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.metrics import mutual_info_score

from causal_disent import errors, get_metric, score
from causal_disent.adapter import bind
from causal_disent.config import gin_config
from causal_disent.data.array_data import ArrayDataset
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.metrics import dcimig, jemmig, mig, mig_sup, uc
from causal_disent.metrics.contract import binding
from causal_disent.metrics.information import (
    bin_codes_by_config,
    entropies,
    estimate_by_neighbours,
    estimate_number_information,
    mutual_information_matrix,
)
from causal_disent.metrics.irs_uc import mutual_information

# --- Entropy and mutual information against scikit-learn's


def by_scikit_learn(codes, factors):
    return np.array([[mutual_info_score(factor, code) for factor in factors.T] for code in codes.T])


columns = arrays(np.int64, st.tuples(st.integers(1, 40), st.just(5)), elements=st.integers(-3, 3))


@settings(max_examples=60, deadline=None)
@given(columns)
def test_equals_scikit_learn(rows):
    codes, factors = rows[:, :3], rows[:, 3:]
    assert np.allclose(
        mutual_information_matrix(codes, factors), by_scikit_learn(codes, factors), atol=1e-12, rtol=0
    )
    own = [mutual_info_score(factor, factor) for factor in factors.T]
    assert np.allclose(entropies(factors), own, atol=1e-12, rtol=0)


@settings(max_examples=30, deadline=None)
@given(columns)
def test_information_is_symmetric_and_at_most_the_entropy(rows):
    information = mutual_information_matrix(rows, rows)
    assert np.allclose(information, information.T, atol=1e-12)
    assert np.allclose(np.diag(information), entropies(rows), atol=1e-12)
    assert (information >= 0).all()
    assert (information <= np.diag(information)[None, :] + 1e-12).all()


def test_large_sample_equals_scikit_learn(random_state):
    factors = random_state.randint([5, 5, 3, 6, 16, 3], size=(10_000, 6))
    codes = (factors.sum(axis=1, keepdims=True) + random_state.randint(7, size=(10_000, 10))) % 20
    assert np.abs(mutual_information_matrix(codes, factors) - by_scikit_learn(codes, factors)).max() < 1e-12


@pytest.mark.parametrize("scale", [1, 10**12], ids=["many values", "far apart"])
def test_many_values_take_little_memory(scale):
    distinct = np.arange(20_000)[:, None] * scale  # a table of all pairs would have 4e8 cells
    assert mutual_information_matrix(distinct, distinct)[0, 0] == pytest.approx(np.log(20_000), abs=1e-12)


def test_values_may_be_any_numbers():
    words = np.array([[0.5, -7.25], [0.5, 1e9], [2.0, -7.25], [2.0, 1e9]])
    assert np.allclose(mutual_information_matrix(words, words), np.log(2) * np.eye(2))


def test_a_constant_column_says_exactly_nothing(random_state):
    codes = random_state.randint(9, size=(1000, 3))
    assert (mutual_information_matrix(codes, np.ones((1000, 1), dtype=int)) == 0).all()
    assert entropies(np.ones((1000, 1), dtype=int)) == 0


def test_the_attribution_is_the_matrix_of_codes_in_20_bins(random_state):
    factors = random_state.randint(4, size=(500, 2))
    codes = random_state.normal(size=(500, 3)) + factors[:, :1]
    expected = by_scikit_learn(bin_codes_by_config(codes), factors)
    assert np.allclose(mutual_information(codes, factors, random_state), expected, atol=1e-12)


def test_codes_are_binned_as_gin_says(random_state):
    codes = random_state.normal(size=(300, 2))
    assert bin_codes_by_config(codes).max() == 20
    with gin_config(bindings=["discretizer.num_bins = 7"]), binding(bind):
        assert bin_codes_by_config(codes).max() == 7
    bindings = ["discretizer.discretizer_fn = @histogram_discretizer", "discretizer.num_bins = 9"]
    with gin_config(bindings=bindings), binding(bind):
        assert bin_codes_by_config(codes).max() == 9


def test_a_discretizer_is_a_function():
    with (
        pytest.raises(errors.CausalDisentError, match="discretizer_fn must be a function.*given: 0.5"),
        gin_config(bindings=["discretizer.discretizer_fn = 0.5"]),
    ):
        pass


# --- Mutual information by nearest neighbours, beside scikit-learn's and closed forms

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
        assert estimate_number_information(one, other, k) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 0.99])
def test_gaussians_have_a_closed_form(correlation):
    x, y = RNG.normal(size=(2, 3000))
    found = estimate_number_information(x, correlation * x + np.sqrt(1 - correlation**2) * y, 10)
    assert found == pytest.approx(-0.5 * np.log(1 - correlation**2), abs=0.06)


def test_each_pair_by_what_its_columns_are():
    classes = RNG.randint(4, size=400)
    smooth = classes + 0.4 * RNG.normal(size=400)
    factors = np.column_stack([classes, smooth + RNG.normal(size=400), RNG.randint(3, size=400)])
    codes = np.column_stack([smooth, classes % 2])
    found = estimate_by_neighbours(codes, factors, ALL, 5, np.random.RandomState(0))
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
    with pytest.raises(InvalidInput, match="code_groups"):
        mig(CODES, UNIFORM, estimator="neighbours", code_groups=[[0, 1]])


def test_attribution_of_continuous_factors():
    found = uc(CODES, UNIFORM, attribution="neighbour_information")
    assert found.score == 1.0 and found.sets == [(1,), (2,), (0,)]


def test_a_table_of_continuous_factors():
    found = score(CODES, UNIFORM, ["mig", "irs", "mcc"], neighbours=10, bootstrap=10, chance=19)
    assert found.results["mig"].score == pytest.approx(mig(CODES, UNIFORM, estimator="neighbours").score)
    assert "10 nearest neighbours" in found.table.remark["mig"]
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
