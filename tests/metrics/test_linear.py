"""Tests of `causal_disent.metrics.linear`."""

import warnings
from itertools import permutations

import numpy as np
import pytest
from dlib_reference import case_name, recomputed, reference_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr, spearmanr
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from causal_disent import adapter, errors, score
from causal_disent.metrics.linear import (
    area_under_roc,
    class_probabilities,
    find_top_two_gaps,
    fit_machines,
    fit_softmax_regression,
    machine_accuracies,
    match_codes,
    mcc,
    measure_modularities,
    modularity_explicitness,
    r2,
    sap_score,
)

# --- mcc

FACTORS = np.random.RandomState(0).randint(6, size=(400, 3))


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_codes_whose_squares_are_no_numbers(unit):
    factors = np.random.RandomState(0).randint(4, size=(50, 2))
    for codes in (factors * unit, factors * [1, unit]):
        with pytest.raises(errors.InvalidInput, match="`codes`"):
            mcc(codes, factors)
    small = mcc((factors * 1e-30).astype(np.float32), factors).score
    assert small == pytest.approx(mcc(factors.astype(float), factors).score)


def test_perfect_codes_in_another_order_and_sign():
    result = mcc(FACTORS[:, [2, 0, 1]] * [-1.0, 4.0, 0.5] + 3.0, FACTORS)
    assert result.score == pytest.approx(1.0)
    assert result.matches == (1, 2, 0)


def test_noise_is_near_the_worst(random_state):
    assert mcc(random_state.normal(size=(400, 3)), FACTORS).score < 0.15


def test_spearman_sees_through_an_increasing_function_and_pearson_does_not():
    bent = np.exp(2.0 * FACTORS)
    assert mcc(bent, FACTORS, correlation="spearman").score == pytest.approx(1.0)
    assert mcc(bent, FACTORS).score < 0.8


@pytest.mark.parametrize(("kind", "function"), [("pearson", pearsonr), ("spearman", spearmanr)])
def test_against_all_assignments(kind, function, random_state):
    codes = random_state.normal(size=(400, 4)) + FACTORS[:, [0, 1, 1, 2]]
    matrix = np.array([[abs(function(code, factor)[0]) for factor in FACTORS.T] for code in codes.T])
    best = max(sum(matrix[code, i] for i, code in enumerate(order)) for order in permutations(range(4), 3))
    result = mcc(codes, FACTORS, correlation=kind)
    assert result.matrix == pytest.approx(matrix)
    assert result.score == pytest.approx(best / 3)


def test_the_assignment_is_not_greedy():
    values, matches = match_codes(np.array([[1.0, 0.9], [0.8, 0.0]]))
    assert matches == [1, 0]
    assert values.tolist() == [0.8, 0.9]


def test_fewer_codes_than_factors_leave_factors_at_zero():
    result = mcc(FACTORS[:, :1], FACTORS)
    assert result.score == pytest.approx(1 / 3)
    assert result.matches == (0, None, None)
    assert result.per_factor.tolist() == pytest.approx([1.0, 0.0, 0.0])


def test_duplicated_codes_and_codes_that_never_vary_change_nothing():
    codes = FACTORS + np.random.RandomState(1).normal(size=FACTORS.shape)
    expected = mcc(codes, FACTORS).score
    assert mcc(np.hstack([codes, codes]), FACTORS).score == pytest.approx(expected)
    assert mcc(np.hstack([np.full((400, 2), 0.1), codes]), FACTORS).score == pytest.approx(expected)


def test_continuous_factors(random_state):
    factors = random_state.normal(size=(200, 2))
    assert mcc(factors[:, ::-1], factors).score == pytest.approx(1.0)


def test_unknown_correlation():
    with pytest.raises(errors.UnknownName, match="Unknown `correlation` 'spearmen'. Did you mean 'spearman'"):
        mcc(FACTORS, FACTORS, correlation="spearmen")


@settings(max_examples=25, deadline=None)
@given(
    order=st.permutations(range(4)),
    scales=st.lists(st.floats(0.01, 100.0), min_size=4, max_size=4),
    signs=st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4),
    kind=st.sampled_from(["pearson", "spearman"]),
)
def test_order_scale_and_sign_of_codes_do_not_matter(order, scales, signs, kind):
    codes = FACTORS[:, [0, 1, 2, 2]] + np.random.RandomState(2).normal(size=(400, 4))
    changed = codes[:, order] * scales * signs
    expected = mcc(codes, FACTORS, correlation=kind).score
    assert mcc(changed, FACTORS, correlation=kind).score == pytest.approx(expected)


# --- r2

FACTORS_R2 = np.random.RandomState(0).randint(6, size=(600, 3))
TRAIN, TEST = slice(0, 400), slice(400, None)


def r2_of(codes, factors=FACTORS_R2, **arguments):
    return r2(codes[TRAIN], factors[TRAIN], test=(codes[TEST], factors[TEST]), **arguments)


def noisy_mixture():
    random_state = np.random.RandomState(1)
    return FACTORS_R2 @ random_state.normal(size=(3, 5)) + random_state.normal(size=(600, 5))


def test_linear_mixtures_are_perfect_both_ways(random_state):
    result = r2_of(FACTORS_R2 @ random_state.normal(size=(3, 3)))
    assert result.score == pytest.approx(1.0)
    assert result.reverse == pytest.approx(1.0)


def test_noise_is_near_the_worst_of_r2(random_state):
    result = r2_of(random_state.normal(size=(600, 4)))
    assert abs(result.score) < 0.1
    assert abs(result.reverse) < 0.1


def test_against_scikit_learn():
    codes = noisy_mixture()
    result = r2_of(codes)
    forward = LinearRegression().fit(codes[TRAIN], FACTORS_R2[TRAIN]).predict(codes[TEST])
    backward = LinearRegression().fit(FACTORS_R2[TRAIN], codes[TRAIN]).predict(FACTORS_R2[TEST])
    assert result.per_factor == pytest.approx(r2_score(FACTORS_R2[TEST], forward, multioutput="raw_values"))
    assert result.per_code == pytest.approx(r2_score(codes[TEST], backward, multioutput="raw_values"))


def test_ridge_against_scikit_learn():
    codes = noisy_mixture()
    mean, deviation = codes[TRAIN].mean(axis=0), codes[TRAIN].std(axis=0)
    scaled = (codes - mean) / deviation
    predicted = Ridge(alpha=0.3 * 400).fit(scaled[TRAIN], FACTORS_R2[TRAIN]).predict(scaled[TEST])
    expected = r2_score(FACTORS_R2[TEST], predicted, multioutput="raw_values")
    assert r2_of(codes, ridge=0.3).per_factor == pytest.approx(expected)


def test_extra_codes_lower_only_the_reverse(random_state):
    codes = np.hstack([FACTORS_R2, random_state.normal(size=(600, 3))])
    result = r2_of(codes)
    assert result.score == pytest.approx(1.0)
    assert result.reverse == pytest.approx(0.5, abs=0.05)


def test_duplicated_codes_do_no_harm():
    codes = noisy_mixture()
    assert r2_of(np.hstack([codes, codes])).score == pytest.approx(r2_of(codes).score)


def test_codes_that_never_vary_say_nothing():
    result = r2_of(np.full((600, 2), 0.1))
    assert result.score == pytest.approx(0.0, abs=0.02)
    assert result.reverse == 0.0
    assert np.isnan(result.per_code).all()


def test_a_factor_that_is_constant_in_the_test_set_is_left_out():
    factors = FACTORS_R2.copy()
    factors[TEST, 1] = 2
    with pytest.warns(UserWarning, match="never vary: 1"):
        assert np.isnan(r2_of(FACTORS_R2, factors).per_factor).tolist() == [False, True, False]


def test_bad_arguments():
    with pytest.raises(errors.InvalidInput, match="`ridge` must be a finite number, at least 0; given: -1"):
        r2_of(FACTORS_R2, ridge=-1)
    with pytest.raises(errors.InvalidInput, match="`train` and `test` must have the same codes and factors"):
        r2(FACTORS_R2, FACTORS_R2, test=(FACTORS_R2[:, :2], FACTORS_R2))


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(5)), scales=st.lists(st.floats(0.01, 100.0), min_size=5, max_size=5))
def test_order_and_scale_of_codes_do_not_matter(order, scales):
    codes = noisy_mixture()
    changed = r2_of(codes[:, order] * scales - 1.0)
    assert changed.score == pytest.approx(r2_of(codes).score)
    assert changed.reverse == pytest.approx(r2_of(codes).reverse)


# --- Separated attribute predictability

on_data = adapter.on_data(sap_score)
on_fixed_data = adapter.on_fixed_data(sap_score)

CASES = {"sap_score": on_data, "sap_score_validation": on_fixed_data}


def points(num, seed, encode=lambda factors, generator: factors.astype(float)):
    generator = np.random.RandomState(seed)
    factors = generator.randint([3, 2, 3], size=(num, 3))
    return encode(factors, generator), factors


def noise(factors, generator):
    return generator.normal(size=(len(factors), 4))


def duplicated(factors, generator):
    return np.repeat(factors, 2, axis=1).astype(float)


@pytest.mark.parametrize(("continuous", "least"), [(False, 0.25), (True, 0.95)])
def test_perfect_codes_score_above_noise_and_duplicates(continuous, least):
    scores = [
        sap_score(*points(1000, 0, *encode), test=points(500, 1, *encode), continuous_factors=continuous).score
        for encode in ((), (noise,), (duplicated,))
    ]
    assert scores[0] > least and scores[1] < 0.05 and scores[2] < 0.01


def test_gaps_by_hand():
    assert np.allclose(find_top_two_gaps(np.array([[0.1, 0.9], [0.7, 0.2], [0.4, 0.8]])), [0.3, 0.1])


def test_squared_correlations_equal_numpys():
    train = points(200, 0, lambda f, g: f @ g.normal(size=(3, 4)) + g.normal(size=(len(f), 4)))
    expected = np.square(np.corrcoef(train[0].T, train[1].T)[:4, 4:])
    assert np.allclose(sap_score(*train, test=train, continuous_factors=True).matrix, expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(4)), st.floats(0.1, 10), st.floats(-5, 5))
def test_continuous_score_ignores_order_scale_and_shift(seed, order, scale, shift):
    codes, factors = points(60, seed, noise)
    score = sap_score(codes, factors, test=(codes, factors), continuous_factors=True).score
    moved = codes[:, order] * -scale + shift
    again = sap_score(moved, factors * 2 + 1, test=(moved, factors), continuous_factors=True).score
    assert 0 <= score <= 1 and again == pytest.approx(score, abs=1e-9)


def test_codes_may_change_places():
    (codes, factors), (test_codes, test_factors) = points(400, 0), points(200, 1)
    score = sap_score(codes, factors, test=(test_codes, test_factors)).score
    assert sap_score(codes[:, ::-1], factors, test=(test_codes[:, ::-1], test_factors)).score == score


@pytest.mark.parametrize("case", [c for name in CASES for c in reference_cases(name)], ids=case_name)
def test_scores_of_disentanglement_lib(case):
    # Support vector machines stop where their solver does, which releases of scikit-learn may move a little.
    tolerance = 1e-9 if case["parameters"]["continuous_factors"] else 0.01
    assert recomputed(case, CASES[case["metric"]]) == pytest.approx(case["scores"], abs=tolerance)


def test_constant_factors_are_left_out():
    codes, factors = points(300, 0)
    padded = np.hstack([factors, np.ones((300, 1), dtype=int)])
    for continuous in (False, True):
        with pytest.warns(UserWarning, match="sap_score leaves out factors that never vary: 3"):
            result = sap_score(codes, padded, test=(codes, padded), continuous_factors=continuous)
        alone = sap_score(codes, factors, test=(codes, factors), continuous_factors=continuous)
        assert result.score == alone.score and np.isnan(result.per_factor[3])


def test_constant_codes_explain_nothing():
    codes, factors = points(300, 0)
    codes[:, 1] = 0.1
    result = sap_score(codes, factors, test=(codes, factors), continuous_factors=True)
    assert (result.matrix[1] == 0).all() and np.isfinite(result.score)
    assert np.isfinite(sap_score(codes, factors, test=(codes, factors)).score)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ((np.zeros((4, 1)), np.eye(4)), (np.zeros((4, 1)), np.eye(4)), "`train`: At least 2 codes are needed"),
        ((np.full((4, 2), np.inf), np.eye(4)), (np.zeros((4, 2)), np.eye(4)), "`train`: `codes` must be finite"),
        ((np.zeros((4, 2)), np.eye(4)), (np.zeros((0, 2)), np.zeros((0, 4))), "`test`: .* at least one of each"),
        ((np.zeros((4, 2)), np.eye(4)), (np.zeros((3, 2)), np.eye(4)), "`test`: .* 3 and 4 rows"),
        ((np.zeros((4, 2)), np.ones((4, 2))), (np.zeros((4, 2)), np.ones((4, 2))), "all 2 are constant"),
    ],
)
def test_bad_input(train, test, message):
    with pytest.raises(errors.InvalidInput, match=message):
        sap_score(*train, test=test)


# --- Support vector machines of one code, beside scikit-learn's


def objective(weights, values, signs, costs):
    """Of (machines, 2) weights and intercepts, by the definition."""
    margins = np.maximum(0.0, 1.0 - signs * (np.outer(values, weights[:, 0]) + weights[:, 1]))
    return 0.5 * np.square(weights).sum(axis=1) + (costs * margins**2).sum(axis=0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([20, 200]), st.sampled_from([1e-3, 1.0, 1e4]), st.booleans())
def test_the_weights_are_the_best(seed, num_points, scale, ties):
    rng = np.random.RandomState(seed)
    values = scale * (np.round(rng.normal(size=num_points)) if ties else rng.normal(size=num_points))
    positive = np.column_stack([rng.rand(num_points) < 0.3, values > 0, np.zeros(num_points, dtype=bool)])
    costs = rng.uniform(0.01, 1.0, size=(2, 3))
    found = np.stack(fit_machines(values, positive, *costs), axis=1)
    signs, each = np.where(positive, 1.0, -1.0), np.where(positive, *costs)
    best = objective(found, values, signs, each)
    for shift in ((1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)):
        moved = found + np.array(shift) * np.maximum(np.abs(found), 1e-3)
        assert (objective(moved, values, signs, each) >= best * (1 - 1e-9)).all()


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_machines_are_those_of_liblinear(classes):
    rng = np.random.RandomState(classes)
    labels = rng.choice(classes, size=300, p=np.arange(1, classes + 1) / np.arange(1, classes + 1).sum())
    values = labels + 0.4 * rng.normal(size=300)
    machine = LinearSVC(C=0.01, class_weight="balanced", tol=1e-10, max_iter=100_000)
    expected = np.mean(machine.fit(values[:200, None], labels[:200]).predict(values[200:, None]) == labels[200:])
    found = machine_accuracies(values[:200], [labels[:200]], values[200:], [labels[200:]], 0.01)
    assert found == pytest.approx([expected])


def test_sap_by_either_solver():
    rng = np.random.RandomState(1)
    factors = np.column_stack(
        [rng.choice([3, 5, 9], size=400), rng.randint(2, size=400), rng.randint(6, size=400)]
    )
    codes = factors @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(400, 4))
    slow, exact = (sap_score(codes, factors, solver=solver) for solver in ("liblinear", "exact"))
    np.testing.assert_allclose(exact.matrix, slow.matrix, atol=0.02)


def test_a_value_that_is_only_tested_is_never_told():
    codes = np.repeat(np.arange(4.0), 10)[:, None] * [[1.0, -1.0]]
    factors = np.repeat([0, 1, 2, 3], 10)[:, None]
    fit, held = np.arange(30), np.arange(30, 40)
    found = sap_score(codes[fit], factors[fit], test=(codes[held], factors[held]), solver="exact")
    assert (found.matrix == 0).all()


# --- Modularity and explicitness

on_data_modularity = adapter.on_data(modularity_explicitness)


def points_modularity(num, seed, encode=lambda factors, generator: factors.astype(float)):
    generator = np.random.RandomState(seed)
    factors = generator.randint([3, 2, 4], size=(num, 3))
    return encode(factors, generator), factors


def scores(encode=lambda factors, generator: factors.astype(float)):
    result = modularity_explicitness(*points_modularity(1500, 0, encode), test=points_modularity(800, 1, encode))
    return result.modularity, result.explicitness_train, result.explicitness_test


def test_perfect_codes():
    assert scores() == pytest.approx((1, 1, 1), abs=0.01)


def test_noise_is_not_explicit():
    _, train, test = scores(lambda factors, generator: generator.normal(size=(len(factors), 3)))
    assert train == pytest.approx(0.5, abs=0.06) and test == pytest.approx(0.5, abs=0.06)


def test_duplicated_codes_stay_modular_and_explicit():
    assert scores(lambda factors, generator: np.repeat(factors, 2, axis=1)) == pytest.approx((1, 1, 1), abs=0.01)


def test_mixed_codes_are_explicit_but_not_modular():
    mixing = np.array([[1.0, 0.9, 0.8], [0.9, -1.0, 0.7], [0.8, 0.7, -1.0]])
    modularity, _, test = scores(lambda factors, generator: factors @ mixing)
    assert modularity < 0.95 and test > 0.95


def test_modularity_by_hand():
    information = np.array([[2.0, 1.0, 1.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    assert measure_modularities(information).tolist() == [0.75, 1.0, 0.0]


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, 12, elements=st.integers(0, 5).map(float)), arrays(bool, 12))
def test_area_equals_scikit_learns(values, positive):
    if positive.any() and not positive.all():
        assert area_under_roc(values, positive) == pytest.approx(roc_auc_score(positive, values), abs=1e-12)


def test_invariances():
    train, test = (
        points_modularity(num, num, lambda f, g: f @ np.arange(9).reshape(3, 3) + g.normal(size=f.shape))
        for num in (400, 200)
    )
    result = modularity_explicitness(*train, test=test)
    order = [2, 0, 1]
    moved = modularity_explicitness(
        train[0][:, order] * 4 - 8, train[1] * 3, test=(test[0][:, order] * 4 - 8, test[1] * 3)
    )
    assert moved.modularity == pytest.approx(result.modularity, abs=1e-12)
    assert moved.explicitness_test == pytest.approx(result.explicitness_test, abs=1e-4)


@pytest.mark.parametrize("case", reference_cases("modularity_explicitness"), ids=case_name)
def test_scores_of_disentanglement_lib_of_modularity(case):
    result = recomputed(case, on_data_modularity)
    assert result["modularity_score"] == pytest.approx(case["scores"]["modularity_score"], abs=1e-9)
    # The regression stops at a gradient of 1e-4, each processor's elsewhere; here and there by up to 1e-5.
    assert result == pytest.approx(case["scores"], abs=1e-4)


def test_constant_factors_and_codes():
    def add_constant(pair):
        return np.hstack([pair[0], np.full((len(pair[0]), 1), 0.1)]), np.hstack(
            [pair[1], np.ones((len(pair[1]), 1), int)]
        )

    train, test = points_modularity(300, 0), points_modularity(200, 1)
    with pytest.warns(UserWarning, match="modularity_explicitness leaves out factors that never vary: 3"):
        result = modularity_explicitness(*add_constant(train), test=add_constant(test))
    assert result.modularities[3] == 0 and np.isnan(result.explicitnesses_train[3])
    assert result.explicitness_test == pytest.approx(modularity_explicitness(*train, test=test).explicitness_test)


def test_no_code_varies():
    _, factors = points_modularity(300, 0)
    result = modularity_explicitness(np.ones((300, 2)), factors, test=(np.ones((300, 2)), factors))
    assert result.modularity == 0 and result.explicitness_train == result.explicitness_test == 0.5


def test_values_missing_from_a_set_are_left_out():
    codes, factors = points_modularity(300, 0)
    rest = factors[:, 2] < 3
    result = modularity_explicitness(codes, factors, test=(codes[rest], factors[rest]))
    assert np.isfinite(result.explicitnesses_test).all()
    result = modularity_explicitness(codes[rest], factors[rest], test=(codes, factors))
    assert np.isfinite(result.explicitnesses_test).all()
    same = factors[:, 1] == 0
    result = modularity_explicitness(codes, factors, test=(codes[same], factors[same]))
    assert np.isnan(result.explicitnesses_test[1]) and np.isfinite(result.explicitness_test)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        (
            (np.zeros((4, 2)), np.ones((4, 1))),
            (np.zeros((4, 2)), np.ones((4, 1))),
            "At least 2 factors are needed",
        ),
        ((np.full((4, 2), np.nan), np.eye(4)), (np.zeros((4, 2)), np.eye(4)), "`train`: `codes` must be finite"),
        ((np.zeros((4, 2)), np.eye(4)), (np.zeros((3, 2)), np.eye(4)), "`test`: .* 3 and 4 rows"),
        ((np.zeros((0, 2)), np.zeros((0, 2))), (np.zeros((3, 2)), np.eye(3)), "`train`: .* at least one of each"),
        ((np.zeros((4, 2)), np.ones((4, 2))), (np.zeros((4, 2)), np.ones((4, 2))), "all 2 are constant"),
    ],
)
def test_bad_input_of_modularity(train, test, message):
    with pytest.raises(errors.InvalidInput, match=message):
        modularity_explicitness(*train, test=test)


# --- The regression is scikit-learn's, only faster


@pytest.mark.parametrize("num_classes", [2, 3, 7])
@pytest.mark.parametrize("noise", [0.1, 1.0, 100.0])
def test_probabilities_equal_scikit_learns(num_classes, noise, random_state):
    labels = random_state.randint(num_classes, size=600)
    points = random_state.normal(size=(600, 4)) * noise + labels[:, None] * [1, 0, -1, 0.5]
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    weights = fit_softmax_regression(points, labels, num_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 100 iterations are not always enough, there and here
        expected = LogisticRegression().fit(points, labels).predict_proba(points)
    assert np.abs(class_probabilities(weights, points) - expected.T).max() < 1e-6


def test_probabilities_sum_to_one_however_large_the_scores():
    weights = np.array([[1000.0, 0.0], [-1000.0, 5.0], [0.0, 0.0]])
    probabilities = class_probabilities(weights, np.array([[3.0], [-3.0], [0.0]]))
    assert np.allclose(probabilities.sum(axis=0), 1.0)


def test_points_without_features_get_the_classes_shares():
    labels = np.array([0, 0, 0, 1, 2, 2])
    probabilities = class_probabilities(fit_softmax_regression(np.empty((6, 0)), labels, 3), np.empty((1, 0)))
    assert np.allclose(probabilities[:, 0], [1 / 2, 1 / 6, 1 / 3], atol=1e-3)


def test_sap_takes_classes_beside_numbers(random_state):
    factors = np.column_stack([random_state.randint(4, size=400), random_state.normal(size=400)])
    codes = factors + 0.05 * random_state.normal(size=factors.shape)
    both = sap_score(codes, factors, continuous_factors=[1])
    apart = sap_score(codes, factors[:, :1])
    assert both.matrix[:, 0] == pytest.approx(apart.matrix[:, 0])
    assert both.matrix[:, 1] == pytest.approx(sap_score(codes, factors, continuous_factors=True).matrix[:, 1])
    assert both.score == pytest.approx(both.per_factor.mean())
    assert score(codes, factors, "sap_score", bootstrap=0, chance=0).results["sap_score"].score == both.score
    with pytest.raises(errors.InvalidInput, match="continuous_factors"):
        sap_score(codes, factors, continuous_factors=[2])


def test_sap_does_not_take_fractions_for_classes():
    generator = np.random.RandomState(0)
    codes, factors = generator.normal(size=(60, 2)), generator.randint(3, size=(60, 2)) / 2
    with pytest.raises(errors.InvalidInput, match="continuous_factors"):
        sap_score(codes, factors)
    assert 0 <= sap_score(codes, factors, continuous_factors=[0, 1]).score <= 1


def test_explicitness_of_one_value_against_the_others(random_state):
    """As scikit-learn's regressions for each value: one in the middle is not told from those on both sides."""
    factors = random_state.randint(3, size=(900, 2))
    codes = factors.astype(float)
    test = codes[600:], factors[600:]
    found = modularity_explicitness(codes[:600], factors[:600], test=test, multi_class="ovr")
    scaled = (codes - codes[:600].mean(axis=0)) / codes[:600].std(axis=0)
    for i in range(2):
        theirs = OneVsRestClassifier(LogisticRegression()).fit(scaled[:600], factors[:600, i])
        told = theirs.decision_function(scaled[600:])
        areas = [roc_auc_score(factors[600:, i] == value, told[:, value]) for value in range(3)]
        assert found.explicitnesses_test[i] == pytest.approx(np.mean(areas), abs=0.02)
    assert found.explicitness_test == pytest.approx(0.83, abs=0.03)
    together = modularity_explicitness(codes[:600], factors[:600], test=test)
    assert together.explicitness_test > 0.999 and together.modularity == found.modularity
    with pytest.raises(errors.UnknownName, match="multi_class"):
        modularity_explicitness(codes, factors, multi_class="auto")
