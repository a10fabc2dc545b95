"""The mutual information gap."""

import numpy as np
import pytest
from dlib_reference import case_name, data_and_encoder, fixed_points, recomputed, reference_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causal_disent import adapter, errors
from causal_disent.metrics.gaps import mig, mig_gaps

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
    assert np.allclose(mig_gaps(np.array([[0.2, 0.5], [0.8, 0.0], [0.6, 0.1]]), np.array([1.0, 2.0])), [0.2, 0.2])


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
