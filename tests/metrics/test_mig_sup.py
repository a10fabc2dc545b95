from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.metrics.gaps import gaps_of_codes, mig_sup

FACTORS = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)


def noisy_codes():
    random_state = np.random.RandomState(1)
    return FACTORS[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def test_perfect_codes():
    assert mig_sup(FACTORS[:, ::-1], FACTORS).score == pytest.approx(1.0)


def test_noise_is_near_the_worst(random_state):
    assert mig_sup(random_state.normal(size=(480, 4)), FACTORS, num_bins=5).score < 0.03


def test_by_hand():
    # Four points; the code is the first factor, of which the second has half: I = log 2 and log 2 / 2,
    # with entropies log 2 and log 4.
    factors = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])
    result = mig_sup(factors[:, :1], factors, num_bins=2)
    assert result.score == pytest.approx(log(2) / log(2) - log(2) / log(4))


def test_information_is_normalised_before_the_two_best_factors_are_chosen():
    assert gaps_of_codes(np.array([[0.2, 0.9, 0.6], [0.0, 0.0, 0.0]])).tolist() == pytest.approx([0.3, 0.0])


def test_a_code_of_both_factors_has_no_gap():
    factors = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert mig_sup(factors[:, :1] * 2 + factors[:, 1:], factors, num_bins=4).score == pytest.approx(0.0)


def test_duplicated_codes_do_no_harm():
    codes = noisy_codes()
    assert mig_sup(np.hstack([codes, codes]), FACTORS).score == pytest.approx(mig_sup(codes, FACTORS).score)


def test_only_active_codes_count(random_state):
    codes = np.column_stack([FACTORS, np.full(480, 0.1), 0.01 * random_state.normal(size=480)])
    every = mig_sup(codes, FACTORS)
    assert every.num_active_codes == 3
    assert np.isnan(every.per_code).tolist() == [False, False, True, False]
    active = mig_sup(codes, FACTORS, min_variance=0.01)
    assert active.score == pytest.approx(1.0)
    assert active.num_active_codes == 2


def test_no_active_code():
    assert mig_sup(np.ones((480, 2)), FACTORS).score == 0.0


def test_bad_variance():
    with pytest.raises(errors.InvalidInput, match="`min_variance` must be a finite number; given: nan"):
        mig_sup(FACTORS, FACTORS, min_variance=float("nan"))


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(3)), powers=st.lists(st.integers(-8, 8), min_size=3, max_size=3))
def test_order_and_scale_of_codes_do_not_matter(order, powers):
    codes = noisy_codes()
    # Powers of two move no code over the edge of a bin by rounding.
    changed = codes[:, order] * np.exp2(powers)
    assert mig_sup(changed, FACTORS).score == pytest.approx(mig_sup(codes, FACTORS).score)
