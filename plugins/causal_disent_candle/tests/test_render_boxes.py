"""Boxes from projected points, against a pinhole camera written out by hand."""

import numpy as np
import pytest
from causal_disent_candle.render.in_blender.boxes import bounds, project
from hypothesis import given, settings
from hypothesis import strategies as st

SIZE = (320, 240)
FOCAL = 622.0

#: OpenGL's perspective matrix for that focal length in pixels; near and far plane at 0.1 and 100.
LENS = np.array(
    [
        [2 * FOCAL / SIZE[0], 0, 0, 0],
        [0, 2 * FOCAL / SIZE[1], 0, 0],
        [0, 0, -100.1 / 99.9, -20 / 99.9],
        [0, 0, -1, 0],
    ]
)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-0.5, 0.5), st.floats(-3, 3))
def test_points_appear_where_a_pinhole_shows_them(seed, angle, height):
    points = np.random.RandomState(seed).uniform((-3, -3, -30), (3, 3, -5), size=(20, 3))
    turned = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    # The camera stands at `height` and is turned by `turned`; the points are given in its own coordinates.
    world = points @ turned.T + (0, height, 0)
    view = np.eye(4)
    view[:3, :3] = turned.T
    view[:3, 3] = -turned.T @ (0, height, 0)
    expected = np.stack(
        [160 + FOCAL * points[:, 0] / -points[:, 2], 120 + FOCAL * points[:, 1] / -points[:, 2]], axis=1
    )
    np.testing.assert_allclose(project(world, view, LENS, SIZE), expected, atol=1e-6)


def test_points_behind_the_camera_are_refused():
    with pytest.raises(ValueError, match="behind the camera"):
        project(np.array([[0.0, 0.0, 1.0]]), np.eye(4), LENS, SIZE)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_bounds_hold_every_pixel_that_a_point_touches(seed):
    pixels = np.random.RandomState(seed).uniform((-40, -40), (360, 280), size=(5, 2))
    (xmin, ymin), (xmax, ymax) = bounds(pixels, SIZE)
    assert 0 <= xmin <= xmax <= 320 and 0 <= ymin <= ymax <= 240
    touched = np.zeros((240, 320), dtype=bool)
    inside = ((pixels >= 0) & (pixels < SIZE)).all(axis=1)
    columns, rows = np.floor(pixels[inside]).astype(int).T
    touched[rows, columns] = True
    touched[ymin:ymax, xmin:xmax] = False
    assert not touched.any()


def test_bounds_are_tight_and_clipped():
    assert bounds(np.array([[10.2, 20.7], [30.9, 41.1]]), SIZE) == [[10, 20], [31, 42]]
    assert bounds(np.array([[-5.0, -9.0], [400.0, 239.5]]), SIZE) == [[0, 0], [320, 240]]
