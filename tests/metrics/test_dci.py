"""Tests of `causal_disent.metrics.dci`."""

import numpy as np
import pytest
from dlib_reference_fitted import assert_same_scores, reference_cases
from fitting_promises import assert_repeatable_and_private, bad_pairs, grid, mixture
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import r2_score

from causal_disent import adapter, errors
from causal_disent.metrics.dci import completeness, dci, dci_es, disentanglement, measure_explicitness

# --- Disentanglement, completeness, informativeness

on_data = adapter.on_data(dci)
on_fixed_data = adapter.on_fixed_data(dci)

FAST = {"estimator": "histogram_boosting"}


@pytest.mark.parametrize("estimator", ["histogram_boosting", "gradient_boosting", "random_forest"])
def test_perfect_codes(estimator):
    codes, factors = grid(10)
    result = dci(codes, factors, test=(codes, factors), estimator=estimator)
    least = 0.9 if estimator == "random_forest" else 0.99  # a forest tries each code now and then
    assert result.disentanglement > least and result.completeness > least
    assert result.informativeness_train == result.informativeness_test == 1.0
    assert result.estimator == estimator
    np.testing.assert_array_equal(result.importance.argmax(axis=0), [0, 1, 2])


def test_noise(random_state):
    codes, factors = random_state.normal(size=(600, 4)), grid(25)[1]
    result = dci(codes, factors, test=(codes[::-1], factors), **FAST)
    assert result.disentanglement < 0.1 and result.completeness < 0.1 and result.informativeness_test < 0.5


def test_duplicated_codes_are_disentangled_but_not_complete():
    codes, factors = grid(10)
    points = (codes.repeat(2, axis=1), factors)
    result = dci(*points, test=points, **FAST)
    assert result.disentanglement > 0.99 and result.completeness < 0.8


def test_the_fast_trees_score_as_the_default_ones():
    train, test = mixture(600), mixture(300, seed=1)
    fast, default = dci(*train, test=test, **FAST), dci(*train, test=test)
    assert fast.disentanglement == pytest.approx(default.disentanglement, abs=0.02)
    assert fast.completeness == pytest.approx(default.completeness, abs=0.02)
    assert fast.informativeness_test == pytest.approx(default.informativeness_test, abs=0.03)


@pytest.mark.parametrize(
    ("case", "compute"),
    [
        *(pytest.param(*c.values, on_data, id=c.id) for c in reference_cases("dci")),
        *(pytest.param(*c.values, on_fixed_data, id=c.id) for c in reference_cases("dci_validation")),
    ],
)
def test_scores_of_disentanglement_lib(case, compute):
    assert_same_scores(case, compute)


def test_the_same_seed_gives_the_same_score():
    scores = assert_repeatable_and_private(on_data, num_train=120, num_test=60, estimator_fn="histogram_boosting")
    assert scores["estimator"] == "histogram_boosting"


@given(arrays(np.float64, (4, 3), elements=st.floats(0, 1)))
def test_scores_of_a_matrix_are_in_range_and_mirror_each_other(matrix):
    assert -1e-9 <= disentanglement(matrix) <= 1 + 1e-9
    assert disentanglement(matrix) == pytest.approx(completeness(matrix.T))
    order = [2, 0, 3, 1]
    assert disentanglement(matrix[order]) == pytest.approx(disentanglement(matrix))


def test_a_matrix_by_hand():
    matrix = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert disentanglement(matrix) == pytest.approx(0.5, abs=1e-9)
    thirds = 1 + (2 / 3 * np.log2(2 / 3) + 1 / 3 * np.log2(1 / 3))
    assert completeness(matrix) == pytest.approx((1.5 * thirds + 0.5 * 1) / 2, abs=1e-9)


def test_a_constant_factor_is_left_out():
    codes, factors = grid(5)
    padded = np.hstack([factors, np.full((len(factors), 1), 3)])
    with pytest.warns(UserWarning, match="dci leaves out factors that never vary: 3"):
        result = dci(codes, padded, test=(codes, padded), **FAST)
    assert result.disentanglement == pytest.approx(1) and result.informativeness_test == 1.0
    assert np.isnan(result.completeness_per_factor[3]) and not result.importance[:, 3].any()
    with pytest.raises(errors.InvalidInput, match="dci needs a factor that varies; all 3 are constant"):
        dci(codes, factors * 0, test=(codes, factors * 0), **FAST)


def test_constant_codes_give_finite_scores():
    factors = grid(2)[1]
    result = dci(np.ones((48, 2)), factors, test=(np.ones((48, 2)), factors), **FAST)
    assert (result.disentanglement, result.completeness) == (pytest.approx(0), pytest.approx(0))


def test_one_factor_and_one_code():
    codes, factors = grid(2)
    result = dci(codes[:, :1], factors[:, :1], test=(codes[:, :1], factors[:, :1]), **FAST)
    assert (result.disentanglement, result.completeness) == (1.0, 1.0)


@pytest.mark.parametrize(("train", "message"), bad_pairs())
def test_bad_inputs(train, message):
    with pytest.raises(errors.InvalidInput, match=message):
        dci(*train, test=train)


def test_train_and_test_must_match():
    codes, factors = grid(2)
    with pytest.raises(errors.InvalidInput, match="must have the same codes and factors"):
        dci(codes, factors, test=(codes[:, :2], factors))


# --- dci es

FACTORS = np.random.RandomState(0).randint(5, size=(1500, 3))
TRAIN, TEST = slice(0, 1000), slice(1000, None)
FEW = (0, 8, 32, 128)


def es_of(codes, factors=FACTORS, **arguments):
    arguments = {"widths": FEW, "lowest_loss": None, **arguments}
    return dci_es(codes[TRAIN], factors[TRAIN], test=(codes[TEST], factors[TEST]), **arguments)


def bent_codes():
    """The factors lie on circles: no linear probe finds them, a wide one does."""
    return np.hstack([np.sin(1.5 * FACTORS), np.cos(1.5 * FACTORS)])


def test_perfect_and_linearly_mixed_codes(random_state):
    for codes in (FACTORS * 3.0, FACTORS @ random_state.normal(size=(3, 3))):
        result = es_of(codes)
        assert result.explicitness == pytest.approx(1.0, abs=1e-3)
        assert result.informativeness == pytest.approx(1.0, abs=1e-3)
        assert result.size == 1.0


def test_noise_is_the_worst(random_state):
    result = es_of(random_state.normal(size=(1500, 6)))
    assert result.explicitness == -1.0
    assert result.informativeness < 0.02
    assert result.size == 0.5


def test_bent_codes_are_less_explicit():
    result = es_of(bent_codes(), widths=(0, 8, 32, 128, 512))
    assert result.explicitness < 0.6
    assert result.informativeness > 0.7


def test_the_published_normaliser_says_nothing_of_noise(random_state):
    for codes in (
        random_state.normal(size=(1500, 6)),
        bent_codes(),
        FACTORS + random_state.normal(size=(1500, 3)),
    ):
        own, published = es_of(codes), es_of(codes, lowest_loss=0.0)
        learnt = own.per_factor > -1
        expected = 1 - (1 - own.per_factor) * (1 - own.losses[-1])
        assert published.per_factor[learnt] == pytest.approx(expected[learnt])
        assert published.informativeness == own.informativeness
    noise = random_state.normal(size=(1500, 6))
    assert es_of(noise, lowest_loss=0.0).explicitness > 0.9 and es_of(noise).explicitness == -1.0
    assert (
        dci_es(bent_codes(), FACTORS, widths=FEW).explicitness
        > dci_es(bent_codes(), FACTORS, widths=FEW, lowest_loss=None).explicitness
    )


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([0.2, 0.2, 0.2], 1.0),  # the smallest probe is the best
        ([1.0, 0.6, 0.2], 0.0),  # straight from the baseline
        ([1.0, 1.0, 0.2], -0.5),  # all of it at the end: 0.8 + 0.4 over half of 2 * 0.8
        ([0.6, 0.2, 0.2], 0.75),  # a triangle of 0.2 over 0.8
        ([1.0, 0.999, 0.995], -1.0),  # nothing learnt
    ],
)
def test_curves_by_hand(losses, expected):
    assert measure_explicitness(np.array([0.0, 1.0, 2.0]), np.array(losses)) == pytest.approx(expected)


def test_unevenly_spaced_capacities_by_hand():
    # Areas above the lowest loss: 1 * (0.4 + 0.2) / 2 + 3 * 0.2 / 2 = 0.6, over 4 * (1 - 0.1) / 2.
    found = measure_explicitness(np.array([1.0, 2.0, 5.0]), np.array([0.5, 0.3, 0.1]))
    assert found == pytest.approx(1 - 0.6 / 1.8)


def test_another_baseline():
    assert measure_explicitness(np.array([0.0, 1.0]), np.array([0.8, 0.0]), baseline=0.8) == pytest.approx(0.0)


def test_the_smallest_probe_is_a_ridge_regression(random_state):
    codes = FACTORS + random_state.normal(size=FACTORS.shape)
    scaled = (codes - codes[TRAIN].mean(axis=0)) / codes[TRAIN].std(axis=0)
    predicted = Ridge(alpha=0.01 * 1000).fit(scaled[TRAIN], FACTORS[TRAIN]).predict(scaled[TEST])
    expected = 1 - r2_score(FACTORS[TEST], predicted, multioutput="raw_values")
    result = es_of(codes, ridge=0.01)
    assert result.losses[0] == pytest.approx(expected)
    assert result.capacities == pytest.approx(np.log([4, 12, 36, 132]))


def test_losses_never_rise_with_capacity_and_stay_below_the_baseline(random_state):
    losses = es_of(FACTORS + 3.0 * random_state.normal(size=FACTORS.shape)).losses
    assert (np.diff(losses, axis=0) <= 0).all()
    assert (losses <= 1).all()


def test_a_categorical_factor_is_no_line():
    ordered, named = es_of(FACTORS.astype(float)), es_of(FACTORS.astype(float), categorical=[1])
    assert named.per_factor[1] < 0.9
    assert named.per_factor[[0, 2]] == pytest.approx(ordered.per_factor[[0, 2]])


def test_one_hot_codes_are_explicit_of_a_categorical_factor():
    codes = np.eye(5)[FACTORS[:, 0]]
    assert es_of(codes, FACTORS[:, :1], categorical=[0]).explicitness == pytest.approx(1.0, abs=1e-3)


def test_duplicated_codes_cost_size_alone():
    result = es_of(np.hstack([FACTORS, FACTORS]))
    assert result.size == 0.5
    assert result.explicitness == pytest.approx(1.0, abs=1e-3)


def test_codes_that_never_vary():
    assert es_of(np.full((1500, 2), 0.1)).explicitness == -1.0


def test_same_seed_same_score():
    codes = bent_codes()
    assert es_of(codes, random_state=3).explicitness == es_of(codes, random_state=3).explicitness


def test_bad_arguments():
    with pytest.raises(errors.InvalidInput, match=r"at least two increasing numbers; given: \(8, 0\)"):
        es_of(FACTORS, widths=(8, 0))
    with pytest.raises(errors.InvalidInput, match="`widths` must be a whole number, at least 0; given: -1"):
        es_of(FACTORS, widths=(-1, 8))
    with pytest.raises(errors.InvalidInput, match="indices of factors, from 0 to 2; given: 3"):
        es_of(FACTORS, categorical=[3])
    with pytest.raises(errors.InvalidInput, match="`ridge` must be a finite number, at least 0; given: -0.1"):
        es_of(FACTORS, ridge=-0.1)
    for lowest in (-1, 1.0, 2.0):  # E beyond 1, or infinite
        with pytest.raises(errors.InvalidInput, match="`lowest_loss` is a part of the baseline loss, from 0"):
            es_of(FACTORS, lowest_loss=lowest)


@settings(max_examples=10, deadline=None)
@given(scales=st.lists(st.floats(0.01, 100.0), min_size=6, max_size=6), shift=st.floats(-10.0, 10.0))
def test_scale_of_codes_does_not_matter(scales, shift):
    codes = bent_codes()
    changed = es_of(codes * scales + shift, widths=(0, 8, 32))
    assert changed.per_factor == pytest.approx(es_of(codes, widths=(0, 8, 32)).per_factor, abs=1e-6)


@settings(max_examples=10, deadline=None)
@given(order=st.permutations(range(6)))
def test_order_of_codes_does_not_matter_to_the_linear_probe(order):
    """The wider probes draw features at random, and other ones for another order."""
    codes = bent_codes()
    assert es_of(codes[:, order]).losses[0] == pytest.approx(es_of(codes).losses[0])


def test_one_factor_or_one_code_is_no_evidence():
    noise = np.random.RandomState(0).normal(size=(60, 2))
    factors = np.random.RandomState(1).randint(2, size=(60, 1))
    with pytest.warns(UserWarning, match="one factor, disentanglement is 1"):
        assert dci(noise, factors, estimator="l1_logistic").disentanglement == 1.0
    with pytest.warns(UserWarning, match="one code, completeness is 1"):
        dci(noise[:, :1], np.column_stack([factors, 1 - factors[::-1]]), estimator="l1_logistic")


def test_a_regressor_predicts_numbers(random_state):
    """Its informativeness is R^2, of classes too; a single row of weights is of codes."""
    factors = random_state.randint(4, size=(300, 2))
    codes = factors + 0.1 * random_state.normal(size=factors.shape)
    for make in (lambda: Lasso(alpha=0.05), lambda: RandomForestRegressor(10)):
        found = dci(codes, factors, estimator=make, num_jobs=1)
        assert found.importance.shape == (2, 2) and found.disentanglement > 0.9
        assert found.informativeness_test > 0.95
    by_number = dci(codes, factors, estimator=lambda: Lasso(alpha=0.05), continuous=[0], num_jobs=1)
    assert by_number.disentanglement > 0.9
