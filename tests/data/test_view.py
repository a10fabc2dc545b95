import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors, get_dataset
from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.dummy import DummyData
from causal_disent.data.view import DataView, FiniteDataView, view


def test_nothing_to_change_changes_nothing(candle):
    assert view(candle) is candle


def test_factor_table_holds_the_allowed_images(candle):
    data = get_dataset("candle_mini", confounding="candle_color")
    table = data.factor_table
    assert len(table) == 1620
    assert set(map(tuple, table[["object", "color"]].drop_duplicates().to_numpy())) == {
        ("cube", "red"), ("cube", "blue"), ("sphere", "blue"), ("sphere", "yellow"), ("cylinder", "yellow"),
        ("cylinder", "purple"), ("cone", "purple"), ("cone", "orange"), ("torus", "orange"), ("torus", "red"),
    }  # fmt: skip
    np.testing.assert_array_equal(data.observations(table.index[:3]), candle.observations(table.index[:3]))


@given(st.integers(0, 2**32 - 1))
def test_samples_obey_the_rules(seed):
    data = get_dataset("candle_mini", factors=["color", "object"], confounding="candle_one_to_one")
    factors = data.sample_factors(50, np.random.RandomState(seed))
    np.testing.assert_array_equal(factors[:, 0], factors[:, 1])  # both orders list one-to-one partners alike


@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_conditional_samples_obey_and_keep_what_is_fixed(seed, color):
    data = get_dataset("candle_mini", confounding="candle_color")
    rows = data.sample_factors_given([1], np.full((40, 1), color), np.random.RandomState(seed))
    assert (rows[:, 1] == color).all()
    assert set(rows[:, 0]) <= {color, (color - 1) % 5}
    data.sample_indices(rows, np.random.RandomState(0))  # no row is forbidden


def test_conditional_samples_cover_all_that_is_allowed(random_state):
    data = get_dataset("candle_mini", confounding="candle_color")
    rows = data.sample_factors_given([1], np.zeros((2000, 1), int), random_state)
    assert set(rows[:, 0]) == {0, 4}
    assert abs((rows[:, 0] == 0).mean() - 0.5) < 0.05
    assert all(set(rows[:, i]) == set(range(size)) for i, size in enumerate(data.factors_num_values) if i > 1)


def test_unconfounded_draws_are_disentanglement_libs(candle):
    data = view(candle, factors=["color", "light"])
    factors, images = data.sample(6, np.random.RandomState(3))
    expected = np.random.RandomState(3)
    color, light = expected.randint(5, size=6), expected.randint(3, size=6)
    rest = [expected.randint(size, size=6) for size in (5, 3, 6, 3)]  # object, size, rotation, scene
    np.testing.assert_array_equal(factors, np.stack([color, light], axis=1))
    whole = np.stack([rest[0], color, rest[1], rest[2], rest[3], light], axis=1)
    np.testing.assert_array_equal(images, candle.observations(candle.space.to_index(whole)))


def test_nuisance_varies_and_is_no_factor():
    data = get_dataset("candle_mini", factors=["object", "color"])
    assert (data.num_factors, data.factors_num_values) == (2, [5, 5])
    indices = data.sample_indices(np.zeros((100, 2), int), np.random.RandomState(0))
    assert len(np.unique(indices)) > 50


def test_the_image_of_a_forbidden_combination_is_an_error(random_state):
    data = get_dataset("candle_mini", factors=["object", "color"], confounding="candle_one_to_one")
    with pytest.raises(errors.InvalidInput, match=r"forbids object=cube, color=blue \(row 1\)"):
        data.sample_observations_from_factors(np.array([[0, 0], [0, 1]]), random_state)


def test_views_add_up():
    first = get_dataset("candle_mini", confounding="candle_color")
    second = view(first, confounding="candle_size", factors=["object"])
    assert len(second.factor_table) == 4050 * 2 // 5 // 3
    assert second.factor_names == ("object",)


def test_data_that_are_not_finite_can_be_confounded(random_state):
    data = view(DummyData(), factors=["factor_0", "factor_1"], confounding="correlate factor_0 factor_1 0")
    assert isinstance(data, DataView) and not hasattr(data, "factor_table")
    factors, images = data.sample(20, random_state)
    np.testing.assert_array_equal(factors[:, 0], factors[:, 1])
    assert images.shape == (20, 64, 64, 1)


def test_weights_steer_the_draws(random_state):
    data = get_dataset("candle_mini", confounding="correlate object color 0.2")
    factors = data.sample_factors(4000, random_state)
    distance = np.abs(factors[:, 0] - factors[:, 1])
    weights = np.exp(-0.5 * (np.subtract.outer(np.arange(5), np.arange(5)) / 4 / 0.2) ** 2)
    expected = np.trace(weights) / weights.sum()
    assert abs((distance == 0).mean() - expected) < 0.03


@pytest.mark.parametrize("factors", [[], ["object", "object"], "object", 3])
def test_factors_must_be_a_list_and_distinct(candle, factors):
    with pytest.raises(errors.InvalidInput, match="a list of (texts|one or more names, none twice)"):
        view(candle, factors=factors)


def test_an_unknown_factor_is_named(candle):
    with pytest.raises(errors.UnknownName, match="Unknown factor 'colour'. Did you mean 'color'"):
        view(candle, factors=["colour"])


def test_boxes_and_graph_come_from_the_base():
    data = get_dataset("candle_mini", confounding="candle_size")
    assert data.bounding_boxes(np.array([0])).shape == (1, 4)
    assert "U" in data.graph
    with pytest.raises(AttributeError, match="has no attribute 'weather'"):
        data.weather  # noqa: B018


class Torn(FiniteDataView):
    """A view whose table fails in its own code."""

    @property
    def factor_table(self):
        return self.base.tabel


class TornTable(ArrayDataset):
    @property
    def factor_table(self):
        return self.source.tabel


def test_the_real_error_of_a_property_is_seen(candle):
    with pytest.raises(AttributeError, match="'CandleMini' object has no attribute 'tabel'"):
        Torn(candle).factor_table  # noqa: B018
    with pytest.raises(AttributeError, match="'_ImageArray' object has no attribute 'tabel'"):
        TornTable(np.zeros((1, 2, 2)), [[0]]).factor_table  # noqa: B018


def test_a_table_restricts_its_own_rows(random_state):
    rows = np.array([(a, b) for a in range(3) for b in range(3) if (a, b) != (2, 2)])
    table = ArrayDataset(np.zeros((8, 2, 2)), rows, factor_names=["object", "color"])
    data = view(view(table, confounding="never object=0 color=1"), factors=["color"])
    assert len(data.factor_table) == 7 and data.factor_names == ("color",)
    data.sample(100, random_state)  # no combination that is missing is asked for
