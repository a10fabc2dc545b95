import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors, get_dataset, get_metric
from causal_disent.metrics import irs


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
