import networkx as nx
import numpy as np
import pytest

from causal_disent import errors, get_dataset
from causal_disent.data.candle_mini import CandleMini


def test_factors_are_candles(candle):
    assert candle.factor_names == ("object", "color", "size", "rotation", "scene", "light")
    assert candle.factors_num_values == [5, 5, 3, 6, 3, 3]
    assert len(candle.factor_table) == 4050
    assert candle.value_names[3] == ("0", "15", "30", "45", "60", "90")


def test_the_image_is_that_of_its_row(candle, random_state):
    factors, images = candle.sample(5, random_state)
    assert images.shape == (5, 64, 64, 3) and images.dtype == np.float32
    assert images.min() >= 0 and images.max() <= 1
    table = candle.factor_table.loc[candle.sample_indices(factors, random_state)]
    for i, name in enumerate(candle.factor_names):
        np.testing.assert_array_equal(table[name].cat.codes, factors[:, i])


def test_all_sixteen_scenes_can_be_had(random_state):
    data = get_dataset("candle_mini", scenes=16, confounding="candle_released")
    assert len(data.factor_table) == 12_546
    assert data.sample_observations(2, random_state).shape == (2, 64, 64, 3)


def test_images_do_not_depend_on_the_number_of_scenes():
    row = np.array([[1, 2, 0, 3, 2, 1]])
    few, many = CandleMini(), CandleMini(scenes=16)
    np.testing.assert_array_equal(few.pixels(few.space.to_index(row)), many.pixels(many.space.to_index(row)))


@pytest.mark.parametrize("scenes", [0, 17, "abc", "3", 2.5, True, None])
def test_wrong_numbers_of_scenes(scenes):
    with pytest.raises(errors.InvalidInput, match=f"1 to 16 scenes; given: scenes={scenes!r}"):
        CandleMini(scenes=scenes)


def test_the_graph_is_a_dag_with_one_unobserved_confounder(candle):
    assert nx.is_directed_acyclic_graph(candle.graph)
    assert [node for node, observed in candle.graph.nodes(data="observed") if not observed] == ["U"]
    assert set(candle.graph.predecessors("scene")) == {"C", "U"}
    assert set(candle.graph.predecessors("image")) == set(candle.factor_names)
