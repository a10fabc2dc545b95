"""The drawn data set: counts, splits, numbers, and counterfactuals that obey the graph."""

import pickle

import networkx as nx
import numpy as np
import pytest
from causal_disent_crl.shadow.data import CAUSES, NAMED
from causal_disent_crl.shadow.mini import ShadowMini
from causal_disent_crl.shadow.scene import LIGHTS, SCALES, brightest, shadow_area
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.data.drawn import _album
from causal_disent.graphs.check_graph import check_graph

DATA = {light: ShadowMini(light) for light in LIGHTS}
several = pytest.mark.parametrize("light", DATA)
EDGES = {
    ("shape", "shadow_area"), ("scale", "shadow_area"), ("light_position", "shadow_area"),
    ("light_color", "floor_color"),
}  # fmt: skip


@several
def test_all_combinations_are_there(light):
    data = DATA[light]
    assert len(data.factor_table) == 7 * 7 * 7 * 20 * 6 == 41_160
    assert data.factors_num_values[:5] == [7, 7, 7, 20, 6]
    assert not data.factor_table.duplicated().any()
    assert len(ShadowMini(light, positions=9).factor_table) == 18_522


@several
def test_the_numbers_are_those_of_the_scene(light):
    data = DATA[light]
    indices = np.random.RandomState(0).choice(41_160, 200, replace=False)
    table = data.factor_table.loc[indices]
    for row, values in zip(table.itertuples(index=False), data.factor_values(indices), strict=True):
        scale, position = float(row.scale), values[3]
        assert float(row.light_position) == pytest.approx(position, abs=1e-6)
        assert values[5] == shadow_area(row.shape, scale, position, LIGHTS[light])
        assert float(row.shadow_area) == pytest.approx(values[5], abs=1e-6)
        assert row.floor_color == row.light_color == NAMED["light_color"][int(values[4])]
        if light == "point":
            assert values[7] == brightest(position)[0]
    assert data.factor_values(indices).dtype == np.float64
    assert data.factor_values(indices).shape == (200, 8 if light == "point" else 7)


def test_the_split_is_ninety_to_ten_and_seeded():
    train, test = (set(ShadowMini(split=split).factor_table.index) for split in ("train", "test"))
    assert len(train) == 37_044 and len(test) == 4_116 and not train & test
    assert set(ShadowMini(split="test").factor_table.index) == test
    other = set(ShadowMini(split="test", split_seed=1).factor_table.index)
    assert other != test and len(other) == 4_116
    # Both parts show every value of every cause, and an image has the same number in each.
    data = ShadowMini(split="test")
    assert (data.factor_table[list(CAUSES)].nunique() == [7, 7, 7, 20, 6]).all()
    image = min(test)
    np.testing.assert_array_equal(data.observations([image]), DATA["sun"].observations([image]))


@several
def test_the_graph(light):
    graph = DATA[light].graph
    among = {(a, b) for a, b in graph.edges if b != "image"}
    assert among == EDGES | ({("light_position", "brightest")} if light == "point" else set())
    assert set(graph.predecessors("image")) == set(DATA[light].factor_names)
    # Color is nuisance: nothing but the image has to do with it.
    assert set(graph.successors("color")) == {"image"} and not list(graph.predecessors("color"))


@several
def test_the_data_obey_the_graph(light):
    check = check_graph(DATA[light])
    assert not check.broken and not check.untestable
    assert {("shape", "color", ()), ("color", "shadow_area", ())} <= {
        (test.first, test.second, test.given) for test in check.tested
    }


@st.composite
def interventions(draw, data):
    factor = draw(st.sampled_from(data.factor_names))
    if factor in NAMED:
        value = draw(st.sampled_from(NAMED[factor]))
    else:
        low, high = {"scale": (0.4, 1.6), "light_position": (0, 8), "shadow_area": (0, 20), "brightest": (2, 13)}[
            factor
        ]
        value = draw(st.floats(low, high))
    return factor, value


@several
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_intervention_moves_descendants_alone(light, choice):
    data = DATA[light]
    indices = choice.draw(st.lists(st.integers(0, 41_159), min_size=1, max_size=3))
    factor, value = choice.draw(interventions(data))
    before, after = data.factor_values(indices), data.counterfactual_values(indices, {factor: value})
    moved = {data.factor_names[column] for column in np.flatnonzero((before != after).any(axis=0))}
    assert moved <= {factor} | nx.descendants(data.graph, factor)
    column = data.factor_names.index(factor)
    assert (after[:, column] == (NAMED[factor].index(value) if factor in NAMED else value)).all()
    # What is caused follows the mechanism.
    for row in after if "shadow_area" in nx.descendants(data.graph, factor) else ():
        assert row[5] == shadow_area(NAMED["shape"][int(row[0])], row[2], row[3], data.light)


@several
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_null_interventions_return_the_same_pixels(light, choice):
    data = DATA[light]
    indices = choice.draw(st.lists(st.integers(0, 41_159), min_size=1, max_size=3))
    expected = data.observations(indices)
    np.testing.assert_array_equal(data.counterfactual(indices, {}), expected)
    factor = choice.draw(st.sampled_from(data.factor_names))
    own = data.factor_values(indices)[:, data.factor_names.index(factor)]
    np.testing.assert_array_equal(data.counterfactual(indices, {factor: own}), expected)


@several
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_setting_causes_gives_the_image_of_the_other_combination(light, choice):
    data = DATA[light]
    one, other = (choice.draw(st.integers(0, 41_159)) for _ in range(2))
    causes = choice.draw(st.lists(st.sampled_from(CAUSES), unique=True))
    rows = data.source.space.to_factors(np.array([one, other]))
    columns = [CAUSES.index(cause) for cause in causes]
    rows[0, columns] = rows[1, columns]
    target = data.source.space.to_index(rows[:1])
    do = {cause: data.factor_values([other])[0, CAUSES.index(cause)] for cause in causes}
    np.testing.assert_array_equal(data.counterfactual([one], do), data.observations(target))
    np.testing.assert_array_equal(data.counterfactual_values([one], do), data.factor_values(target))


@several
def test_setting_an_effect_changes_the_image_and_setting_it_back_undoes_it(light):
    data = DATA[light]
    indices = np.random.RandomState(1).choice(41_160, 10)
    effects = {"shadow_area": 6.0, "floor_color": "Coral", "brightest": 9.0}
    for column, effect in enumerate(data.factor_names[5:], start=5):
        own = data.factor_values(indices)[:, column]
        changed = data.counterfactual(indices, {effect: effects[effect]})
        same = np.isclose(data.counterfactual_values(indices, {effect: effects[effect]})[:, column], own)
        differs = (changed != data.observations(indices)).any(axis=(1, 2, 3))
        np.testing.assert_array_equal(differs, ~same)


@pytest.mark.parametrize(
    ("do", "kind", "message"),
    [
        ({"shade": 1}, errors.UnknownName, "Unknown factor 'shade'.*Did you mean 'shape'"),
        ({"shape": "cone"}, errors.UnknownName, "Unknown value of the factor 'shape' 'cone'"),
        ({"shape": 7}, errors.InvalidInput, "'shape' can be set to 0 to 6, the places of cube, .*; given: 7"),
        ({"shape": ["cube", "ball"]}, errors.UnknownName, "Unknown value of the factor 'shape' 'ball'"),
        ({"shape": 0.5}, errors.InvalidInput, "0 to 6, the places of cube, sphere, .*; given: 0.5"),
        ({"shape": None}, errors.InvalidInput, "is set to a number or a name, .*; given: None"),
        ("shape", errors.InvalidInput, "`do` must"),
        ({"scale": 2}, errors.InvalidInput, "can be set to 0.4 to 1.6; given: 2"),
        (
            {"scale": "big"},
            errors.InvalidInput,
            "is set to a number, or to one for each of the 2 images; given: 'big'",
        ),
        ({"light_position": float("nan")}, errors.InvalidInput, "can be set to 0 to 8; given: nan"),
        ({"shadow_area": -1}, errors.InvalidInput, "can be set to 0 to 25; given: -1"),
        ({"scale": [1, 1, 1]}, errors.InvalidInput, "one for each of the 2 images; given: .1, 1, 1."),
        ({"brightest": 5}, errors.UnknownName, "Unknown factor 'brightest'"),
    ],
)
def test_interventions_that_cannot_be_done(do, kind, message):
    with pytest.raises(kind, match=message):
        DATA["sun"].counterfactual([0, 1], do)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"light": "moon"}, errors.UnknownName, "'moon'.*sun, point"),
        ({"positions": 1}, errors.InvalidInput, "2 to 1,000 positions"),
        ({"size": 8}, errors.InvalidInput, "images of 16 to 256 pixels; given: size=8"),
        ({"split": "validation"}, errors.UnknownName, "'validation'.*all, train, test"),
        ({"split": "train", "split_seed": 2**32}, errors.InvalidInput, "`split_seed` must be a whole number"),
        ({"split": "train", "split_seed": -1}, errors.InvalidInput, "`split_seed` must be a whole number"),
    ],
)
def test_options_that_cannot_be_used(options, kind, message):
    with pytest.raises(kind, match=message):
        ShadowMini(**options)


def test_boxes_and_other_sizes():
    data = ShadowMini("point", positions=3, size=32)
    assert data.observation_shape == (32, 32, 3)
    boxes = data.bounding_boxes(np.arange(10))
    assert boxes.shape == (10, 4) and (boxes[:, 2:] > boxes[:, :2]).all()


def test_a_copy_in_another_process_draws_the_same():
    copy = pickle.loads(pickle.dumps(ShadowMini(positions=2)))
    np.testing.assert_array_equal(copy.observations([5]), ShadowMini(positions=2).observations([5]))


def test_effects_are_not_drawn_apart_from_their_causes():
    """Images are drawn from the table: each combination of factors is one of it."""
    data = DATA["point"]
    factors = data.sample_factors(100, np.random.RandomState(0))
    indices = data.sample_indices(factors, np.random.RandomState(1))
    np.testing.assert_array_equal(data.source.space.to_factors(indices), factors[:, :5])
    assert list(data.value_names[2]) == [str(scale) for scale in SCALES]


def test_more_images_than_memory_holds(monkeypatch):
    def zeros(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(np, "zeros", zeros)
    with pytest.raises(errors.InvalidInput, match=r"no memory for 2,058 images of shape \(250, 250, 3\)"):
        _album("never drawn", 2058, (250, 250, 3))
