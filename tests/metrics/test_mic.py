import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors, metrics
from causal_disent.metrics import mic as module
from causal_disent.metrics import mic_floor, mic_matrix, mic_statistics
from causal_disent.metrics.mic import equipartition

REFERENCE = Path(__file__).parents[1] / "reference"
ESTIMATORS = ("mic_approx", "mic_e")
CASES = [
    case
    for name in ("mic_reference.json", "mic_cases_more.json")
    for case in json.loads((REFERENCE / name).read_text())["cases"]
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_as_the_c_library(case, estimator):
    names = {"np": np}
    exec(case["code"], names)
    x, y, check, wanted = names["x"], names["y"], case["check"], case[estimator]
    assert (x.sum(), y.sum()) == pytest.approx((check["sum_x"], check["sum_y"]), rel=1e-6)
    assert (len(np.unique(x)), len(np.unique(y))) == (check["unique_x"], check["unique_y"])
    result = mic_statistics(x, y, alpha=case.get("alpha", 0.6), c=case.get("c", 15), estimator=estimator)
    assert result.mic == pytest.approx(wanted["mic"], abs=1e-9)
    assert result.tic == pytest.approx(wanted["tic_raw"], abs=1e-9)
    assert result.tic_normalised == pytest.approx(wanted["tic_norm"], abs=1e-9)
    assert np.isfinite(result.cells).sum() == wanted["n_cells"]
    if wanted.get("char_matrix"):
        for row, values in zip(result.cells, wanted["char_matrix"], strict=True):
            assert row[np.isfinite(row)] == pytest.approx(values, abs=1e-9)


def test_there_are_all_the_cases():
    assert len(CASES) == 28 and sum(bool(case["mic_e"].get("char_matrix")) for case in CASES) == 12


# Brute force: every way to cut the free axis, entropies from their definition.


def bins_one_by_one(values, num_bins):
    """The bins of about equal size, group after group as the rule is stated."""
    label, held, share, left = 0, 0, len(values) / num_bins, len(values)
    bins = np.zeros(len(values), dtype=int)
    for value in np.unique(values):
        size = np.sum(values == value)
        if held > 0 and abs(held + size - share) >= abs(held - share):
            label, held = label + 1, 0
            share = left / (num_bins - label)
        bins[values == value] = label
        held, left = held + size, left - size
    return bins


def entropy(labels):
    share = np.unique(labels, return_counts=True)[1] / len(labels)
    return -np.sum(share * np.log(share))


def best_by_force(equal, free, num_bins, num_free):
    rows = bins_one_by_one(equal, num_bins)
    if rows.max() == 0:
        return 0.0
    cuts = np.unique(free)[1:]
    best = max(
        entropy(rows) + entropy(columns) - entropy(rows * 1000 + columns)
        for chosen in itertools.combinations(cuts, min(num_free - 1, len(cuts)))
        for columns in [np.searchsorted(np.array(chosen), free, side="right")]
    )
    return best / np.log(min(num_free, rows.max() + 1))


columns = st.lists(st.integers(0, 6), min_size=4, max_size=9)


@settings(max_examples=60, deadline=None)
@given(columns, st.randoms(use_true_random=False))
def test_cells_against_all_grids(x, random):
    x, y = np.array(x), np.array([random.randint(0, 4) for _ in x])
    approx = mic_statistics(x, y, alpha=1.0, c=100).cells
    e = mic_statistics(x, y, alpha=1.0, c=100, estimator="mic_e").cells
    for (i, j), found in np.ndenumerate(approx):
        on_y, on_x = i + 2, j + 2
        assert np.isnan(found) == np.isnan(e[i, j]) == (on_y * on_x > max(len(x), 4))
        if not np.isnan(found):
            equal_y, equal_x = best_by_force(y, x, on_y, on_x), best_by_force(x, y, on_x, on_y)
            assert found == pytest.approx(max(equal_y, equal_x), abs=1e-12)
            assert e[i, j] == pytest.approx(equal_y if on_y > on_x else equal_x, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 30))
def test_equal_bins_against_the_rule(sizes, num_bins):
    values = np.repeat(np.arange(len(sizes)), sizes)
    bins = bins_one_by_one(values, num_bins)
    firsts = equipartition(np.cumsum(sizes).tolist(), num_bins)
    assert firsts == [values[np.argmax(bins == label)] for label in range(bins.max() + 1)]


# Properties.

points = st.lists(st.tuples(st.integers(-20, 20), st.integers(-5, 5)), min_size=4, max_size=80)


@settings(max_examples=40, deadline=None)
@given(points, st.sampled_from(ESTIMATORS), st.sampled_from([0.5, 0.6, 0.9, 8]), st.sampled_from([0.5, 2.3, 15]))
def test_range_and_sums(given_points, estimator, alpha, c):
    x, y = np.array(given_points).T
    result = mic_statistics(x, y, alpha=alpha, c=c, estimator=estimator)
    cells = result.cells[np.isfinite(result.cells)]
    assert cells.min() >= 0 and cells.max() == result.mic <= 1
    assert result.tic == pytest.approx(cells.sum()) and result.tic_normalised == pytest.approx(cells.mean())


@settings(max_examples=30, deadline=None)
@given(points, st.sampled_from(ESTIMATORS), st.randoms(use_true_random=False))
def test_neither_increasing_maps_nor_the_order_of_points_matter(given_points, estimator, random):
    x, y = np.array(given_points).T
    cells = mic_statistics(x, y, estimator=estimator).cells
    order = np.array(random.sample(range(len(x)), len(x)))
    again = mic_statistics(np.exp(0.3 * x)[order], (y**3 - 7.5)[order], estimator=estimator).cells
    assert again == pytest.approx(cells, abs=1e-12, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(points)
def test_exchanging_the_columns(given_points):
    x, y = np.array(given_points).T
    approx, swapped = mic_statistics(x, y).cells, mic_statistics(y, x).cells.T
    assert swapped == pytest.approx(approx, abs=1e-12, nan_ok=True)
    e, swapped = mic_statistics(x, y, estimator="mic_e").cells, mic_statistics(y, x, estimator="mic_e").cells.T
    off = ~np.eye(len(e), dtype=bool)
    assert swapped[off] == pytest.approx(e[off], abs=1e-12, nan_ok=True)
    # One of the two ways is never better than the better of both.
    assert np.all((e <= approx + 1e-12) | np.isnan(approx))


def test_the_block_of_the_dynamic_programme_does_not_matter(monkeypatch, random_state):
    x, y = random_state.normal(size=(2, 700))
    whole = mic_statistics(x, y).cells
    monkeypatch.setattr("causal_disent.metrics.mic.BLOCK", 7)
    assert mic_statistics(x, y).cells == pytest.approx(whole, abs=1e-12, nan_ok=True)


def test_dependence_of_any_shape_and_none(random_state):
    x = random_state.uniform(-1, 1, 1000)
    for y in (x, -x, np.sin(9 * x), x**2):
        assert mic_statistics(x, y).mic == pytest.approx(1.0, abs=0.01)
    noise = random_state.uniform(size=1000)
    for estimator in ESTIMATORS:
        independent = mic_statistics(x, noise, estimator=estimator)
        shifted = mic_statistics(x, noise + x, estimator=estimator)
        assert independent.mic < 0.2 and shifted.mic > independent.mic + 0.2


def test_other_types_of_numbers(random_state):
    x = random_state.randint(0, 2, 50).astype(bool)
    y = (2**60 + random_state.randint(0, 9, 50)).astype(np.int64)  # distinct as whole numbers, not as floats
    assert mic_statistics(x, y).mic == mic_statistics(x.astype(np.float32), y - 2**60).mic > 0
    assert mic_statistics([1, 2, 3, 4], [4, 5, 6, 7]).mic == pytest.approx(1.0)
    assert mic_statistics(y, y % 4, c=1e308).tic == mic_statistics(y, y % 4, c=50).tic


# Many pairs, and the floor.


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_matrix_is_that_of_pairs_and_workers_do_not_matter(monkeypatch, random_state, estimator):
    factors = random_state.randint(0, 7, size=(150, 2))
    codes = np.column_stack([factors[:, 1] ** 2, random_state.normal(size=150), factors.sum(axis=1)])
    matrix = mic_matrix(codes, factors, alpha=0.7, c=4, estimator=estimator)
    for (code, factor), mic in np.ndenumerate(matrix.mic):
        alone = mic_statistics(factors[:, factor], codes[:, code], alpha=0.7, c=4, estimator=estimator)
        assert (mic, matrix.tic[code, factor], matrix.tic_normalised[code, factor]) == pytest.approx(
            (alone.mic, alone.tic, alone.tic_normalised)
        )
    monkeypatch.setattr(module, "WORTH_WORKERS", 0)
    parallel = mic_matrix(codes, factors, alpha=0.7, c=4, estimator=estimator, num_jobs=2)
    for name in ("mic", "tic", "tic_normalised"):
        assert getattr(parallel, name) == pytest.approx(getattr(matrix, name), abs=1e-12)
    assert parallel.floor.mic == pytest.approx(matrix.floor.mic, abs=1e-12)


def test_the_matrix_is_printed_beside_the_floor(random_state):
    factors = random_state.normal(size=(120, 2))
    matrix = mic_matrix(factors[:, ::-1], factors, estimator="mic_e", floor_draws=3)
    first, head, *rows = repr(matrix).splitlines()
    assert first == (
        "MicMatrix of 2 codes and 2 factors, 120 points, mic_e, alpha 0.6, c 15; floor: mean of 3 draws of noise"
    )
    assert head == "factor  best code    MIC  floor  best code  norm. TIC  floor"
    assert [row.split()[:3] for row in rows] == [["0", "1", "1.000"], ["1", "0", "1.000"]]
    assert rows[0].split()[3] == f"{matrix.floor.mic[0]:.3f}"
    without = mic_matrix(factors, factors, floor_draws=0)
    assert np.isnan(without.floor.mic).all() and "nan" in repr(without)


# Means that were measured elsewhere, for factors of some ten values.
@pytest.mark.parametrize(("estimator", "mic", "tic"), [("mic_approx", 0.11, 0.025), ("mic_e", 0.025, 0.01)])
def test_the_floor_of_noise_is_the_known_one(estimator, mic, tic):
    floor = mic_floor(np.arange(1826)[:, None] % 10, estimator=estimator, draws=5)
    assert floor.mic == pytest.approx([mic], rel=0.15) and floor.tic_normalised == pytest.approx([tic], rel=0.2)


def test_the_floor_is_that_of_noise_and_falls_with_points(random_state):
    small, large = (mic_floor(random_state.normal(size=(num, 1)), draws=20) for num in (100, 400))
    assert large.mic < small.mic and large.tic_normalised < small.tic_normalised
    scores = [mic_statistics(*random_state.normal(size=(2, 400))).mic for _ in range(20)]
    assert large.mic == pytest.approx([np.mean(scores)], rel=0.1)


def test_ties_have_a_floor_of_their_own_and_a_constant_has_none():
    factors = np.column_stack([np.arange(300), np.arange(300) % 3, np.ones(300), np.arange(300)[::-1]])
    floor = mic_floor(factors, draws=4)
    assert floor.tic_normalised[0] == floor.tic_normalised[3] > floor.tic_normalised[1] > 0
    assert floor.mic[2] == floor.tic_normalised[2] == 0
    # Whatever stands beside a factor.
    assert mic_floor(factors[:, 1:2], draws=4).mic == pytest.approx(floor.mic[1:2])


def test_the_floor_is_simulated_once_and_by_its_seed(monkeypatch, random_state):
    first = mic_floor(random_state.normal(size=(90, 3)), draws=3, seed=7)
    other = mic_floor(random_state.normal(size=(90, 1)), draws=3, seed=8)
    monkeypatch.setattr(module, "find_best_cells", None)
    again = mic_floor(random_state.normal(size=(90, 2)), draws=3, seed=7)
    assert again.mic.tolist() == first.mic[:2].tolist() and other.mic[0] != first.mic[0]
    with pytest.raises(TypeError):
        mic_floor(random_state.normal(size=(91, 1)), draws=3, seed=7)


# What is refused.

TEN = np.arange(10.0)


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        (np.where(TEN == 3, np.nan, TEN), TEN, {}, "`x` must be finite; point 3 has nan"),
        (TEN, np.where(TEN == 4, -np.inf, TEN), {}, "`y` must be finite; point 4 has -inf"),
        (TEN, TEN[:9], {}, "`x` and `y` must describe the same points; given: 10 and 9 values"),
        (TEN[:, None], TEN, {}, r"`x` must have shape \(points,\); given: \(10, 1\)"),
        (TEN, 1.0, {}, r"`y` must have shape \(points,\); given: \(\)"),
        (TEN[:3], TEN[:3], {}, "MIC needs at least 4 points; given: 3"),
        ([], [], {}, "MIC needs at least 4 points; given: 0"),
        (TEN.astype(str), TEN, {}, "`x` must hold numbers; given: dtype"),
        ([[1], [1, 2]], TEN, {}, "`x` must be an array, or lists of equal lengths"),
        *((TEN, TEN, {"alpha": bad}, "`alpha` is above 0 and at most 1") for bad in (0, -1, 1.5, 3.9, "1", True)),
        *((TEN, TEN, {"alpha": bad}, "or 4 or more.*; given: ") for bad in (np.nan, np.inf, None)),
        *(
            (TEN, TEN, {"c": bad}, "`c` is a finite number above 0; given: ")
            for bad in (0, -3, np.nan, np.inf, "5")
        ),
    ],
)
def test_bad_input_is_named(x, y, options, message):
    with pytest.raises(errors.InvalidInput, match=message):
        mic_statistics(x, y, **options)


def test_an_unknown_estimator_gets_the_nearest():
    for call in (
        lambda: mic_statistics(TEN, TEN, estimator="mic"),
        lambda: mic_floor(TEN[:, None], estimator="e"),
    ):
        with pytest.raises(errors.UnknownName, match="There are: mic_approx, mic_e"):
            call()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.full((10, 2), np.nan)}, "`codes` must be finite"),
        ({"codes": np.zeros((9, 2))}, "must describe the same points; given: 9 and 10 rows"),
        ({"codes": TEN}, "`codes` must have shape"),
        ({"codes": np.zeros((3, 1)), "factors": np.zeros((3, 1))}, "MIC needs at least 4 points; given: 3"),
        ({"alpha": 2}, "`alpha`"),
        ({"floor_draws": -1}, "`floor_draws` must be a whole number, at least 0"),
        ({"floor_seed": 0.5}, "`floor_seed` must be a whole number"),
        ({"num_jobs": 0}, "`num_jobs`"),
    ],
)
def test_bad_matrices_are_named(change, message):
    with pytest.raises(errors.InvalidInput, match=message):
        mic_matrix(**{"codes": np.zeros((10, 2)), "factors": TEN[:, None], **change})


def test_the_names_are_public():
    assert {"MicFloor", "MicMatrix", "MicResult", "mic_floor", "mic_matrix", "mic_statistics"} <= set(dir(metrics))
