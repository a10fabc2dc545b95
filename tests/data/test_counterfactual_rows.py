"""Counterfactuals of data sets whose factors do not cause each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors, get_dataset
from causal_disent.data.candle_mini.drawing import draw
from causal_disent.data.counterfactual import intervene_on_rows
from causal_disent.data.do_pairs import do_pairs
from causal_disent.data.state_space import StateSpace

SPACE = StateSpace({"object": ("cube", "sphere"), "angle": (0, 22.5, 45), "color": ("red", "blue", "green")})


@settings(deadline=None)
@given(st.data())
def test_what_is_set_is_set_and_the_rest_stays(data):
    rows = np.array(data.draw(st.lists(st.tuples(*(st.integers(0, n - 1) for n in SPACE.sizes)), min_size=1)))
    factors = data.draw(st.sets(st.sampled_from(SPACE.factor_names)))
    wanted = SPACE.sample(len(rows), np.random.RandomState(data.draw(st.integers(0, 99))))
    columns = [SPACE.position(factor) for factor in factors]
    expected = rows.copy()
    expected[:, columns] = wanted[:, columns]
    names = {f: np.array(SPACE.value_names[f])[wanted[:, SPACE.position(f)]] for f in factors}
    numbers = {f: SPACE.to_numbers(wanted)[:, SPACE.position(f)] for f in factors}
    for do in (names, numbers, {f: list(v) for f, v in names.items()}):
        np.testing.assert_array_equal(intervene_on_rows(SPACE, rows, do), expected)


@pytest.mark.parametrize(
    ("do", "told"),
    [
        ({"colour": "red"}, "colour"),
        ({"color": "pink"}, "pink"),
        ({"color": 3}, "color"),
        ({"color": 0.5}, "color"),
        ({"color": True}, "color"),
        ({"color": None}, "color"),
        ({"color": float("nan")}, "color"),
        ({"color": ["red"] * 3}, "color"),
        ({"angle": 30}, "angle"),
        ({2: 1}, "2"),
    ],
)
def test_values_that_do_not_exist(do, told):
    data = get_dataset("candle_mini", confounding="candle_color")
    rows = SPACE.sample(2, np.random.RandomState(0))
    with pytest.raises(errors.CausalDisentError, match=told):
        intervene_on_rows(SPACE, rows, do)
    with pytest.raises(errors.CausalDisentError):
        data.counterfactual(np.array([0, 1]), {"light": 3} | do)


@pytest.mark.parametrize("name", ["candle_mini", "synthetic_mini"])
def test_the_images_are_drawn_with_the_same_place_and_camera(name):
    data = get_dataset(name)
    indices = np.array([7, 900, 1111])
    np.testing.assert_array_equal(data.counterfactual(indices, {}), data.observations(indices))
    again = data.counterfactual(indices, {"color": data.factor_values(indices)[:, 1]})
    np.testing.assert_array_equal(again, data.observations(indices))
    color = data.space.value_names["color"][-1]
    images = data.counterfactual(indices, {"color": color})
    changed = (images != data.observations(indices)).any(axis=-1)
    for pixels, (left, top, right, bottom) in zip(changed, data.bounding_boxes(indices), strict=True):
        assert not pixels[:top].any() and not pixels[bottom:].any()  # the shadow has no color
        assert not pixels[:, :left].any() and not pixels[:, right:].any()
    values = data.counterfactual_values(indices, {"color": color})
    np.testing.assert_array_equal(values[:, 1], data.space.value("color", color))
    np.testing.assert_array_equal(np.delete(values, 1, 1), np.delete(data.factor_values(indices), 1, 1))


def test_candle_mini_redraws_what_drawing_in_place_draws():
    data = get_dataset("candle_mini")
    before = np.array([[1, 0, 1, 2, 1, 0], [1, 0, 0, 5, 0, 2]])
    after = before.copy()
    after[:, 0], after[:, 1] = 0, 1
    images = data.counterfactual(data.space.to_index(before), {"object": "cube", "color": "blue"})
    np.testing.assert_array_equal(np.rint(images * 255), draw(after, before)[0])


def test_an_answer_that_the_confounding_forbids_is_given_and_marked():
    data = get_dataset("candle_mini", factors=["color", "object"], confounding="candle_color")
    cubes = data.factor_table.query("object == 'cube' and color == 'red'").index[:2].to_numpy()
    do = {"color": ["blue", "yellow"]}
    assert data.counterfactual_observed(cubes, do).tolist() == [True, False]
    whole = get_dataset("candle_mini")
    assert whole.counterfactual_observed(cubes, do).all()
    np.testing.assert_array_equal(data.counterfactual(cubes, do), whole.counterfactual(cubes, do))
    np.testing.assert_array_equal(data.counterfactual_values(cubes, do), [[1, 0], [2, 0]])


def test_sprites_are_looked_up():
    pytest.importorskip("causal_disent_datasets")
    data = get_dataset("dsprites_regenerated", confounding="dsprites_confounded")
    index = data.factor_table.index[:1].to_numpy()  # a square
    image = data.counterfactual(index, {"shape": "heart"})
    row = data.base.space.to_factors(index)
    row[0, data.base.space.position("shape")] = 2
    np.testing.assert_array_equal(image, data.observations(data.base.space.to_index(row)))
    assert not data.counterfactual_observed(index, {"shape": "heart"})[0]


def test_a_graph_of_ones_own_is_not_answered_by_independent_factors():
    import networkx as nx

    # The table knows an image with the same causes; the mechanism of candle_mini knows no effects.
    data = get_dataset("candle_mini")
    pairs = do_pairs(data, 3, np.random.RandomState(0), graph=nx.DiGraph([("object", "color")]))
    effects = data.factor_values(pairs.images)[:, 1]
    assert (pairs.effects["color"] != effects).all()
    assert pairs.after_effects.max() <= 1 and set(pairs.causes) == {"object"}
