"""What stands in a picture of Shadow: the bodies, the light, and the shadow on the floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import is_whole
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

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
    """Return an icosahedron of radius 2 whose edges were bevelled by 0.6: of its faces only a speck is left."""
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
    """Triangulate the convex hull of points."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    corners = points[hull.simplices]
    outwards = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    wrong = (outwards * hull.equations[:, :3]).sum(axis=1) < 0
    found = hull.simplices.astype(np.int64)
    found[wrong] = found[wrong][:, ::-1]
    return found


#: Light that reaches the camera, linear: red, green, blue.
COLORS: dict[str, tuple[float, float, float]] = {
    "red": (1, 0, 0),
    "orange": (1, 0.5, 0),
    "yellow": (1, 1, 0),
    "green": (0, 1, 0),
    "cyan": (0, 1, 1),
    "blue": (0, 0, 1),
    "purple": (0.5, 0, 1),
}
LIGHT_COLORS: dict[str, tuple[float, float, float]] = {
    "SkyBlue": (0.5, 1, 1),
    "Plum": (1, 0.5, 1),
    "Khaki": (1, 1, 0.5),
    "Lavender": (0.5, 0.5, 1),
    "LightGreen": (0.5, 1, 0.5),
    "Coral": (1, 0.5, 0.5),
}
SCALES = (0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6)
#: Of the paper; the published programs have 9.
NUM_POSITIONS = 20
#: The light moves along the line from (-4, -4) to (4, 4); its position is from 0 to 8.
TRACK = 8.0
#: Side of the picture, in units of the scene.
EXTENT = 15.0
#: Radius of the ball that shows where the light is.
BALL = 1.0
#: Grey light from all around.
WORLD = 0.0509

#: Of the camera about x, y and z, in degrees.
TURN = (65.0, 0.0, 45.0)
_TILT = np.radians(TURN[0])
_HALF = np.sqrt(0.5)
#: Where the camera looks, and what is right and up in its picture.
SIGHT = np.array([-_HALF * np.sin(_TILT), _HALF * np.sin(_TILT), -np.cos(_TILT)])
RIGHT = np.array([_HALF, _HALF, 0.0])
UP = np.array([-_HALF * np.cos(_TILT), _HALF * np.cos(_TILT), np.sin(_TILT)])
CAMERA = np.array([7.0, -7.0, 7.0])
#: Part of its area that a piece of the floor has in the picture.
SLANT = float(np.cos(_TILT))
#: What stands lower than this stands on the floor.
FLOOR = 1e-4


@dataclass(frozen=True)
class Light:
    """A kind of light.

    Attributes:
        name: ``sun`` or ``point``.
        height: above the floor; a sun shines from there towards the origin.
        energy: W/m2 of a sun, W of a point.
        albedo: of the floor under it.
    """

    name: str
    height: float
    energy: float
    albedo: float

    def place(self, position: float) -> FloatArray:
        """(3,): where the light is."""
        return np.array([position - TRACK / 2, position - TRACK / 2, self.height])

    def on_floor(self, points: FloatArray, position: float) -> FloatArray:
        """(n, 2): where the shadows of points (n, 3) fall."""
        place = self.place(position)
        if self.name == "sun":
            return points[:, :2] - points[:, 2:] / self.height * place[:2]
        return place[:2] + self.height * (points[:, :2] - place[:2]) / (self.height - points[:, 2:])

    def reaching(self, points: FloatArray, position: float) -> tuple[FloatArray, FloatArray]:
        """Return what reaches points (n, 3) of a white light.

        Returns:
            (n, 3) or (1, 3) unit vectors towards it, and (n,) or (1,) its W/m2 on a surface that faces it. Under a
            point the ball around it shines too.
        """
        place = self.place(position)
        towards = place[None] if self.name == "sun" else place - points
        squared = (towards**2).sum(axis=1)
        strength = np.array([self.energy])
        if self.name == "point":
            strength = (self.energy / (4 * np.pi) + np.pi * BALL**2) / squared
        return towards / np.sqrt(squared)[:, None], strength


LIGHTS = {"sun": Light("sun", 5.0, 10.0, 0.8), "point": Light("point", 8.0, 3000.0, 1.0)}


def light_positions(number: Any = NUM_POSITIONS) -> FloatArray:
    """(number,): the positions of the light, evenly from 0 to 8.

    Example:
        >>> light_positions(9)
        array([0., 1., 2., 3., 4., 5., 6., 7., 8.])
    """
    if not is_whole(number) or not 2 <= number <= 1000:
        raise errors.InvalidInput(
            f"There are 2 to 1,000 positions of the light, a whole number; given: {shown_value(number)}."
        )
    return TRACK * np.arange(int(number)) / (int(number) - 1)


def to_view(points: FloatArray) -> FloatArray:
    """(n, 2): where points (n, 3) of the scene are in the picture."""
    return (points - CAMERA) @ np.stack([RIGHT, UP], axis=1) + EXTENT / 2


def floor_points(across: FloatArray, up: FloatArray) -> FloatArray:
    """(..., 3): the points of the floor that are at these view coordinates."""
    right = across - ORIGIN[0]
    away = (up - ORIGIN[1]) / SLANT
    return np.stack([_HALF * (right - away), _HALF * (right + away), np.zeros_like(right)], axis=-1)


#: The origin of the scene in the picture.
ORIGIN = to_view(np.zeros((1, 3)))[0]


def brightest(position: float) -> FloatArray:
    """(2,): the brightest place of the floor under a point light, in view coordinates.

    Example:
        >>> brightest(0.0).round(3)
        array([1.843, 5.34 ])
    """
    return to_view(LIGHTS["point"].place(position)[None] * (1, 1, 0))[0]


def track_place(across: float) -> float:
    """Return the position of a point light under which the floor is brightest so far to the right."""
    return float(TRACK / 2 + _HALF * (across - ORIGIN[0]))


def outline(shape: str, scale: float) -> FloatArray:
    """(corners, 2): the corners of a body in the picture."""
    return to_view(vertices(shape) * scale)


def shadow_points(shape: str, scale: float, position: float, light: Light) -> FloatArray:
    """(corners, 2): the shadows of the corners of a body in the picture; their convex hull is the whole shadow."""
    flat = light.on_floor(vertices(shape) * scale, position)
    return to_view(np.pad(flat, ((0, 0), (0, 1))))


@lru_cache(maxsize=4096)
def shadow_area(shape: str, scale: float, position: float, light: Light) -> float:
    r"""Return the area of a shadow in the picture, beside the base that it begins at.

    .. math:: \cos 65^\circ \, (A(\text{hull of the projected corners}) - A(\text{hull of the corners at } z = 0))

    Example:
        >>> round(shadow_area("cube", 0.4, 0.0, LIGHTS["sun"]), 3)
        0.433
    """
    return _hull_area(shadow_points(shape, scale, position, light)) - base_area(shape, scale)


@lru_cache(maxsize=128)
def base_area(shape: str, scale: float) -> float:
    """Return the area of the base of a body in the picture; 0 if it stands on a corner."""
    corners = vertices(shape) * scale
    return _hull_area(to_view(corners[corners[:, 2] <= FLOOR]))


def _hull_area(points: FloatArray) -> float:
    from scipy.spatial import ConvexHull

    return float(ConvexHull(points).volume) if len(points) > 2 else 0.0
