"""Bodies, shadows and view coordinates: against published numbers, and against rays cast one by one."""

import json
from pathlib import Path

import numpy as np
import pytest
from causal_disent_crl.shadow.drawing import Region, half_planes, inside
from causal_disent_crl.shadow.scene import (
    LIGHTS,
    SCALES,
    SHAPES,
    base_area,
    brightest,
    floor_points,
    light_positions,
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
