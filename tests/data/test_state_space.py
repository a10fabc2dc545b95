import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.data.state_space import StateSpace

sizes = st.lists(st.integers(1, 5), min_size=1, max_size=5)


def space_of(sizes):
    return StateSpace({f"f{i}": range(size) for i, size in enumerate(sizes)})


@given(sizes)
def test_index_and_factors_are_inverse(sizes):
    space = space_of(sizes)
    indices = np.arange(space.num_combinations)
    np.testing.assert_array_equal(space.to_index(space.to_factors(indices)), indices)


def test_the_last_factor_is_fastest():
    np.testing.assert_array_equal(space_of([2, 3]).to_factors(np.array([0, 1, 3])), [[0, 0], [0, 1], [1, 0]])


def test_factors_are_drawn_one_after_the_other():
    drawn = space_of([3, 7]).sample(5, np.random.RandomState(1))
    expected = np.random.RandomState(1)
    np.testing.assert_array_equal(drawn[:, 0], expected.randint(3, size=5))
    np.testing.assert_array_equal(drawn[:, 1], expected.randint(7, size=5))


def test_unknown_names_suggest_the_nearest():
    space = StateSpace({"color": ("red", "blue"), "size": ("small",)})
    with pytest.raises(errors.UnknownName, match=r"Unknown factor 'colour'. Did you mean 'color'\?"):
        space.position("colour")
    with pytest.raises(errors.UnknownName, match=r"value of the factor 'color' 'rad'. Did you mean 'red'\?"):
        space.value("color", "rad")


def test_values_outside_are_located():
    with pytest.raises(errors.InvalidInput, match=r"The value 3 of the factor 'f1' \(row 1\) is outside 0..2"):
        space_of([2, 3]).to_index(np.array([[0, 0], [1, 3]]))
    with pytest.raises(errors.InvalidInput, match=r"shape \(points, 2\)"):
        space_of([2, 3]).check(np.zeros((4, 3), int))


@pytest.mark.parametrize("values", [(), ("red", "red")])
def test_a_factor_needs_distinct_values(values):
    with pytest.raises(errors.InvalidInput, match="'color' needs at least one value and no value twice"):
        StateSpace({"color": values})


def test_unnamed_data_gets_numbers():
    class Unnamed:
        num_factors, factors_num_values = 2, [2, 3]

    assert StateSpace.of(Unnamed()).value_names == {"factor_0": ("0", "1"), "factor_1": ("0", "1", "2")}


def test_dummy_data_draws_like_disentanglement_lib():
    factors, images = DummyData().sample(3, np.random.RandomState(0))
    expected = np.random.RandomState(0)
    np.testing.assert_array_equal(factors, expected.randint(5, size=(3, 10)))
    np.testing.assert_array_equal(images, expected.random_sample(size=(3, 64, 64, 1)))


def test_identity_data_observes_its_factors():
    factors, observed = IdentityData().sample(200, np.random.RandomState(0))
    np.testing.assert_array_equal(factors, observed)
    assert (factors.min(), factors.max()) == (1, 10)
