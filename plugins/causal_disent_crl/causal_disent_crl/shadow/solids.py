"""The seven bodies: convex, standing on the floor at the origin, for a scale of 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from causal_disent.protocols import FloatArray, IntArray

#: Corners around the cylinder and the sphere, and rings of the sphere, as Blender makes them.
SIDES, RINGS = 32, 16
#: Planes whose numbers agree to so many digits are one.
DIGITS = 4


def _circle(number: int, radius: float, height: float, turn: float = 0.0) -> FloatArray:
    """(number, 3): points around the vertical; `turn` in degrees."""
    angles = 2 * np.pi * np.arange(number) / number + np.radians(turn)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(number, height)], axis=1)


def _cube() -> FloatArray:
    return np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)])


def _sphere() -> FloatArray:
    rings = np.pi * np.arange(1, RINGS) / RINGS
    around = [_circle(SIDES, np.sin(ring), 1 - np.cos(ring)) for ring in rings]
    return np.concatenate([[(0.0, 0.0, 0.0), (0.0, 0.0, 2.0)], *around])


def _cylinder() -> FloatArray:
    return np.concatenate([_circle(SIDES, 1.0, 0.0), _circle(SIDES, 1.0, 2.0)])


def _tetrahedron() -> FloatArray:
    return np.concatenate([_circle(3, 2.0, 0.0, 90.0), [(0.0, 0.0, 2 * np.sqrt(2))]])


def _octahedron() -> FloatArray:
    return np.concatenate([[(0.0, 0.0, 0.0), (0.0, 0.0, 3.0)], _circle(4, 1.5, 1.5)])


def _icosahedron(radius: float = 1.5) -> FloatArray:
    """On a corner, with the rounded numbers that Blender has for it: labels have digits enough to show them."""
    ring = np.array(
        [(-178.885, 0.0), (-55.277, 170.128), (144.72, 105.144), (144.72, -105.144), (-55.277, -170.128)]
    )
    low, high = (np.insert(sign * ring, 2, 200 + sign * -89.443, axis=1) for sign in (1, -1))
    return np.concatenate([[(0.0, 0.0, 0.0), (0.0, 0.0, 400.0)], low, high]) * (radius / 200)


def _dodecahedron() -> FloatArray:
    """An icosahedron of radius 2 whose edges were bevelled by 0.6: of its faces only a speck is left."""
    whole = _icosahedron(2.0)
    faces = whole[_hull_triangles(whole)]
    # Each face is drawn in by 0.6 on all sides, that is towards the middle of its inner circle.
    sides = np.linalg.norm(np.roll(faces, 1, axis=1) - np.roll(faces, 2, axis=1), axis=2)[..., None]
    perimeter = sides.sum(axis=1, keepdims=True)
    middles = (sides * faces).sum(axis=1, keepdims=True) / perimeter
    crossed = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    inner = np.linalg.norm(crossed, axis=1)[:, None, None] / perimeter
    corners = (middles + (1 - 0.6 / inner) * (faces - middles)).reshape(-1, 3)
    return corners - (0.0, 0.0, corners[:, 2].min())


_MAKERS: dict[str, Callable[[], FloatArray]] = {
    "cube": _cube,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "tetrahedron": _tetrahedron,
    "octahedron": _octahedron,
    "dodecahedron": _dodecahedron,
    "icosahedron": _icosahedron,
}
#: In the order in which images are counted.
SHAPES = tuple(_MAKERS)


@cache
def vertices(shape: str) -> FloatArray:
    """(corners, 3) of a body, its base at z = 0.

    Example:
        >>> [len(vertices(shape)) for shape in SHAPES]
        [8, 482, 64, 4, 6, 60, 12]
    """
    return _MAKERS[shape]()


@cache
def triangles(shape: str) -> IntArray:
    """(triangles, 3): the surface, as places in `vertices`, each counted against the clock from outside."""
    return _hull_triangles(vertices(shape))


@cache
def planes(shape: str) -> tuple[FloatArray, FloatArray]:
    """The body as the points with ``normals @ point <= offsets``: (faces, 3), pointing outwards, and (faces,)."""
    from scipy.spatial import ConvexHull

    equations = ConvexHull(vertices(shape)).equations
    _, first = np.unique(np.round(equations, DIGITS), axis=0, return_index=True)
    return equations[first, :3], -equations[first, 3]


def _hull_triangles(points: FloatArray) -> IntArray:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    corners = points[hull.simplices]
    outwards = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    wrong = (outwards * hull.equations[:, :3]).sum(axis=1) < 0
    found = hull.simplices.astype(np.int64)
    found[wrong] = found[wrong][:, ::-1]
    return found
