"""The scene of Shadow, how it is drawn, and the data set that draws it."""

import json
import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from causal_disent_crl.shadow.data import CAUSES, NAMED
from causal_disent_crl.shadow.drawing import (
    Region,
    Scene,
    body_box,
    draw,
    film,
    half_planes,
    inside,
    seen_of,
    world_on_floor,
)
from causal_disent_crl.shadow.mini import ShadowMini
from causal_disent_crl.shadow.scene import (
    COLORS,
    EXTENT,
    LIGHT_COLORS,
    LIGHTS,
    ORIGIN,
    RIGHT,
    SCALES,
    SHAPES,
    SIGHT,
    UP,
    base_area,
    brightest,
    floor_points,
    light_positions,
    outline,
    planes,
    shadow_area,
    shadow_points,
    to_view,
    track_place,
    triangles,
    vertices,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.data.drawn import _album
from causal_disent.graphs.check_graph import check_graph

#: Recomputed from the published scene, for the nine positions of the published programs.
AREAS = json.loads(Path(__file__).with_name("shadow_areas.json").read_text())
POSITIONS = st.floats(0, 8)


@pytest.mark.parametrize("light", LIGHTS)
@pytest.mark.parametrize("body", AREAS["sun"])
def test_areas_are_the_published_ones_to_the_last_digit(light, body):
    shape, scale = body.split("_")
    areas = [shadow_area(shape.lower(), float(scale), float(k), LIGHTS[light]) for k in range(9)]
    assert [round(area, 3) for area in areas] == AREAS[light][body]


def test_bodies_are_those_of_the_scene():
    heights = {shape: vertices(shape)[:, 2].max() for shape in SHAPES}
    expected = (2, 2, 2, 2.8284, 3, 2.543, 3)
    np.testing.assert_allclose([heights[shape] for shape in SHAPES], expected, atol=1e-4)
    assert all(vertices(shape)[:, 2].min() == 0 for shape in SHAPES)
    # A dodecahedron whose corners are cut by a speck: the rings of its middle points.
    corners = vertices("dodecahedron").reshape(-1, 3, 3).mean(axis=1) - (0, 0, 2.543 / 2)
    rings = np.stack([np.hypot(corners[:, 0], corners[:, 1]), corners[:, 2]], axis=1)
    found = np.unique(rings.round(2), axis=0)
    np.testing.assert_allclose(found, [(0.96, -1.26), (0.96, 1.26), (1.56, -0.3), (1.56, 0.3)], atol=0.011)


@pytest.mark.parametrize("shape", SHAPES)
def test_planes_and_triangles_are_the_surface_of_the_corners(shape):
    normals, offsets = planes(shape)
    depth = normals @ vertices(shape).T - offsets[:, None]
    assert depth.max() < 1e-4 and ((depth > -1e-4).sum(axis=1) >= 3).all()
    corners = vertices(shape)[triangles(shape)]
    outwards = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middle = vertices(shape).mean(axis=0)
    assert ((outwards * (corners.mean(axis=1) - middle)).sum(axis=1) > 0).all()
    # Each edge belongs to two triangles, which run along it in opposite directions.
    edges = {(a, b) for t in triangles(shape).tolist() for a, b in zip(t, t[1:] + t[:1], strict=True)}
    assert {(b, a) for a, b in edges} == edges and len(edges) == 3 * len(corners)


def test_view_coordinates_are_the_published_ones():
    points = np.random.RandomState(0).uniform(-5, 5, (50, 3))
    x, y, z = points.T
    expected = np.stack([7.5 + (x + y) / np.sqrt(2), 5.3396 + 0.29884 * (y - x) + 0.90631 * z], axis=1)
    np.testing.assert_allclose(to_view(points), expected, atol=2e-4)
    for k in range(9):
        np.testing.assert_allclose(brightest(float(k)), [1.843 + 1.4142 * k, 5.340], atol=2e-3)
        assert track_place(brightest(float(k))[0]) == pytest.approx(k)
    floor = points * (1, 1, 0)
    np.testing.assert_allclose(floor_points(*to_view(floor).T), floor, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SHAPES), st.floats(0.2, 3), POSITIONS)
def test_areas_under_the_sun_grow_with_the_square_of_the_scale(shape, scale, position):
    sun = LIGHTS["sun"]
    assert shadow_area(shape, scale, position, sun) == pytest.approx(
        scale**2 * shadow_area(shape, 1.0, position, sun), abs=1e-9
    )


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(("cube", "sphere", "cylinder", "octahedron")),
    st.sampled_from(SCALES),
    POSITIONS,
    st.sampled_from(list(LIGHTS)),
)
def test_bodies_that_look_the_same_from_both_sides_cast_the_same_shadow_on_both(shape, scale, position, light):
    areas = [shadow_area(shape, scale, place, LIGHTS[light]) for place in (position, 8 - position)]
    assert areas[0] == pytest.approx(areas[1], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from(SCALES), POSITIONS, st.sampled_from(list(LIGHTS)))
def test_a_light_that_goes_away_from_the_middle_makes_no_shadow_smaller(shape, scale, position, light):
    farther = position + (0.5 if position > 4 else -0.5)
    if 0 <= farther <= 8 and abs(position - 4) > 0.5:
        near, far = (shadow_area(shape, scale, place, LIGHTS[light]) for place in (position, farther))
        assert far >= near - 1e-9 >= -1e-8


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(SHAPES),
    st.sampled_from(SCALES),
    POSITIONS,
    st.sampled_from(list(LIGHTS)),
    st.integers(0, 2**32 - 1),
)
def test_a_point_of_the_floor_is_dark_if_its_ray_to_the_light_meets_the_body(shape, scale, position, light, seed):
    """Ray by ray against the planes of the body: what the projected hull says too, but for a hair's breadth."""
    kind = LIGHTS[light]
    hull = half_planes(shadow_points(shape, scale, position, kind))
    view = np.random.RandomState(seed).uniform((2, 2), (13, 9), (200, 2))
    distance = (view @ hull.normals.T - hull.offsets).max(axis=1)
    view, dark = view[np.abs(distance) > 1e-3], (distance < 0)[np.abs(distance) > 1e-3]
    floor = floor_points(*view.T)
    along = kind.place(position) - (0 if light == "sun" else floor)
    along = np.broadcast_to(along, floor.shape)
    normals, offsets = planes(shape)
    ahead, gap = along @ normals.T, offsets * scale - floor @ normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = gap / ahead
    enter = np.where(ahead < -1e-12, crossing, -np.inf).max(axis=1)
    leave = np.where(ahead > 1e-12, crossing, np.inf).min(axis=1)
    beside = (np.abs(ahead) <= 1e-12) & (gap < 0)
    meets = (np.maximum(enter, 0) < leave - 1e-9) & ~beside.any(axis=1)
    np.testing.assert_array_equal(meets, dark)


@pytest.mark.parametrize("light", LIGHTS)
def test_areas_are_what_a_fine_grid_counts(light):
    for shape in SHAPES:
        hull = half_planes(shadow_points(shape, 1.2, 1.7, LIGHTS[light]))
        counted = inside(hull, Region(0, 1024, 0, 1024, 1024)).mean() * 15**2
        expected = shadow_area(shape, 1.2, 1.7, LIGHTS[light]) + base_area(shape, 1.2)
        assert counted == pytest.approx(expected, rel=5e-3)  # edges may run along the grid


def test_positions_of_the_light():
    assert light_positions(9).tolist() == list(range(9))
    assert len(light_positions()) == 20 and light_positions()[[0, -1]].tolist() == [0, 8]
    for wrong in (1, 0, -3, 2.5, "20", True, 10**9):
        with pytest.raises(errors.InvalidInput, match="2 to 1,000 positions of the light"):
            light_positions(wrong)


SUN, POINT = LIGHTS["sun"], LIGHTS["point"]
SCENE = Scene("cube", "red", 1.0, 2.0, "SkyBlue")


def picture(scene, light=SUN, size=64):
    return draw([scene], light, size)[0][0].astype(int)


@pytest.mark.parametrize(
    ("color", "published"),
    [
        ("SkyBlue", (190, 215, 215)), ("Plum", (215, 190, 215)), ("Khaki", (215, 215, 190)),
        ("Lavender", (190, 190, 215)), ("LightGreen", (190, 215, 190)), ("Coral", (215, 190, 190)),
    ],
)  # fmt: skip
def test_the_brightest_place_has_the_published_color(color, published):
    scene = SCENE._replace(light_color=color, position=0.0, scale=0.4)
    u, v = brightest(0.0) / EXTENT * 64
    assert np.abs(picture(scene, POINT)[int(64 - v), int(u)] - published).max() <= 2


def test_the_film_has_the_published_curve():
    known = {0.001: 4, 0.01: 26, 0.05: 70, 0.18: 128, 1: 206, 3: 237, 16.3: 255, 1000: 255, 0: 0}
    assert film(np.array(list(known))).tolist() == list(known.values())
    assert (np.diff(film(np.geomspace(1e-5, 20, 500)).astype(int)) >= 0).all()


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "sphere"])
def test_rays_meet_the_body_where_its_planes_are(shape):
    """Ray by ray: a point of the surface, on the side of the camera, and no ray beside the body."""
    scale, size = 1.2, 64
    seen = seen_of(shape, scale, size)
    normals, offsets = planes(shape)
    across, up = np.meshgrid(*seen.region.axes())
    starts = np.stack([across - ORIGIN[0], up - ORIGIN[1]], axis=-1).reshape(-1, 2) @ np.stack([RIGHT, UP])
    gap, ahead = scale * offsets - starts @ normals.T, normals @ SIGHT
    enter = np.where(ahead < -1e-9, gap / np.where(ahead == 0, 1, ahead), -np.inf).max(axis=1)
    leave = np.where(ahead > 1e-9, gap / np.where(ahead == 0, 1, ahead), np.inf).min(axis=1)
    sure = np.abs(leave - enter) > 1e-3
    np.testing.assert_array_equal((enter < leave)[sure], seen.mask.reshape(-1)[sure])
    met = starts[seen.mask.reshape(-1)] + enter[seen.mask.reshape(-1), None] * SIGHT
    np.testing.assert_allclose(seen.points, met, atol=1e-3)


def test_the_sphere_is_round():
    seen = seen_of("sphere", 1.2, 64)
    assert np.allclose(np.linalg.norm(seen.points - (0, 0, 1.2), axis=1), 1.2)
    assert np.allclose(seen.normals, (seen.points - (0, 0, 1.2)) / 1.2) and (seen.normals @ SIGHT <= 1e-9).all()


def test_the_world_that_a_body_hides_from_the_floor():
    """Against a sample of directions, weighed by the cosine."""
    hidden = world_on_floor("cube", 1.0, 64)
    directions = np.random.RandomState(0).normal(size=(20_000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    directions[:, 2] = np.abs(directions[:, 2])
    normals, offsets = planes("cube")
    for place in ([1.5, 0.0, 0.0], [0.0, -2.0, 0.0], [2.0, 2.0, 0.0]):
        u, v = to_view(np.array([place]))[0] / EXTENT * 64
        place = np.array(place)
        ahead, gap = directions @ normals.T, offsets - normals @ place
        with np.errstate(divide="ignore"):
            enter = np.where(ahead < 0, gap / ahead, -np.inf).max(axis=1)
            leave = np.where(ahead > 0, gap / ahead, np.inf).min(axis=1)
        meets = np.maximum(enter, 0) < leave
        expected = 1 - (directions[meets, 2]).sum() / directions[:, 2].sum()
        assert hidden[int(64 - v), int(u)] == pytest.approx(expected, abs=0.06)


def test_only_the_body_has_its_color():
    red, blue = picture(SCENE), picture(SCENE._replace(color="blue"))
    differs = (red != blue).any(axis=-1)
    xmin, ymin, xmax, ymax = body_box("cube", 1.0, 64)
    assert differs.any() and not np.delete(np.delete(differs, np.s_[ymin:ymax], 0), np.s_[xmin:xmax], 1).any()


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from(SCALES))
def test_boxes_hold_the_body_and_no_more(shape, scale):
    xmin, ymin, xmax, ymax = body_box(shape, scale, 64)
    corners = outline(shape, scale) / EXTENT * 64
    assert [xmin, xmax] == [np.floor(corners[:, 0].min()), np.ceil(corners[:, 0].max())]
    assert [64 - ymax, 64 - ymin] == [np.floor(corners[:, 1].min()), np.ceil(corners[:, 1].max())]


def test_pictures_do_not_depend_on_their_neighbours():
    random = np.random.RandomState(0)
    scenes = [
        Scene(random.choice(SHAPES), random.choice(list(COLORS)), random.choice(SCALES), float(random.randint(9)),
              random.choice(list(LIGHT_COLORS)))
        for _ in range(30)
    ]  # fmt: skip
    for light in (SUN, POINT):
        together, boxes = draw(scenes, light, 64)
        for number in (0, 11, 29):
            alone, box = draw([scenes[number]], light, 64)
            np.testing.assert_array_equal(together[number], alone[0])
            np.testing.assert_array_equal(boxes[number], box[0])


def test_the_shadow_is_darker_and_where_the_light_is_not():
    for light in (SUN, POINT):
        left = picture(SCENE._replace(position=0.0, color="green"), light)
        floor = left[60, 32]
        dark = (left.sum(axis=-1) < 0.5 * floor.sum()) & (np.ptp(left, axis=-1) < 20)
        assert dark.any() and np.flatnonzero(dark.any(axis=0)).mean() > 34
        right = picture(SCENE._replace(position=8.0, color="green"), light)
        dark = (right.sum(axis=-1) < 0.5 * floor.sum()) & (np.ptp(right, axis=-1) < 20)
        assert np.flatnonzero(dark.any(axis=0)).mean() < 30


@pytest.mark.parametrize("light", [SUN, POINT])
def test_a_shadow_whose_area_is_set_has_it(light):
    """Of a body on a corner, beside the part that it hides, which is the same behind large shadows."""
    scene = SCENE._replace(shape="octahedron", scale=0.4, position=4.0)
    lit, *dark = (
        draw([scene._replace(area=area)], light, 256)[0][0].astype(int) for area in (0.0, 12.0, 16.0, 20.0)
    )
    counts = [(np.abs(shadow - lit).max(axis=-1) > 60).sum() * (15 / 256) ** 2 for shadow in dark]
    np.testing.assert_allclose(np.diff(counts), (4.0, 4.0), rtol=0.05)
    natural = shadow_area("octahedron", 0.4, 4.0, light)
    same = picture(scene._replace(area=natural), light) - picture(scene, light)
    assert (same != 0).mean() < 0.01


def test_what_is_set_moves_nothing_else():
    plain = picture(SCENE, POINT)
    floor = picture(SCENE._replace(floor_color="Coral"), POINT)
    seen = seen_of("cube", 1.0, 64)
    inner = np.zeros((64, 64), dtype=bool)
    covered = seen.mask.reshape(seen.mask.shape[0] // 3, 3, -1, 3).all(axis=(1, 3))
    inner[seen.region.pixels] = covered
    np.testing.assert_array_equal(floor[inner], plain[inner])
    assert (floor[60, 2] != plain[60, 2]).any()
    moved = picture(SCENE._replace(spot=7.0), POINT)
    np.testing.assert_array_equal(moved[inner], plain[inner])
    assert moved[41, 60].sum() > plain[41, 60].sum() and moved[41, 4].sum() < plain[41, 4].sum()


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
