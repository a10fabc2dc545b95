import numpy as np
import pytest

from causal_disent import errors
from causal_disent.metrics.tmex import exchange_within_strata, randomization_test

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
