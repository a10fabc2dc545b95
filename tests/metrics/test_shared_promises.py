"""What the metrics of correlation, information and probes promise alike."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from causal_disent import adapter, errors
from causal_disent.data.dummy import IdentityData
from causal_disent.metrics import irs, mig
from causal_disent.metrics.dci import dci_es
from causal_disent.metrics.gaps import dcimig, jemmig, mig_sup
from causal_disent.metrics.infomec import infomec
from causal_disent.metrics.linear import mcc, r2

HELD_OUT = (dci_es, r2)
ON_ONE_SAMPLE = (dcimig, infomec, jemmig, mcc, mig_sup)
COMPUTED = {
    dci_es: "DCI_ES_explicitness",
    dcimig: "DCIMIG",
    infomec: "InfoE",
    jemmig: "JEMMIG",
    mcc: "MCC_pearson",
    mig_sup: "MIG_sup",
    r2: "R2",
}
GRID = np.stack(np.unravel_index(np.arange(120) % 12, (3, 4)), axis=1)
WITH_NAN = np.where(np.arange(240).reshape(120, 2) == 13, np.nan, GRID)


def call(metric, codes, factors):
    """`metric` of these points; one that needs test points gets the same again."""
    return metric(codes, factors, test=(codes, factors)) if metric in HELD_OUT else metric(codes, factors)


def computed(metric, encode, seed):
    """What the metric reports of a few drawn points."""
    sizes = {"num_train": 300, "num_test": 150} if metric in HELD_OUT else {"num_train": 300}
    return adapter.on_data(metric)(IdentityData(), encode, np.random.RandomState(seed), **sizes)


@pytest.mark.parametrize("metric", HELD_OUT + ON_ONE_SAMPLE)
@pytest.mark.parametrize(
    ("codes", "factors", "message"),
    [
        (GRID[:-1], GRID, "must describe the same points; given: 119 and 120 rows"),
        (WITH_NAN, GRID, "`codes` must be finite; point 6 has nan in column 1"),
        (np.empty((0, 2)), np.empty((0, 2)), r"`codes` must have shape \(points, codes\)"),
        (GRID.astype(str), GRID, "`codes` must"),
        (GRID, np.zeros_like(GRID), "needs a factor that varies; all 2 are constant"),
    ],
)
def test_bad_inputs(metric, codes, factors, message):
    with pytest.raises(errors.InvalidInput, match=message):
        call(metric, codes, factors)


@pytest.mark.parametrize("metric", HELD_OUT + ON_ONE_SAMPLE)
def test_a_factor_that_never_varies_is_left_out_with_a_warning(metric):
    with_constant = np.column_stack([GRID[:, 0], np.full(len(GRID), 7), GRID[:, 1]])
    with pytest.warns(UserWarning, match="leaves out factors that never vary: 1"):
        found = call(metric, GRID.astype(float), with_constant)
    expected = call(metric, GRID.astype(float), GRID)
    assert found.score == pytest.approx(expected.score)


@pytest.mark.parametrize("metric", (dcimig, infomec, mig_sup))
def test_comparing_factors_takes_two(metric):
    with pytest.raises(errors.InvalidInput, match="At least 2 factors are needed; given: 1"):
        metric(GRID, GRID[:, :1])
    one_varies = np.column_stack([GRID[:, 0], np.zeros(len(GRID))])
    with (
        pytest.warns(UserWarning, match="never vary"),
        pytest.raises(errors.InvalidInput, match="needs at least 2 factors that vary; of 2 given, 1 does"),
    ):
        metric(GRID, one_varies)


@pytest.mark.parametrize("metric", (dcimig, infomec, jemmig, mig_sup))
@pytest.mark.parametrize("num_bins", (1, 2.5, True))
def test_bad_numbers_of_bins(metric, num_bins):
    with pytest.raises(errors.InvalidInput, match="`num_bins` must be a whole number"):
        metric(GRID, GRID, num_bins=num_bins)


@pytest.mark.parametrize("metric", COMPUTED)
def test_computed_from_data(metric):
    scores = computed(metric, np.asarray, 0)
    assert COMPUTED[metric] in scores
    assert all(type(value) is float and np.isfinite(value) for value in scores.values())
    if metric is not mig_sup:  # a mean over codes, whose gaps it lists instead
        assert sum("_factor_factor_3" in key for key in scores) >= 1


@pytest.mark.parametrize("metric", COMPUTED)
def test_same_seed_same_score_and_the_global_generators_rest(metric):
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    before = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    runs = [computed(metric, lambda x: np.tanh(x - 5.0), 3) for _ in range(2)]
    assert runs[0] == runs[1]
    assert (np.random.get_state()[1] == before[0]).all()  # noqa: NPY002
    assert random.getstate() == before[1]


@pytest.mark.parametrize("metric", HELD_OUT)
def test_too_few_test_points(metric):
    with pytest.raises(errors.InvalidInput, match="`num_test` must be a whole number, at least 2; given: 0"):
        adapter.on_data(metric)(IdentityData(), np.asarray, np.random.RandomState(0), num_train=10, num_test=0)


FACTORS_AS = {
    "one column": (GRID[:, 0], GRID[:, :1]),
    "text": (GRID.astype(str), GRID),
    "uint64": (GRID.astype(np.uint64) + np.uint64(2**63), GRID),
    "dates": (pd.DataFrame(np.datetime64("2020-01-01", "D") + GRID.astype("timedelta64[D]")), GRID),
    "columns with names": ({"a": GRID[:, 0], "b": GRID[:, 1]}, GRID),
}


@pytest.mark.parametrize("kind", FACTORS_AS)
def test_factors_of_any_kind(kind):
    given, numbers = FACTORS_AS[kind]
    codes = GRID + 0.1 * np.random.default_rng(0).normal(size=GRID.shape)
    assert irs(codes, given).score == pytest.approx(irs(codes, numbers).score)
    assert mig(codes, given).score == pytest.approx(mig(codes, numbers).score)


@pytest.mark.parametrize(
    ("option", "plain"),
    [
        ({"diff_quantile": Fraction(3, 4)}, {"diff_quantile": 0.75}),
        ({"diff_quantile": np.array(0.75)}, {"diff_quantile": 0.75}),
        ({"diff_quantile": Decimal("0.75")}, None),
    ],
)
def test_fractions_and_arrays_of_one_number_are_numbers(option, plain):
    codes = GRID + np.linspace(0, 0.3, len(GRID))[:, None]
    if plain is None:  # Python does not count decimals among real numbers
        with pytest.raises(errors.InvalidInput, match="diff_quantile"):
            irs(codes, GRID, **option)
    else:
        assert irs(codes, GRID, **option).score == irs(codes, GRID, **plain).score
