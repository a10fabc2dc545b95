from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.metrics.gaps import jemmig

FACTORS = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)


def noisy_codes():
    random_state = np.random.RandomState(1)
    return FACTORS[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def entropy(*columns):
    """In nats, by counting."""
    counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def test_perfect_codes():
    result = jemmig(FACTORS[:, ::-1], FACTORS)
    assert result.score == pytest.approx(1.0)
    assert result.raw == pytest.approx(0.0, abs=1e-9)


def test_noise_is_near_the_worst(random_state):
    codes = random_state.uniform(size=(5000, 4))
    factors = random_state.randint(4, size=(5000, 2))
    assert jemmig(codes, factors, num_bins=10).score < 0.02


def test_by_hand():
    # The first code holds the factor and one bit more, the second half of the factor's two bits.
    factor = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    codes = np.column_stack([np.arange(8), factor // 2])
    result = jemmig(codes, factor[:, None], num_bins=8)
    expected = log(8) - log(4) + log(2)  # H(z, g) - I(best) + I(second)
    assert result.raw == pytest.approx(expected)
    assert result.score == pytest.approx(1.0 - expected / (log(4) + log(8)))


def test_against_counted_joint_entropies():
    codes = np.round(noisy_codes())
    result = jemmig(codes, FACTORS, num_bins=60)  # more bins than values: each value has its own
    for i, factor in enumerate(FACTORS.T):
        shared = [entropy(code) + entropy(factor) - entropy(code, factor) for code in codes.T]
        best, second = np.argsort(shared)[::-1][:2]
        expected = entropy(codes[:, best], factor) - shared[best] + shared[second]
        assert result.raw_per_factor[i] == pytest.approx(expected)


def test_a_best_code_that_carries_more_than_its_factor_costs():
    both = FACTORS[:, 0] * 4 + FACTORS[:, 1]
    pure, impure = np.column_stack([FACTORS]), np.column_stack([both, FACTORS[:, 1]])
    assert jemmig(impure, FACTORS).per_factor[0] < jemmig(pure, FACTORS).per_factor[0] - 0.1


def test_duplicated_codes_close_the_gap():
    result = jemmig(np.hstack([FACTORS, FACTORS]), FACTORS)
    assert result.raw_per_factor == pytest.approx([log(3), log(4)])  # the second code knows as much


def test_equally_informative_codes_in_any_order():
    """The purer of the two is taken, whichever comes first."""
    both = FACTORS[:, 0] * 4 + FACTORS[:, 1]
    codes = np.column_stack([both, FACTORS[:, 0]])
    assert jemmig(codes, FACTORS[:, :1]).raw == pytest.approx(log(3))
    assert jemmig(codes[:, ::-1], FACTORS[:, :1]).raw == pytest.approx(log(3))


def test_one_code_has_no_second():
    with pytest.raises(errors.InvalidInput, match="At least 2 codes are needed; given: 1"):
        jemmig(FACTORS[:, :1], FACTORS)


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(3)), powers=st.lists(st.integers(-8, 8), min_size=3, max_size=3))
def test_order_and_scale_of_codes_do_not_matter(order, powers):
    codes = noisy_codes()
    changed = codes[:, order] * np.exp2(powers)  # powers of two move no code over the edge of a bin
    assert jemmig(changed, FACTORS).score == pytest.approx(jemmig(codes, FACTORS).score)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), num_bins=st.integers(2, 30))
def test_the_score_is_within_its_range(seed, num_bins):
    random_state = np.random.RandomState(seed)
    codes, factors = random_state.normal(size=(60, 3)), random_state.randint(3, size=(60, 2))
    result = jemmig(codes, factors, num_bins=num_bins)
    assert 0.0 <= result.score <= 1.0
    assert result.raw >= 0.0
