import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.metrics.cg import baseline_of


def brute_force(codes):
    """For each entry, the value of that code over all points that is farthest; the first one of equals."""
    result = np.empty_like(codes)
    for row in range(len(codes)):
        for column in range(codes.shape[1]):
            distances = np.abs(codes[:, column] - codes[row, column])
            result[row, column] = codes[distances.argmax(), column]
    return result


@given(st.lists(st.lists(st.integers(-6, 6), min_size=2, max_size=2), min_size=1, max_size=30))
def test_maximal_deviation_equals_the_search(rows):
    codes = np.array(rows, dtype=float)
    np.testing.assert_array_equal(baseline_of(codes, "max_deviation")(codes), brute_force(codes))


def test_midway_goes_to_the_extreme_that_comes_first():
    assert baseline_of(np.array([[0.0], [2.0], [1.0]]), "max_deviation")(np.array([[1.0]])) == 0
    assert baseline_of(np.array([[2.0], [0.0], [1.0]]), "max_deviation")(np.array([[1.0]])) == 2


def test_zero_and_mean():
    codes = np.array([[1.0, 2.0], [3.0, 6.0]])
    np.testing.assert_array_equal(baseline_of(codes, "zero")(codes[:1]), [[0.0, 0.0]])
    np.testing.assert_array_equal(baseline_of(codes, "mean")(codes), [[2.0, 4.0], [2.0, 4.0]])


def test_unknown_baseline():
    with pytest.raises(errors.UnknownName, match="Unknown `baseline` 'maximal_deviation'. Did you mean 'max_dev"):
        baseline_of(np.eye(2), "maximal_deviation")
