"""Large codes in blocks of columns: the scores of the functions on arrays."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from causal_disent import errors, score
from causal_disent import metrics as functions
from causal_disent.metrics import large

RNG = np.random.RandomState(0)
FACTORS = np.column_stack([RNG.randint(k, size=900) for k in (2, 5, 3)])
CODES = np.where(RNG.rand(900, 40) < 0.2, RNG.normal(size=(900, 40)), 0.0)
CODES[:, 3] = FACTORS[:, 1]  # a factor, of which 0 is a value
CODES[:, 4] = 1.0 + FACTORS[:, 2]  # nowhere 0
CODES[:, 5] += FACTORS[:, 0]
CODES[:, 6] = 0.0
CODES[:, 7] = np.where(FACTORS[:, 0] == 1, -2.5, 0.0)
CODES[:, 8] = 7.0
MATRICES = {
    "dense": CODES,
    "float32": CODES.astype(np.float32),
    "csr": sparse.csr_array(CODES),
    "csc": sparse.csc_matrix(CODES),
    "coo": sparse.coo_array(CODES),
}


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    monkeypatch.setattr(large, "LARGE", 0)
    monkeypatch.setattr(large, "BLOCK", 900 * 9 * large.BYTES_OF_ENTRY)  # nine dense codes


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("name", ["mig", "mig_sup", "dcimig", "jemmig", "irs", "uc", "mcc", "r2", "sap_score"])
def test_scores_are_those_of_arrays(name, kind):
    codes = MATRICES[kind]
    options = {"continuous_factors": True, "test": (CODES, FACTORS)} if name == "sap_score" else {}
    expected = getattr(functions, name)(CODES.astype(codes.dtype).astype(np.float64), FACTORS, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = large.MEASURED[name][0](large.as_large(codes), FACTORS)
    rounding = 1e-3 if (name, kind) == ("r2", "float32") else 1e-5
    assert found.score == pytest.approx(expected.score, abs=rounding)
    for attribute, value in vars(expected).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            np.testing.assert_allclose(getattr(found, attribute), value, atol=10 * rounding, err_msg=attribute)
        elif attribute in ("sets", "matches", "num_active_codes"):
            assert getattr(found, attribute) == value


@pytest.mark.parametrize("offset", [1e3, 1e5])
@pytest.mark.parametrize("name", ["mcc", "r2"])
def test_codes_in_single_precision_that_hardly_vary(name, offset):
    """One of them, far from 0 for its spread, must not spoil the regression on all."""
    codes = (np.random.RandomState(1).normal(size=(900, 40)) + np.where(np.arange(40) < 5, offset, 0)).astype(
        np.float32
    )
    found = large.MEASURED[name][0](codes, FACTORS)
    assert found.score == pytest.approx(
        getattr(functions, name)(codes.astype(np.float64), FACTORS).score, abs=1e-4
    )


def test_factors_of_many_values_take_no_more_memory(monkeypatch):
    """Of nearly empty codes a block would have them all, and a table of counts for each."""
    monkeypatch.setattr(large, "BLOCK", 2**22)
    monkeypatch.setattr(
        large, "run_in_processes", lambda jobs, calls, *_: (do(*given, **named) for do, given, named in calls)
    )
    drawn = np.random.RandomState(0)
    places = drawn.randint(900, size=1800), drawn.randint(2000, size=1800)
    codes = sparse.coo_array((drawn.rand(1800), places), shape=(900, 2000)).tocsc()
    factors = np.random.RandomState(0).randint(200, size=(900, 2))
    tracemalloc.start()
    found = [large.large_mig(codes, factors), large.large_irs(codes, factors)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * large.BLOCK
    expected = [function(codes.toarray(), factors).score for function in (functions.mig, functions.irs)]
    assert [one.score for one in found] == pytest.approx(expected)


def test_a_table_of_sparse_codes():
    found = score(sparse.csr_array(CODES), FACTORS, "all", progress=False)
    dense = score(pd.DataFrame(CODES).add_prefix("code "), FACTORS, ["mig", "irs", "mcc"], bootstrap=0, chance=0)
    for name in dense.results:
        assert found.table.loc[name, "score"] == pytest.approx(dense.table.loc[name, "score"], abs=1e-9)
    assert (
        set(large.MEASURED) <= set(found.results)
        and "squared correlations" in found.table.loc["sap_score", "remark"]
    )
    assert "900 points, 40 codes, 3 factors" in str(found) and any(
        "at a time" in note for note in found.points.notes
    )
    assert found.table["low"].isna().all()
    # Others get the array, where it is not too large.
    assert "factor_vae_score" in found.results


def test_intervals_and_chance_of_large_codes_where_they_are_asked_for():
    given = {"metrics": ["mig", "r2", "irs"], "bootstrap": 6, "chance": 6, "progress": False}
    found = score(sparse.csr_array(CODES), FACTORS, **given).table
    for name in given["metrics"]:
        assert found.loc[name, "low"] < found.loc[name, "score"] < found.loc[name, "high"]
        assert found.loc[name, "chance"] < found.loc[name, "score"] and found.loc[name, "share"] == 0


def test_an_array_that_is_too_large_is_not_made(monkeypatch):
    monkeypatch.setattr("causal_disent.runs.score.MOST_DENSE", 1000)
    found = score(sparse.csr_array(CODES), FACTORS, ["mig", "factor_vae_score"], progress=False)
    assert set(found.results) == {"mig"} and "array" in found.left_out["factor_vae_score"]


def test_trees_see_the_codes_with_the_most_information(monkeypatch):
    monkeypatch.setattr(large, "SCREENED", 6)
    found = large.large_dci(large.as_large(sparse.csr_array(CODES)), FACTORS)
    assert found.importance.shape == (40, 3) and np.count_nonzero(found.importance.any(axis=1)) <= 6
    assert {3, 4, 7} <= set(np.flatnonzero(found.importance.any(axis=1)))
    assert found.informativeness_test > 0.95


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(CODES)
    expected = large.large_mig(large.as_large(CODES), FACTORS).score
    for given in (tensor, tensor.to_sparse(), tensor.to_sparse_csr()):
        assert score(given, FACTORS, "mig", progress=False).table.loc["mig", "score"] == pytest.approx(expected)


@pytest.mark.parametrize(
    "codes",
    [
        sparse.csr_array((900, 5)),
        sparse.csr_array(np.where(CODES == 7, np.nan, CODES)),
        sparse.csr_array(np.where(CODES == 7, np.inf, CODES)),
        sparse.csr_array(CODES[:800]),
        sparse.csr_array(CODES * 1j),
    ],
)
def test_what_cannot_be_measured(codes):
    with pytest.raises(errors.InvalidInput):
        score(codes, FACTORS, progress=False)
