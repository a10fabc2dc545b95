import networkx as nx
import numpy as np
import pytest

from causal_disent import errors, get_dataset, get_metric
from causal_disent.data.candle_mini import CandleMini
from causal_disent.data.weak_supervision import match_pairs


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


def test_the_place_of_the_object_can_be_a_factor():
    data, plain = CandleMini(scenes=1, place=True), CandleMini(scenes=1)
    assert data.factor_names == (*plain.factor_names, "place", "depth") and data.num_images == 9 * plain.num_images
    row = [[0, 0, 1, 3, 0, 1]]
    rows = np.array([[*row[0], place, depth] for place in range(3) for depth in range(3)])
    boxes = data.bounding_boxes(data.sample_indices(rows, np.random.RandomState(0))).reshape(3, 3, 4)
    middles, floors = boxes[..., [0, 2]].mean(axis=2), boxes[..., 3]
    assert (np.diff(middles, axis=0) > 0).all()  # further to the right
    assert (np.diff(floors, axis=1) < 0).all()  # further away is higher up in the picture
    assert (boxes[..., 2] - boxes[..., 0])[:, 0].min() > (boxes[..., 2] - boxes[..., 0])[:, 2].max()  # and smaller


def test_the_place_can_be_confounded_conditioned_on_and_left_out():
    rules = ["only size=small: depth=near", "only size=large: depth=far"]
    data = get_dataset("candle_mini", scenes=1, place=True, confounding=rules)
    table = data.factor_table
    assert set(table[table["size"] == "large"]["depth"]) == {"far"} and len(table) < 9 * 1350
    pairs = match_pairs(data, ["place"], 5, np.random.RandomState(0))
    assert (table.loc[pairs[:, 0], "place"].to_numpy() == table.loc[pairs[:, 1], "place"].to_numpy()).all()
    unmeasured = get_dataset("candle_mini", scenes=1, place=True, factors=["object", "size"])
    assert unmeasured.num_factors == 2
    near = get_dataset("candle_mini", scenes=1, place=True, factors=["size", "depth"])
    scores = get_metric("irs")(
        near, lambda images: images.mean(axis=(1, 2)), np.random.RandomState(0), num_train=50
    )
    assert -1 <= scores["IRS"] <= 1


def test_a_counterfactual_place_moves_the_object_alone():
    data = CandleMini(scenes=1, place=True)
    index = data.sample_indices(np.array([[0, 0, 0, 0, 0, 1, 0, 0]]), np.random.RandomState(0))
    moved = data.counterfactual(index, {"place": "right"})
    before = data.observations(index)
    same = data.counterfactual(index, {"place": "left"})
    np.testing.assert_array_equal(same, before)
    changed = np.abs(moved - before).max(axis=3)[0] > 0.02
    assert changed.any() and changed.mean() < 0.6


@pytest.mark.parametrize("place", ["yes", 1, None])
def test_place_is_true_or_false(place):
    with pytest.raises(errors.InvalidInput, match="place"):
        CandleMini(place=place)
