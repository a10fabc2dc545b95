"""What metrics with training and test points accept."""

import warnings

import numpy as np
import pytest

from causal_disent import errors
from causal_disent.checks import check_at_least, check_train_test, varying_factors
from causal_disent.metrics.draw import encode_fixed, split

POINTS = (np.zeros((4, 3)), np.arange(8).reshape(4, 2))


@pytest.mark.parametrize("value", [0, -1, 1.5, "3", None, True])
def test_counts_are_whole_and_positive(value):
    with pytest.raises(errors.InvalidInput, match="`num_train` must be a whole number, at least 1; given: "):
        check_at_least(1, num_train=value)


def test_train_and_test_come_back_as_arrays():
    train, test = check_train_test(([[0.0, 1.0]], [[1]]), ([[0.0, 1.0]], [[1]]))
    assert train[0].shape == test[0].shape == (1, 2) and train[1].shape == (1, 1)


def test_the_set_at_fault_is_named():
    with pytest.raises(errors.InvalidInput, match="^`test`: `codes` must be finite; point 1 has nan in column 2"):
        codes = np.zeros((4, 3))
        codes[1, 2] = np.nan
        check_train_test(POINTS, (codes, POINTS[1]))
    with pytest.raises(errors.InvalidInput, match="^`train`: .* same points; given: 3 and 4 rows"):
        check_train_test((POINTS[0][:3], POINTS[1]), POINTS)


def test_both_sets_have_the_same_columns():
    with pytest.raises(errors.InvalidInput, match="given: 3 codes, 2 factors and 2 codes, 2 factors"):
        check_train_test(POINTS, (POINTS[0][:, :2], POINTS[1]))


def test_a_set_is_a_pair():
    with pytest.raises(errors.InvalidInput, match=r"`train` must be a pair \(codes, factors\); given: ndarray"):
        check_train_test(POINTS[0], POINTS)


def test_factors_that_vary_pass_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert varying_factors(POINTS[1], "x").tolist() == [0, 1]


def test_constant_factors_are_named():
    with pytest.warns(UserWarning, match="mig leaves out factors that never vary: 1, 2"):
        assert varying_factors(np.array([[0, 1, 2], [1, 1, 2]]), "mig").tolist() == [0]
    with pytest.raises(errors.InvalidInput, match="mig needs a factor that varies; all 2 are constant"):
        varying_factors(np.ones((3, 2)), "mig")


def encode(observations):
    return np.asarray(observations, dtype=float)


def test_fixed_data_is_encoded_in_batches():
    sizes = []

    def counted(observations):
        sizes.append(len(observations))
        return encode(observations)

    codes, factors = encode_fixed(POINTS[1], POINTS[1].T, counted, 3)
    assert sizes == [3, 1]
    assert np.array_equal(codes, POINTS[1]) and np.array_equal(factors, POINTS[1])


def test_labels_have_a_column_per_observation():
    with pytest.raises(errors.InvalidInput, match=r"shape \(factors, 4\), .*; given: \(4, 2\)"):
        encode_fixed(POINTS[1], POINTS[1], encode, 3)
    with pytest.raises(errors.InvalidInput, match="`observations` must hold at least one"):
        encode_fixed(POINTS[1][:0], POINTS[1][:0].T, encode, 3)


def test_the_first_points_are_for_training():
    train, test = split(*POINTS, 0.6)
    assert len(train[0]) == len(train[1]) == 3
    assert np.array_equal(test[1], POINTS[1][3:])


@pytest.mark.parametrize("part", [0, 1, 1.5, -0.1, 0.9])
def test_some_points_must_be_left_for_testing(part):
    with pytest.raises(
        errors.InvalidInput, match="leaves points for training and for testing; given: .* 4 points"
    ):
        split(*POINTS, part)
