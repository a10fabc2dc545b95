"""The scene of the Shadow data sets (Zhu et al. 2023): where things are, and what light makes of them.

The camera looks without perspective along `SIGHT`; what it sees is told in view coordinates (u, v), from (0, 0) at
the bottom left of the picture to (15, 15) at the top right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import is_whole
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value
from causal_disent_crl.shadow.solids import vertices

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
        """What reaches points (n, 3) of a white light.

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
    """The position of a point light under which the floor is brightest so far to the right."""
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
    r"""The area of a shadow in the picture, beside the base that it begins at.

    .. math:: \cos 65^\circ \, (A(\text{hull of the projected corners}) - A(\text{hull of the corners at } z = 0))

    Example:
        >>> round(shadow_area("cube", 0.4, 0.0, LIGHTS["sun"]), 3)
        0.433
    """
    return _hull_area(shadow_points(shape, scale, position, light)) - base_area(shape, scale)


@lru_cache(maxsize=128)
def base_area(shape: str, scale: float) -> float:
    """The area of the base of a body in the picture; 0 if it stands on a corner."""
    corners = vertices(shape) * scale
    return _hull_area(to_view(corners[corners[:, 2] <= FLOOR]))


def _hull_area(points: FloatArray) -> float:
    from scipy.spatial import ConvexHull

    return float(ConvexHull(points).volume) if len(points) > 2 else 0.0
