import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from causal_disent.metrics import irs, uc
from causal_disent.metrics.certainty import interval_of_mean, resample_counts
from causal_disent.metrics.deviations import robustness
from causal_disent.metrics.recount import IrsDraws


def resampled_matrices(codes, factors, counts, quantile=0.99):
    return [robustness(*pair) for pair in zip(*IrsDraws(codes, factors, quantile).resampled(counts), strict=True)]


@example(27595451, 700, 0.5, False)  # of the binary code no point is drawn that is among the lowest
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 40, 700]),
    st.sampled_from([0.5, 0.9, 0.99, 1.0]),
    st.booleans(),
)
def test_resampled_matrices_equal_those_of_the_repeated_points(seed, num_points, quantile, ties):
    generator = np.random.RandomState(seed)
    factors = np.column_stack([generator.randint(k, size=num_points) for k in (2, 3)])
    codes = np.column_stack(
        [generator.standard_cauchy(num_points), factors[:, 0], generator.normal(size=num_points)]
    )
    if ties:
        codes = np.round(codes, 1)
    counts = resample_counts(num_points, 3, generator)
    matrices = resampled_matrices(codes, factors, counts, quantile)
    for count, matrix in zip(counts, matrices, strict=True):
        chosen = np.repeat(np.arange(num_points), count)
        expected = irs(codes[chosen], factors[chosen], diff_quantile=quantile).matrix
        np.testing.assert_allclose(matrix, expected, atol=1e-9)


def test_an_end_with_too_few_points_is_computed_in_full():
    codes = np.arange(4000.0)[:, None]
    factors = np.zeros((4000, 1), dtype=int)
    counts = np.zeros((1, 4000), dtype=int)
    counts[0, 1500:2500] = 4  # neither end is drawn at all
    chosen = np.repeat(np.arange(4000), counts[0])
    expected = irs(codes[chosen], factors[chosen]).matrix
    np.testing.assert_allclose(resampled_matrices(codes, factors, counts)[0], expected)


def test_counts_are_those_of_a_resample(random_state):
    counts = resample_counts(50, 20, random_state)
    assert counts.shape == (20, 50) and (counts.sum(axis=1) == 50).all()
    assert resample_counts(50, 0, random_state).shape == (0, 50)


def test_intervals_are_reproducible_and_hold_the_score():
    generator = np.random.RandomState(0)
    factors = generator.randint(4, size=(200, 4))
    codes = factors @ generator.normal(size=(4, 6)) + generator.normal(size=(200, 6))
    with pytest.warns(DeprecationWarning, match="bootstrap"):
        first, again, other = (uc(codes, factors, bootstrap=200, random_state=seed).interval for seed in (1, 1, 2))
    assert first == again
    assert 0 <= first[0] <= uc(codes, factors).score <= first[1] <= 1
    assert first[0] < first[1]
    assert other[0] == pytest.approx(first[0], abs=0.2)


def test_any_attribution_can_be_resampled(random_state):
    factors = random_state.randint(3, size=(60, 2))
    codes = factors + random_state.normal(size=(60, 2))
    with pytest.warns(DeprecationWarning, match="bootstrap"):
        low, high = uc(codes, factors, attribution="mutual_information", bootstrap=3).interval
    assert low <= high


def test_an_interval_is_about_the_mean_and_takes_two():
    points, counts = np.array([0.2, 0.8]), np.array([[2, 0], [1, 1]])
    half = 1.96 * np.std([0.2, 0.5], ddof=1)
    assert interval_of_mean(points, counts, (0, 1)) == pytest.approx((0.5 - half, 0.5 + half))
    assert interval_of_mean(points, counts[:1]) is None and interval_of_mean(points, counts[:0]) is None
