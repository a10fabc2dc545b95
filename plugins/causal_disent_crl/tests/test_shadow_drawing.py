"""Drawn pictures: against published brightness, and against rays cast one by one."""

import numpy as np
import pytest
from causal_disent_crl.shadow.drawing import Scene, body_box, draw, film, seen_of, world_on_floor
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
    brightest,
    outline,
    planes,
    shadow_area,
    to_view,
)
from hypothesis import given, settings
from hypothesis import strategies as st

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
