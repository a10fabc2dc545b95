"""Tests of `causal_disent.metrics.tmex`."""

import numpy as np
import pytest

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.metrics.tmex import exchange_within_strata, randomization_test, tmex

# --- tmex

FACTORS = np.random.RandomState(0).randint(5, size=(800, 3))


def test_perfect_codes_in_another_order_and_scale():
    result = tmex(FACTORS[:, [2, 0, 1]] * [-1.0, 4.0, 0.5], FACTORS)
    assert result.mismatches == result.score == 0
    assert (result.measured == result.expected).all()
    assert result.expected.T.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_mixed_codes_measure_too_much():
    mixed = FACTORS @ np.array([[1.0, 0.6, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    result = tmex(mixed, FACTORS)
    # The second code holds the first factor as well; the others are as they should be.
    assert result.mismatches == 1
    assert result.per_factor.tolist() == [1, 0, 0]
    assert result.measured.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]


def test_noise_measures_nothing():
    result = tmex(np.random.RandomState(1).normal(size=(800, 3)), FACTORS)
    assert result.mismatches >= 3
    assert result.score == result.mismatches / 9


def test_codes_of_factors_that_cause_each_other():
    generator = np.random.RandomState(0)
    cause = generator.randint(5, size=1500)
    effect = np.clip(cause + generator.randint(-1, 2, size=1500), 0, 4)
    factors = np.column_stack([cause, effect])
    assert tmex(factors, factors).mismatches == 0
    assert tmex(np.column_stack([cause, cause + effect]), factors).mismatches == 1


def test_a_nominal_factor_is_matched_by_information_not_by_order():
    shuffled = np.array([3.0, 0.0, 4.0, 1.0, 2.0])[FACTORS]
    assert tmex(shuffled, FACTORS).mismatches == 0


def test_continuous_factors():
    factors = np.random.RandomState(2).normal(size=(800, 2))
    assert tmex(np.tanh(factors[:, ::-1]), factors).mismatches == 0


def test_what_is_expected_can_be_said():
    both = np.column_stack([FACTORS[:, 0] + FACTORS[:, 1], FACTORS[:, 2]])
    expected = np.array([[1, 1, 0], [0, 0, 1]])
    result = tmex(both, FACTORS, expected=expected)
    assert result.mismatches == 0 and result.tested.all()
    assert tmex(both, FACTORS, expected=1 - expected).mismatches == 6


def test_codes_without_a_factor_are_not_judged_and_factors_without_a_code_are():
    repeated = np.hstack([FACTORS, FACTORS[:, :1] + FACTORS[:, 1:2]])
    result = tmex(repeated, FACTORS)
    assert result.mismatches == 0 and result.tested[:, 0].tolist() == [True, True, True, False]
    few = tmex(FACTORS[:, :2].astype(float), FACTORS)
    assert few.mismatches == 1 and few.per_factor.tolist() == [0, 0, 1] and few.score == 1 / 7


def test_a_factor_that_never_varies_is_left_out():
    factors = np.column_stack([FACTORS[:, :2], np.full(800, 2)])
    with pytest.warns(UserWarning, match="never var|constant"):
        result = tmex(factors[:, :2].astype(float), factors)
    assert result.mismatches == 0 and np.isnan(result.per_factor[2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 1.5}, "`alpha`.*between 0.005 and 1; given: 1.5"),
        ({"alpha": "x"}, "`alpha`.*given: 'x'"),
        ({"expected": [[1], [0, 1], [1]]}, "`expected`"),
        ({"expected": np.ones((2, 2))}, r"`expected`.*\(3, 3\)"),
        ({"expected": np.full((3, 3), 2)}, "`expected` is a matrix of 0 and 1"),
        ({"codes": FACTORS[:10], "factors": FACTORS[:10]}, "at least 40 points"),
        ({"factors": FACTORS[:, :1]}, "At least 2 factors"),
    ],
)
def test_bad_inputs(change, message):
    arguments = {"codes": FACTORS, "factors": FACTORS, **change}
    with pytest.raises(errors.InvalidInput, match=message):
        tmex(arguments.pop("codes"), arguments.pop("factors"), **arguments)


@pytest.mark.slow
def test_through_the_data_set_confounded_as_well():
    for confounding in (None, "candle_color"):
        data = get_dataset("candle_mini", confounding=confounding)
        perfect, noise = (
            get_metric("tmex")(data, get_representation(name, data), np.random.RandomState(0), num_train=600)
            for name in ("perfect_oracle", "noise_oracle")
        )
        assert perfect["T-MEX"] == 0
        assert noise["T-MEX"] >= 5


# --- conditional independence

SIZES = (5, 5, 3, 6)


def independent(rows, column, random_state):
    return random_state.randint(SIZES[column], size=len(rows))


def p_values(target, num_points=400, repeats=60, redraw=independent):
    """Of tests whether target(factors, noise) depends on the third factor, given the others."""
    found = []
    for seed in range(repeats):
        generator = np.random.RandomState(seed)
        factors = np.stack([generator.randint(size, size=num_points) for size in SIZES], axis=1)
        y = target(factors, generator.normal(size=num_points))
        found.append(randomization_test(y, factors, np.array([2]), redraw, generator)[0])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        lambda v, noise: v[:, 0] + 2 * v[:, 1] + v[:, 3] + noise,
        lambda v, noise: v[:, 0] * v[:, 1] + np.sin(v[:, 3]),
        lambda v, noise: v[:, [0, 1, 3]] @ [1.0, -2.0, 0.5],
        lambda v, noise: noise,
    ],
    ids=["with noise", "products", "rotation", "noise"],
)
@pytest.mark.parametrize("redraw", [independent, exchange_within_strata])
def test_rejects_independence_as_often_as_it_says(target, redraw):
    # 60 tests at level 0.05: more than 8 rejections have a probability of less than 1 %.
    assert (p_values(target, redraw=redraw) < 0.05).sum() <= 8


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        lambda v, noise: v[:, 0] + 0.7 * v[:, 2] + 0.5 * noise,
        lambda v, noise: (v[:, 2] - 1) ** 2 + 0.3 * noise,
        lambda v, noise: (v[:, 0] - 2) * (v[:, 2] - 1) + 0.5 * noise,
    ],
    ids=["line", "bend", "interaction"],
)
def test_finds_dependence_of_any_form(target):
    assert (p_values(target, repeats=10) < 0.05).mean() >= 0.9


def test_a_common_cause_is_not_taken_for_dependence():
    rejected = []
    for seed in range(8):
        generator = np.random.RandomState(seed)
        first = generator.randint(5, size=1000)
        second = (first + generator.randint(2, size=1000)) % 5  # goes with the first
        code = first + 0.3 * generator.normal(size=1000)
        assert abs(np.corrcoef(code, second)[0, 1]) > 0.3
        factors, columns = np.column_stack([first, second]), np.array([0, 1])
        rejected.append(randomization_test(code, factors, columns, exchange_within_strata, generator) < 0.05)
    on_first, on_second = np.sum(rejected, axis=0)
    # Of 8 tests at level 0.05, more than 2 rejections have a probability of less than 1 %.
    assert on_first == 8 and on_second <= 2


@pytest.mark.parametrize("wrong", [np.zeros(3), np.full(200, "a"), 1.0])
def test_redraw_must_return_numbers_for_all_rows(wrong):
    factors = np.random.RandomState(0).randint(4, size=(400, 2))
    with pytest.raises(errors.InvalidInput, match="`redraw` must return a number for each of 200 rows"):
        randomization_test(factors[:, 0], factors, np.array([1]), lambda *_: wrong, np.random.RandomState(0))


def test_points_change_places_within_their_stratum_only():
    generator = np.random.RandomState(0)
    rows = generator.randint(4, size=(500, 3))
    changed = rows.copy()
    changed[:, 1] = exchange_within_strata(rows, 1, generator)
    assert (changed != rows).any()
    # The same rows in another order: each stratum keeps its values.
    np.testing.assert_array_equal(*(r[np.lexsort(r.T[[1, 0, 2]])] for r in (rows, changed)))


def test_a_factor_alone_changes_places_with_all():
    rows = np.arange(50)[:, None]
    changed = exchange_within_strata(rows, 0, np.random.RandomState(0))
    assert sorted(changed) == list(range(50)) and (changed != rows[:, 0]).mean() > 0.8


def test_points_that_never_agree():
    rows = np.column_stack([np.arange(60), np.arange(60)[::-1]])
    with pytest.raises(errors.InvalidInput, match="too few points agree .* Give more points, or `redraw`"):
        exchange_within_strata(np.column_stack([rows, np.arange(60) % 61]), 0, np.random.RandomState(0))


def test_same_seed_same_value():
    factors = np.random.RandomState(0).randint(4, size=(200, 2))
    y = factors[:, 0] + np.random.RandomState(1).normal(size=200)
    columns = np.array([0, 1])
    once, again = (
        randomization_test(y, factors, columns, exchange_within_strata, np.random.RandomState(7)) for _ in "12"
    )
    np.testing.assert_array_equal(once, again)
