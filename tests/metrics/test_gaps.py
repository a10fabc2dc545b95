"""Tests of `causal_disent.metrics.gaps`."""

from math import log

import numpy as np
import pytest
from dlib_reference import case_name, data_and_encoder, fixed_points, recomputed, reference_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causal_disent import adapter, errors
from causal_disent.metrics.gaps import (
    dcimig,
    find_best_gaps,
    find_gaps_of_codes,
    find_mig_gaps,
    jemmig,
    mig,
    mig_sup,
)

# --- The mutual information gap

on_data = adapter.on_data(mig)
on_fixed_data = adapter.on_fixed_data(mig)

CASES = {"mig": on_data, "mig_validation": on_fixed_data}


@pytest.fixture
def factors(random_state):
    return random_state.randint([3, 4, 5], size=(2000, 3))


def test_perfect_codes(factors):
    result = mig(factors.astype(float), factors)
    assert result.score > 0.99 and result.per_factor.shape == (3,) and result.information.shape == (3, 3)


def test_noise(factors, random_state):
    assert mig(random_state.normal(size=(2000, 5)), factors).score < 0.02


def test_duplicated_codes_have_no_gap(factors):
    assert mig(np.repeat(factors, 2, axis=1), factors).score == pytest.approx(0, abs=1e-12)


def test_the_gap_by_hand():
    assert np.allclose(
        find_mig_gaps(np.array([[0.2, 0.5], [0.8, 0.0], [0.6, 0.1]]), np.array([1.0, 2.0])), [0.2, 0.2]
    )


some_points = st.integers(4, 40).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, (n, 3), elements=st.integers(-8, 8).map(lambda v: v / 4)),
        arrays(np.int64, (n, 2), elements=st.integers(0, 2)).filter(lambda f: (np.ptp(f, axis=0) > 0).all()),
    )
)


@settings(max_examples=40, deadline=None)
@given(some_points, st.permutations(range(3)))
def test_range_and_invariances(points, order):
    codes, factors = points
    score = mig(codes, factors, num_bins=5).score
    assert -1e-12 <= score <= 1 + 1e-12
    # Powers of two, so that the edges of the bins move without rounding.
    assert mig(codes[:, order] * 4.0, factors, num_bins=5).score == pytest.approx(score, abs=1e-12)
    assert mig(codes[::-1], 7 - factors[::-1], num_bins=5).score == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("case", [c for name in CASES for c in reference_cases(name)], ids=case_name)
def test_scores_of_disentanglement_lib(case):
    assert recomputed(case, CASES[case["metric"]]) == pytest.approx(case["scores"], abs=1e-9)


def test_a_constant_factor_is_left_out(factors):
    padded = np.hstack([factors, np.full((2000, 1), 3)])
    with pytest.warns(UserWarning, match="mig leaves out factors that never vary: 3"):
        result = mig(factors, padded)
    assert result.score == pytest.approx(mig(factors, factors).score)
    assert np.isnan(result.per_factor[3])


def test_constant_codes_give_a_finite_score(factors):
    assert mig(np.ones((2000, 2)), factors).score == 0


@pytest.mark.parametrize(
    ("codes", "labels", "message"),
    [
        (np.full((4, 2), np.nan), np.arange(8).reshape(4, 2), "must be finite; point 0 has nan in column 0"),
        (np.zeros((3, 2)), np.arange(8).reshape(4, 2), "given: 3 and 4 rows"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "at least one of each"),
        (np.zeros((4, 1)), np.arange(8).reshape(4, 2), "At least 2 codes are needed; given: 1"),
        (np.zeros((4, 2)), np.zeros((4, 2)), "all 2 are constant"),
    ],
)
def test_bad_input(codes, labels, message):
    with pytest.raises(errors.InvalidInput, match=message):
        mig(codes, labels)


def test_bad_number_of_bins(factors):
    with pytest.raises(errors.InvalidInput, match="`num_bins` must be a whole number, at least 1; given: 0"):
        mig(factors, factors, num_bins=0)


def test_one_code_through_gin_is_an_error(random_state):
    data, _ = data_and_encoder("identity_data", "identity")
    with pytest.raises(errors.InvalidInput, match="At least 2 codes"):
        on_data(data, lambda images: np.asarray(images)[:, :1], random_state, num_train=50)
    with pytest.raises(errors.InvalidInput, match="At least 2 codes"):
        on_fixed_data(*fixed_points(data, 50, 0), lambda images: np.asarray(images)[:, :1])


# --- mig sup

FACTORS = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)


def noisy_codes():
    random_state = np.random.RandomState(1)
    return FACTORS[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def test_perfect_codes_of_mig_sup():
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
    assert find_gaps_of_codes(np.array([[0.2, 0.9, 0.6], [0.0, 0.0, 0.0]])).tolist() == pytest.approx([0.3, 0.0])


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


# --- dcimig

FACTORS_DCIMIG = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)


def noisy_codes_dcimig():
    random_state = np.random.RandomState(1)
    return FACTORS_DCIMIG[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def test_perfect_codes_of_dcimig():
    result = dcimig(FACTORS_DCIMIG[:, ::-1], FACTORS_DCIMIG)
    assert result.score == pytest.approx(1.0)
    assert result.per_factor.tolist() == pytest.approx([1.0, 1.0])


def test_noise_is_near_the_worst_of_dcimig(random_state):
    assert dcimig(random_state.normal(size=(480, 4)), FACTORS_DCIMIG, num_bins=5).score < 0.05


def test_by_hand_of_dcimig():
    # Code 0 has gap 0.4 for factor 0, code 1 has 0.1 for it, code 2 has 0.2 for factor 2; none has factor 1.
    matrix = np.array([[0.9, 0.5, 0.1], [0.6, 0.2, 0.5], [0.0, 0.3, 0.5]])
    assert find_best_gaps(matrix).tolist() == pytest.approx([0.4, 0.0, 0.2])


def test_entropies_weigh_the_factors():
    result = dcimig(FACTORS_DCIMIG[:, 1:], FACTORS_DCIMIG)
    assert result.score == pytest.approx(log(4) / (log(3) + log(4)))
    assert result.per_factor.tolist() == pytest.approx([0.0, 1.0])


def test_a_code_of_both_factors_counts_only_what_tells_them_apart():
    both = FACTORS_DCIMIG[:, :1] * 4 + FACTORS_DCIMIG[:, 1:]
    result = dcimig(both, FACTORS_DCIMIG, num_bins=12)
    assert result.score == pytest.approx((log(4) - log(3)) / (log(3) + log(4)))


def test_duplicated_codes_do_no_harm_of_dcimig():
    codes = noisy_codes_dcimig()
    assert dcimig(np.hstack([codes, codes]), FACTORS_DCIMIG).score == pytest.approx(
        dcimig(codes, FACTORS_DCIMIG).score
    )


def test_codes_that_never_vary_say_nothing():
    assert dcimig(np.ones((480, 2)), FACTORS_DCIMIG).score == 0.0


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(3)), powers=st.lists(st.integers(-8, 8), min_size=3, max_size=3))
def test_order_and_scale_of_codes_do_not_matter_of_dcimig(order, powers):
    codes = noisy_codes_dcimig()
    changed = codes[:, order] * np.exp2(powers)  # powers of two move no code over the edge of a bin
    assert dcimig(changed, FACTORS_DCIMIG).score == pytest.approx(dcimig(codes, FACTORS_DCIMIG).score)


# --- jemmig

FACTORS_JEMMIG = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)


def noisy_codes_jemmig():
    random_state = np.random.RandomState(1)
    return FACTORS_JEMMIG[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def entropy(*columns):
    """In nats, by counting."""
    counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def test_perfect_codes_of_jemmig():
    result = jemmig(FACTORS_JEMMIG[:, ::-1], FACTORS_JEMMIG)
    assert result.score == pytest.approx(1.0)
    assert result.raw == pytest.approx(0.0, abs=1e-9)


def test_noise_is_near_the_worst_of_jemmig(random_state):
    codes = random_state.uniform(size=(5000, 4))
    factors = random_state.randint(4, size=(5000, 2))
    assert jemmig(codes, factors, num_bins=10).score < 0.02


def test_by_hand_of_jemmig():
    # The first code holds the factor and one bit more, the second half of the factor's two bits.
    factor = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    codes = np.column_stack([np.arange(8), factor // 2])
    result = jemmig(codes, factor[:, None], num_bins=8)
    expected = log(8) - log(4) + log(2)  # H(z, g) - I(best) + I(second)
    assert result.raw == pytest.approx(expected)
    assert result.score == pytest.approx(1.0 - expected / (log(4) + log(8)))


def test_against_counted_joint_entropies():
    codes = np.round(noisy_codes_jemmig())
    result = jemmig(codes, FACTORS_JEMMIG, num_bins=60)  # more bins than values: each value has its own
    for i, factor in enumerate(FACTORS_JEMMIG.T):
        shared = [entropy(code) + entropy(factor) - entropy(code, factor) for code in codes.T]
        best, second = np.argsort(shared)[::-1][:2]
        expected = entropy(codes[:, best], factor) - shared[best] + shared[second]
        assert result.raw_per_factor[i] == pytest.approx(expected)


def test_a_best_code_that_carries_more_than_its_factor_costs():
    both = FACTORS_JEMMIG[:, 0] * 4 + FACTORS_JEMMIG[:, 1]
    pure, impure = np.column_stack([FACTORS_JEMMIG]), np.column_stack([both, FACTORS_JEMMIG[:, 1]])
    assert jemmig(impure, FACTORS_JEMMIG).per_factor[0] < jemmig(pure, FACTORS_JEMMIG).per_factor[0] - 0.1


def test_duplicated_codes_close_the_gap():
    result = jemmig(np.hstack([FACTORS_JEMMIG, FACTORS_JEMMIG]), FACTORS_JEMMIG)
    assert result.raw_per_factor == pytest.approx([log(3), log(4)])  # the second code knows as much


def test_equally_informative_codes_in_any_order():
    """The purer of the two is taken, whichever comes first."""
    both = FACTORS_JEMMIG[:, 0] * 4 + FACTORS_JEMMIG[:, 1]
    codes = np.column_stack([both, FACTORS_JEMMIG[:, 0]])
    assert jemmig(codes, FACTORS_JEMMIG[:, :1]).raw == pytest.approx(log(3))
    assert jemmig(codes[:, ::-1], FACTORS_JEMMIG[:, :1]).raw == pytest.approx(log(3))


def test_one_code_has_no_second():
    with pytest.raises(errors.InvalidInput, match="At least 2 codes are needed; given: 1"):
        jemmig(FACTORS_JEMMIG[:, :1], FACTORS_JEMMIG)


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(3)), powers=st.lists(st.integers(-8, 8), min_size=3, max_size=3))
def test_order_and_scale_of_codes_do_not_matter_of_jemmig(order, powers):
    codes = noisy_codes_jemmig()
    changed = codes[:, order] * np.exp2(powers)  # powers of two move no code over the edge of a bin
    assert jemmig(changed, FACTORS_JEMMIG).score == pytest.approx(jemmig(codes, FACTORS_JEMMIG).score)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), num_bins=st.integers(2, 30))
def test_the_score_is_within_its_range(seed, num_bins):
    random_state = np.random.RandomState(seed)
    codes, factors = random_state.normal(size=(60, 3)), random_state.randint(3, size=(60, 2))
    result = jemmig(codes, factors, num_bins=num_bins)
    assert 0.0 <= result.score <= 1.0
    assert result.raw >= 0.0


@pytest.mark.parametrize("function", [mig, mig_sup, dcimig, jemmig])
def test_one_point_does_not_decide_bins_of_equally_many_points(function):
    rng = np.random.RandomState(0)
    factors = rng.randint(3, size=(900, 3))
    codes = factors + 0.2 * rng.normal(size=factors.shape)
    spoiled = codes.copy()
    spoiled[0] += 1000
    robust = [function(one, factors, estimator="quantile_bins").score for one in (codes, spoiled)]
    assert robust[1] == pytest.approx(robust[0], abs=0.02)
    assert abs(function(spoiled, factors).score - function(codes, factors).score) > 0.1
