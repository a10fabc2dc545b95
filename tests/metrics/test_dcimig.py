from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent.metrics.gaps import best_gaps, dcimig

FACTORS = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)


def noisy_codes():
    random_state = np.random.RandomState(1)
    return FACTORS[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def test_perfect_codes():
    result = dcimig(FACTORS[:, ::-1], FACTORS)
    assert result.score == pytest.approx(1.0)
    assert result.per_factor.tolist() == pytest.approx([1.0, 1.0])


def test_noise_is_near_the_worst(random_state):
    assert dcimig(random_state.normal(size=(480, 4)), FACTORS, num_bins=5).score < 0.05


def test_by_hand():
    # Code 0 has gap 0.4 for factor 0, code 1 has 0.1 for it, code 2 has 0.2 for factor 2; none has factor 1.
    matrix = np.array([[0.9, 0.5, 0.1], [0.6, 0.2, 0.5], [0.0, 0.3, 0.5]])
    assert best_gaps(matrix).tolist() == pytest.approx([0.4, 0.0, 0.2])


def test_entropies_weigh_the_factors():
    result = dcimig(FACTORS[:, 1:], FACTORS)
    assert result.score == pytest.approx(log(4) / (log(3) + log(4)))
    assert result.per_factor.tolist() == pytest.approx([0.0, 1.0])


def test_a_code_of_both_factors_counts_only_what_tells_them_apart():
    both = FACTORS[:, :1] * 4 + FACTORS[:, 1:]
    result = dcimig(both, FACTORS, num_bins=12)
    assert result.score == pytest.approx((log(4) - log(3)) / (log(3) + log(4)))


def test_duplicated_codes_do_no_harm():
    codes = noisy_codes()
    assert dcimig(np.hstack([codes, codes]), FACTORS).score == pytest.approx(dcimig(codes, FACTORS).score)


def test_codes_that_never_vary_say_nothing():
    assert dcimig(np.ones((480, 2)), FACTORS).score == 0.0


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(3)), powers=st.lists(st.integers(-8, 8), min_size=3, max_size=3))
def test_order_and_scale_of_codes_do_not_matter(order, powers):
    codes = noisy_codes()
    changed = codes[:, order] * np.exp2(powers)  # powers of two move no code over the edge of a bin
    assert dcimig(changed, FACTORS).score == pytest.approx(dcimig(codes, FACTORS).score)
