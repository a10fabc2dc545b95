"""Tests of `causal_disent.metrics.irs_uc`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.metrics import irs, uc, uc_of_sets, uc_per_rho
from causal_disent.metrics.irs_uc import attribute, select_codes
from causal_disent.registry import registry

# --- irs


def product(sizes, repeats=1):
    rows = np.stack(np.unravel_index(np.arange(np.prod(sizes)), sizes), axis=1)
    return np.repeat(rows, repeats, axis=0)


def by_definition(codes, factors, quantile):
    """The formula, one entry at a time."""
    matrix = np.zeros((codes.shape[1], factors.shape[1]))
    for j, code in enumerate(codes.T):
        for i, factor in enumerate(factors.T):
            within = [
                np.percentile(np.abs(code[factor == v] - code[factor == v].mean()), 100 * quantile)
                for v in set(factor)
            ]
            matrix[j, i] = 1 - np.mean(within) / np.abs(code - code.mean()).max()
    return matrix


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.5, 0.99, 1.0]))
def test_equals_the_definition(seed, num_codes, quantile):
    generator = np.random.RandomState(seed)
    codes, factors = generator.normal(size=(60, num_codes)), generator.randint(3, size=(60, 2))
    result = irs(codes, factors, diff_quantile=quantile)
    expected = by_definition(codes, factors, quantile)
    np.testing.assert_allclose(result.matrix, expected, atol=1e-12)
    weights = np.abs(codes - codes.mean(axis=0)).max(axis=0)
    np.testing.assert_allclose(result.score, np.average(expected.max(axis=1), weights=weights))


def test_perfect_codes():
    factors = product([5, 3, 6])
    assert irs(factors * [0.3, 7.0, -1.0] + 2.0, factors).score >= 0.999


def test_constant_codes_score_nothing():
    result = irs(np.full((9, 2), 0.1), product([3, 3]))
    assert (result.score, result.num_active_codes) == (0.0, 0)
    assert np.isnan(result.matrix).all()


def test_a_constant_code_is_undefined_and_has_no_weight():
    factors = product([3, 3])
    alone = irs(factors.astype(float), factors)
    joined = irs(np.column_stack([factors, np.full(9, 0.1)]), factors)
    assert joined.score == pytest.approx(alone.score)
    assert np.isnan(joined.matrix[2]).all() and joined.num_active_codes == 2 and joined.max_deviations[2] == 0


def test_noise_scores_low(random_state):
    assert irs(random_state.normal(size=(3000, 4)), random_state.randint(4, size=(3000, 3))).score < 0.4


def test_gin_on_identity_data():
    data = get_dataset("identity_data")
    scores = get_metric("irs")(data, lambda x: np.array(x, float), np.random.RandomState(0), num_train=2000)
    assert scores["IRS"] >= 0.999 and scores["num_active_dims"] == 10


@pytest.mark.parametrize(
    ("codes", "factors", "message"),
    [
        ([[0.0], [np.nan]], [[0], [1]], r"`codes` must be finite; point 1 has nan in column 0"),
        ([[0.0, np.inf]], [[0]], r"`codes` must be finite; point 0 has inf in column 1"),
        ([[0.0]], [[0], [1]], r"the same points; given: 1 and 2 rows"),
        (np.zeros((0, 2)), np.zeros((0, 1)), r"at least one of each; given: \(0, 2\)"),
        ([["a"]], [[0]], "`codes` must"),
        ([[1.0]], [[np.nan]], r"`factors` must be finite"),
    ],
)
def test_bad_arrays(codes, factors, message):
    with pytest.raises(errors.InvalidInput, match=message):
        irs(codes, factors)


def test_values_whose_squares_overflow_are_refused_in_words():
    codes = np.full((4, 1), 1e308)
    codes[0] = -1e308
    with pytest.raises(errors.InvalidInput, match=r"within \+-1e\+100; point 0 has -1e\+308 in column 0. Squares"):
        irs(codes, product([4]))
    assert irs(codes / 1e208, product([4])).num_active_codes == 1


@pytest.mark.parametrize("quantile", [-0.1, 1.1, float("nan")])
def test_bad_quantile(quantile):
    with pytest.raises(errors.InvalidInput, match="`diff_quantile` .* number"):
        irs([[0.0], [1.0]], [[0], [1]], diff_quantile=quantile)


# --- uc

sets = st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=2, max_size=5)
seeds = st.integers(0, 2**32 - 1)


def sample(seed, num_codes=5, num_factors=3):
    """Codes that mix the factors at random, with noise, so that no two attributions tie."""
    generator = np.random.RandomState(seed)
    factors = generator.randint(4, size=(80, num_factors))
    return factors @ generator.normal(size=(num_factors, num_codes)) + generator.normal(
        size=(80, num_codes)
    ), factors


@given(sets)
def test_range_and_extremes(sets):
    score = uc_of_sets(sets)
    assert 0 <= score <= 1
    disjoint = all(not a & b for i, a in enumerate(sets) for b in sets[:i])
    equal = all(a == sets[0] for a in sets)
    assert (score == 1) == disjoint
    assert (abs(score) < 1e-12) == equal


@given(sets, seeds)
def test_the_order_of_factors_and_the_names_of_codes_do_not_matter(sets, seed):
    generator = np.random.RandomState(seed)
    names = generator.permutation(6)
    again = [{int(names[code]) for code in sets[i]} for i in generator.permutation(len(sets))]
    assert uc_of_sets(again) == pytest.approx(uc_of_sets(sets))


def test_the_example_of_the_sources():
    assert uc_of_sets([{1, 2, 3}, {2, 3, 6}]) == 0.5


def test_every_pair_counts_once():
    # Of the three pairs only the last, (1, 2), overlaps: the published loops never reach it.
    assert uc_of_sets([{0}, {1}, {1}]) == pytest.approx(2 / 3)


def test_groups_of_three():
    assert uc_of_sets([{0, 1}, {1, 2}, {1, 3}], group_size=3) == pytest.approx(1 - 1 / 4)


@given(seeds, st.integers(1, 5))
def test_permuting_codes_or_factors_changes_nothing(seed, rho):
    codes, factors = sample(seed)
    generator = np.random.RandomState(seed)
    score = uc(codes, factors, rho=rho).score
    assert uc(codes[:, generator.permutation(5)], factors, rho=rho).score == pytest.approx(score)
    assert uc(codes, factors[:, generator.permutation(3)], rho=rho).score == pytest.approx(score)


@given(seeds, st.floats(0.01, 100), st.floats(-50, 50), st.sampled_from([-1, 1]))
def test_rescaling_or_shifting_a_code_changes_nothing(seed, scale, shift, sign):
    codes, factors = sample(seed)
    moved = codes.copy()
    moved[:, 1] = sign * scale * moved[:, 1] + shift
    assert uc(moved, factors, rho=2).sets == uc(codes, factors, rho=2).sets


@given(seeds)
def test_exact_ties_survive_rescaling(seed):
    factors = np.random.RandomState(seed).randint(3, size=(60, 2))
    codes = factors[:, [0, 0, 1]].astype(float)
    moved = codes * [1.0, 0.1, 3.3] + [0.0, 0.7, 1e-3]
    assert uc(codes, factors).sets == uc(moved, factors).sets


@given(seeds)
def test_with_every_code_it_is_zero(seed):
    codes, factors = sample(seed)
    assert uc(codes, factors, rho=5).score == 0


def test_results_fit_together():
    codes, factors = sample(0)
    result = uc(codes, factors, rho=2)
    assert result.score == uc_of_sets(result.sets)
    assert result.rescaled == pytest.approx(np.exp(2 * (result.score - 1)))
    assert result.attribution.shape == (5, 3) and all(len(codes) == 2 for codes in result.sets)
    pairs = result.jaccard[np.triu_indices(3, 1)]
    assert result.score == pytest.approx(1 - pairs.mean())
    np.testing.assert_array_equal(np.diag(result.jaccard), 1)
    assert result.interval is None


def test_the_rho_best_are_taken():
    scores = np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.1], [0.3, 0.8]])
    result = uc(np.random.RandomState(0).normal(size=(9, 4)), np.zeros((9, 2)), rho=2,
                              attribution=lambda *_: scores)  # fmt: skip
    assert result.sets == [(1, 2), (0, 3)] and result.score == 1


def test_curve():
    codes, factors = sample(1)
    curve = {rho: result.score for rho, result in uc_per_rho(codes, factors).items()}
    assert curve == {rho: uc(codes, factors, rho=rho).score for rho in range(1, 6)}


def test_fully_confounded_factors_share_their_code():
    factors = np.arange(60)[:, None].repeat(2, axis=1) % 6
    assert uc(2 * factors / 5 - 1, factors).score == 0


def test_gin_keys():
    data = get_dataset("candle_mini", factors=["object", "color"])
    oracle = get_representation("perfect_oracle", data)
    uc = get_metric("uc")
    one = uc(data, oracle, np.random.RandomState(0), num_train=300)
    assert one["UC"] == 1 and one["codes_factor_object"] == [0] and one["codes_factor_color"] == [1]
    with pytest.warns(DeprecationWarning, match="bootstrap"):
        several = uc(data, oracle, np.random.RandomState(0), num_train=300, rho=[1, 2], bootstrap=20)
    assert several["rho=1:UC"] == 1 and several["rho=2:UC"] == 0
    assert several["rho=1:UC_low"] == several["rho=1:UC_high"] == 1
    assert several["rho=2:UC_rescaled"] == pytest.approx(np.exp(-2))


@pytest.mark.parametrize("rho", [0, 6, 1.5, True, "2"])
def test_bad_rho(rho):
    codes, factors = sample(0)
    with pytest.raises(errors.InvalidInput, match=r"whole number( from 1 to 5 \(the number of codes\))?; given"):
        uc(codes, factors, rho=rho)


def test_one_factor_is_not_enough():
    with pytest.raises(errors.InvalidInput, match="UC compares factors with each other and needs at least two"):
        uc(np.eye(3), np.arange(3)[:, None])
    with pytest.raises(errors.InvalidInput, match="needs at least two; given: 1"):
        uc_of_sets([{1}])


def test_other_bad_input():
    with pytest.raises(errors.InvalidInput, match="The set of factor 1 is empty"):
        uc_of_sets([{1}, set()])
    with pytest.raises(errors.InvalidInput, match="`group_size` is from 2 to 2"):
        uc_of_sets([{1}, {2}], group_size=3)
    codes, factors = sample(0)
    with pytest.raises(errors.InvalidInput, match="`bootstrap`"):
        uc(codes, factors, bootstrap=-1)
    data = get_dataset("candle_mini", factors=["object", "color"])
    with pytest.raises(errors.InvalidInput, match="an empty list|a list of whole"):
        get_metric("uc")(
            data, get_representation("perfect_oracle", data), np.random.RandomState(0), num_train=50, rho=[]
        )


# --- attribution

FACTORS = np.stack(np.unravel_index(np.arange(4 * 4 * 30) % 16, (4, 4)), axis=1)


def noisy_codes(random_state):
    """Two codes for the two factors, a third that says nothing."""
    noise = random_state.normal(size=(len(FACTORS), 3))
    return np.column_stack([FACTORS[:, 1], FACTORS[:, 0], np.zeros(len(FACTORS))]) + 0.05 * noise


def test_one_point_does_not_decide_by_quantiles(random_state):
    factors = random_state.randint(3, size=(900, 3))
    codes = factors + 0.3 * random_state.normal(size=factors.shape)
    spoiled = codes.copy()
    spoiled[0, 0] += 100
    robust = [irs(one, factors, deviation="quantile").score for one in (codes, spoiled)]
    assert irs(spoiled, factors).score > irs(codes, factors).score + 0.1
    assert robust[1] == pytest.approx(robust[0], abs=0.05)
    assert (
        irs(codes, factors, deviation="quantile", diff_quantile=1).score
        == irs(codes, factors, diff_quantile=1).score
    )
    assert uc(spoiled, factors, attribution="robust_irs").score == 1.0


@pytest.mark.parametrize("name", registry.names("attributions"))
def test_every_attribution_finds_the_codes(name, random_state):
    scores = attribute(noisy_codes(random_state), FACTORS, name, random_state)
    assert scores.shape == (3, 2)
    assert select_codes(scores, 1) == [(1,), (0,)]


def test_ties_go_to_the_lower_index():
    assert select_codes(np.array([[0.5], [0.9], [0.9 + 1e-12], [0.1]]), 1) == [(1,)]
    assert select_codes(np.array([[0.5], [0.5], [0.5]]), 2) == [(0, 1)]


def test_codes_that_never_vary_rank_last():
    scores = attribute(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0], [1]]), "irs", np.random.RandomState(0))
    assert np.isnan(scores[0]).all()
    assert select_codes(scores, 1) == [(1,)]
    assert select_codes(scores, 2) == [(0, 1)]
    assert select_codes(np.array([[np.nan], [-5.0], [np.nan]]), 2) == [(0, 1)]


def test_published_selection_is_the_authors_expression():
    column = np.random.RandomState(0).uniform(size=10)
    for rho in (1, 2, 5, 7):
        expected = np.argpartition(column, -1)[::-rho][:rho]
        assert select_codes(column[:, None], rho, "published") == [tuple(sorted(expected))]
    # With ten codes and rho = 7 it takes two codes, not seven.
    assert len(select_codes(column[:, None], 7, "published")[0]) == 2


def test_published_selection_is_the_best_code_for_rho_1():
    column = np.array([[0.1], [np.nan], [0.7], [0.3]])
    assert select_codes(column, 1, "published") == [(2,)]


def test_own_functions():
    scores = attribute(np.eye(2), np.array([[0], [1]]), lambda codes, factors, rs: [[1.0], [2.0]], None)
    assert select_codes(scores, 1) == [(1,)]


def test_bad_attributions():
    with pytest.raises(errors.UnknownName, match="Unknown attribution 'isr'. Did you mean 'irs'"):
        attribute(np.eye(2), np.array([[0], [1]]), "isr", None)
    with pytest.raises(errors.InvalidInput, match=r"\(codes, factors\) = \(2, 1\); it returned \(2,\)"):
        attribute(np.eye(2), np.array([[0], [1]]), lambda *_: [1.0, 2.0], None)
    with pytest.raises(errors.InvalidInput, match="`attribution` is a name or a function"):
        attribute(np.eye(2), np.array([[0], [1]]), 3, None)
    with pytest.raises(errors.UnknownName, match="Unknown `selection` 'best'"):
        select_codes(np.eye(2), 1, "best")


def test_uc_names_factors_that_never_vary():
    factors = np.indices((3, 3)).reshape(2, -1).T
    with pytest.warns(UserWarning, match="never vary.*leave out 1"):
        uc(factors, factors * [1, 0])
