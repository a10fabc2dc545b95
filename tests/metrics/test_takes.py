"""Continuous factors: refused, in bins, or taken as they are."""

import numpy as np
import pytest

from causal_disent import get_metric, score
from causal_disent.adapter import takers
from causal_disent.data.array_data import ArrayDataset
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.metrics import (
    dci,
    dcimig,
    equally_filled,
    factor_vae_score,
    infomec,
    irs,
    jemmig,
    mcc,
    mig,
    mig_sup,
    r2,
    tmex,
    uc,
)
from causal_disent.metrics.contract import continuous_columns
from causal_disent.metrics.tmex import generalised_covariance_test, projected_covariance_test
from causal_disent.registry import registry

RNG = np.random.RandomState(0)
UNIFORM = RNG.rand(600, 3)
CODES = UNIFORM + 0.02 * RNG.normal(size=UNIFORM.shape)
#: What codes = factors + 2 % noise score at least; 1 is not within reach of all (of 20 bins, say).
GOOD = {"sap_score": 0.9, "irs": 0.7, "jemmig": 0.55, "mig": 0.7, "mig_sup": 0.7, "dcimig": 0.7}


@pytest.mark.parametrize("name", sorted(takers()))
def test_good_codes_of_continuous_factors_score_well(name):
    found = score(CODES, UNIFORM, name, fast=True, bootstrap=0, chance=0)
    value = found.table.loc[name, "score"]
    assert value <= 0.2 if name == "tmex" else value > GOOD.get(name, 0.85)
    binned = "binned" in registry.get("metrics", name).facts["takes"]
    assert ("10 equally filled bins" in found.table.loc[name, "remark"]) == binned


@pytest.mark.parametrize("metric", [uc, mig, irs, factor_vae_score, infomec])
def test_a_function_refuses_what_it_does_not_take(metric):
    with pytest.raises(InvalidInput) as caught:
        metric(CODES, UNIFORM)
    said = str(caught.value)
    assert f"{metric.__name__} takes discrete factors" in said and "bins=10" in said and "equally_filled" in said
    assert metric(CODES, equally_filled(UNIFORM, 5)).score > 0.5


def test_dci_is_told_which_are_continuous():
    mixed = np.column_stack([UNIFORM[:, 0], UNIFORM[:, 1] > 0.5])
    with pytest.raises(InvalidInput, match="factor 0.*or say so, `continuous=...`"):
        dci(CODES, mixed, estimator="histogram_boosting")
    found = dci(CODES, mixed, continuous=[0], estimator="random_forest")
    assert found.disentanglement > 0.8 and found.informativeness_test > 0.95
    with pytest.raises(InvalidInput, match="`continuous` holds indices of factors, from 0 to 1; given: 2"):
        dci(CODES, mixed, continuous=[0, 2])
    noise = dci(RNG.normal(size=CODES.shape), UNIFORM, continuous=[0, 1, 2])
    assert noise.informativeness_test == 0.0


def test_what_counts_as_continuous():
    whole = np.arange(100)
    assert continuous_columns(np.column_stack([whole, whole // 2, whole // 3, whole % 7])) == [0]
    assert continuous_columns(np.column_stack([whole / 7, whole % 2])) == [0]
    assert continuous_columns(np.arange(10)[:, None]) == []  # too few to tell
    assert continuous_columns(np.linspace(0, 1, 10)[:, None]) == [0]
    assert continuous_columns(np.full((50, 1), np.nan)) == []


def test_equally_filled_bins_hold_equal_values_together():
    values = np.repeat([0.0, 1.0, 2.0], [50, 5, 5])[:, None]
    assert len(np.unique(equally_filled(values, 4, [0]))) <= 3
    assert np.bincount(equally_filled(UNIFORM, 6)[:, 0].astype(int)).tolist() == [100] * 6
    with pytest.raises(InvalidInput, match="`bins` must be a whole number, at least 2"):
        equally_filled(UNIFORM, 1)


@pytest.fixture(scope="module")
def data():
    images = np.zeros((400, 2, 2), dtype=np.float32)
    images[:, 0, 0], images[:, 1, 1] = UNIFORM[:400, 0], UNIFORM[:400, 1]
    return ArrayDataset(images, UNIFORM[:400, :2], factor_names=["x", "y"])


def encode(images):
    return np.asarray(images)[:, [0, 1], [0, 1], 0]


def test_data_sets_with_continuous_factors(data):
    with pytest.raises(InvalidInput, match=r"takes discrete.*x, y.*`evaluation.bins.*: dci, dci_es"):
        get_metric("uc")(data, encode, np.random.RandomState(0))
    binned = data.in_bins(8)
    assert binned.factors_num_values == [8, 8] and binned.continuous == [] and data.continuous == [0, 1]
    assert get_metric("uc")(binned, encode, np.random.RandomState(0), num_train=500)["UC"] == 1.0
    # Numbers, not their places among the values.
    assert get_metric("mcc")(data, encode, np.random.RandomState(0), num_train=500)["MCC_pearson"] > 0.9999
    assert get_metric("sap_score")(data, encode, np.random.RandomState(0), num_train=500)["SAP_score"] > 0.9
    np.testing.assert_array_equal(binned.factor_values(np.arange(5)), data.factor_values(np.arange(5)))


@pytest.mark.parametrize("metric", [dcimig, infomec, irs, jemmig, mcc, mig, mig_sup, r2, uc])
@pytest.mark.parametrize("convert", [np.float32, np.float16, "fortran", "strided", "list", "frame"])
def test_the_numbers_alone_decide(metric, convert):
    factors = RNG.randint(3, size=(120, 2))
    codes = (factors + RNG.normal(size=(120, 2))).astype(np.float16).astype(np.float64)
    other = {
        "fortran": np.asfortranarray,
        "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
        "list": lambda array: array.tolist(),
        "frame": lambda array: pytest.importorskip("pandas").DataFrame(array, columns=["a", "b"]),
    }.get(convert, lambda array: array.astype(convert))(codes)
    assert metric(other, factors).score == metric(codes, factors).score


def chain(seed, num=1200, noise=0.6):
    """Three numbers, each a cause of the next."""
    rng = np.random.RandomState(seed)
    a = rng.normal(size=num)
    b = 0.8 * a + noise * rng.normal(size=num)
    return np.column_stack([a, b, 0.7 * b - 0.5 * a + noise * rng.normal(size=num)])


def test_identity_codes_of_a_linear_model_are_exclusive():
    found = [tmex(chain(seed), chain(seed)).mismatches for seed in range(6)]
    assert max(found) <= 1 and np.mean(found) <= 0.5
    mixed = tmex(chain(0) @ np.array([[1, 0.5, 0], [0, 1, 0.5], [0.5, 0, 1]]), chain(0))
    assert mixed.mismatches >= 2


@pytest.mark.parametrize("test", [generalised_covariance_test, projected_covariance_test])
def test_the_level_of_residual_tests(test):
    """Codes with noise of their own depend on their factor alone; level 5 %, 3 deviations above."""
    columns, rejected, found = np.array([0, 1, 2]), 0, 0
    for seed in range(60):
        factors = chain(seed, 500)
        target = factors[:, 0] + np.random.RandomState(seed + 1000).normal(size=500)
        p_values = test(target, factors, columns, np.random.RandomState(seed))
        rejected += (p_values[1:] < 0.05).sum()
        found += p_values[0] < 0.05
    assert rejected <= 120 * 0.05 + 3 * np.sqrt(120 * 0.05) and found == 60


def test_even_functions_need_the_projected_test():
    factors = RNG.normal(size=(1000, 2))
    args = factors[:, 0] ** 2, factors, np.array([0]), np.random.RandomState(0)
    assert projected_covariance_test(*args)[0] < 0.01 < generalised_covariance_test(*args)[0]


def test_tmex_warns_where_its_test_is_not_valid():
    factors = chain(0, 300, noise=0.1)
    with pytest.warns(UserWarning, match="without `redraw` the randomisation test finds dependences"):
        found = tmex(factors, factors, independence_test="randomization", expected=np.eye(3))
    assert (found.measured & ~found.expected).sum() >= 2  # which the default does not find
    with pytest.warns(UserWarning, match="need some 400 points"):
        assert (tmex(factors, factors, expected=np.eye(3)).measured & ~np.eye(3, dtype=bool)).sum() <= 1
    with pytest.warns(UserWarning, match="residual test need some 400 points"):
        tmex(chain(0, 100), chain(0, 100))
    with pytest.raises(
        UnknownName, match="Unknown `independence_test` 'gcm'. There are: randomization, projected"
    ):
        tmex(chain(0, 100), chain(0, 100), independence_test="gcm")


def test_irs_below_zero():
    factor = np.repeat([0, 1], 500)[:, None]
    code = np.where(np.arange(1000)[:, None] % 10 == 0, 1 - factor, factor)
    assert irs(code.astype(float), factor).score == pytest.approx(-0.8)


def test_mcc_takes_them_as_they_are():
    assert mcc(CODES, UNIFORM).score > 0.99
