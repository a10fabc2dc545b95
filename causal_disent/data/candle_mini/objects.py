"""One lit object of ``candle_mini`` with its stripe and its shadow, drawn into a picture."""

import math
from typing import NamedTuple

import numpy as np

from causal_disent.data.candle_mini.camera import (
    CAMERA_HEIGHT,
    IMAGE_SIDE,
    STAGE_DISTANCE,
    Vector,
    pixels_of,
    ray_directions,
)
from causal_disent.data.candle_mini.solids import SOLIDS, Solid
from causal_disent.data.candle_mini.textures import Color

_STRIPE_COLOR = np.array((0.97, 0.96, 0.93), dtype=np.float32)
_STRIPE_HALF_WIDTH = 0.115
# At 45 degrees the stripe faces the camera, so that it is in sight from 0 to 90 degrees.
_FACING = -45.0

_AMBIENT = 0.40
_SKY = 0.10
_FILL = 0.16
_DIFFUSE = 0.56
_GLOSS = 0.38
# The highlight is squared this many times.
_SHARPNESS = 4
_SHADOW = 0.62
# The dark rim where an object meets the floor, and the distances from its axis between which it fades.
_CONTACT = 0.45
_CONTACT_REACH = 0.9
_CONTACT_CORE = 0.35
# Light that reaches the foot of an object, where the floor takes the rest away.
_LOW_LIGHT = 0.72
# Half the side of the square lamp, as slopes of the light.
_LAMP = 0.07

# Direction towards the light, of any length.
Light = tuple[float, float, float]
# Half pixels by which the camera moves the picture to the right and down.
Jitter = tuple[int, int]

# Corners of a box over [-1, 1] x [-1, 1]; lid is 0 for those below and 1 for those above.
_BOX_X, _BOX_Y, _BOX_LID = (part.ravel() for part in np.meshgrid((-1.0, 1.0), (-1.0, 1.0), (0.0, 1.0)))


class Pose(NamedTuple):
    """Where an object stands and how large it is, in world units, and how it is turned, in degrees."""

    x: float
    y: float
    size: float
    rotation: float


class Window(NamedTuple):
    """A block of pixels, half-open."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def pixels(self) -> tuple[slice, slice]:
        """The block as an index of (rows, columns)."""
        return slice(self.top, self.bottom), slice(self.left, self.right)


class _Frame:
    """The object's own coordinates: its base in the origin, its size 1, its stripe towards -y."""

    def __init__(self, pose: Pose) -> None:
        angle = math.radians(pose.rotation + _FACING)
        self._pose, self._cos, self._sin = pose, math.cos(angle), math.sin(angle)
        self.camera = self.place(np.array((0.0, 0.0, CAMERA_HEIGHT), dtype=np.float32))

    def turn(self, vector: Vector | np.ndarray) -> Vector:
        """A world direction; its length does not change."""
        x, y, z = vector
        return x * self._cos + y * self._sin, y * self._cos - x * self._sin, z

    def place(self, point: Vector | np.ndarray) -> Vector:
        """A world point, y counted from the camera."""
        x, y, z = point
        size = self._pose.size
        return self.turn(((x - self._pose.x) / size, (y - STAGE_DISTANCE - self._pose.y) / size, z / size))


def draw_object(
    image: np.ndarray, kind: str, color: Color, pose: Pose, light: Light, jitter: Jitter
) -> tuple[Window, np.ndarray]:
    """Draw an object and its shadow into an image of bytes.

    Args:
        image: (64, 64, 3) bytes, changed in place.
        kind: key of SOLIDS.
        color: red, green, blue in [0, 1].
        pose: place, size and rotation.
        light: direction towards the light, of any length.
        jitter: half pixels by which the camera moves the picture to the right and down.

    Returns:
        A window, and for each of its pixels the part in [0, 1] that the object covers.
    """
    solid, frame = SOLIDS[kind], _Frame(pose)
    slope_x, slope_y = light[0] / light[2], light[1] / light[2]

    lean = -slope_x * solid.height, -slope_y * solid.height, 0.0
    shadow_window = _window(pose, _CONTACT_REACH, lean, jitter)
    floor = image[shadow_window.pixels]
    rays = _rays(shadow_window, jitter, samples=1)
    floor[...] = floor * _floor_brightness(solid, frame, (slope_x, slope_y), rays)

    window = _window(pose, solid.radius, (0.0, 0.0, solid.height), jitter)
    covered, lit_body, lit_stripe, gloss = _look(solid, frame, light, _rays(window, jitter, samples=2))
    paint = lit_body * np.array(color, np.float32) + lit_stripe * _STRIPE_COLOR + gloss
    behind = image[window.pixels]
    behind[...] = np.rint(behind * (1.0 - covered) + 255.0 * np.minimum(paint, covered))
    return window, covered[..., 0]


def _window(pose: Pose, radius: float, lean: tuple[float, float, float], jitter: Jitter) -> Window:
    """Pixels that may show the object: a box around it, whose lid is the floor moved by lean (in sizes)."""
    columns, rows = pixels_of(
        pose.x + pose.size * (radius * _BOX_X + lean[0] * _BOX_LID),
        STAGE_DISTANCE + pose.y + pose.size * (radius * _BOX_Y + lean[1] * _BOX_LID),
        pose.size * lean[2] * _BOX_LID,
    )
    columns, rows = columns + jitter[0] / 2, rows + jitter[1] / 2
    return Window(
        max(math.floor(columns.min()), 0),
        max(math.floor(rows.min()), 0),
        min(math.ceil(columns.max()), IMAGE_SIDE),
        min(math.ceil(rows.max()), IMAGE_SIDE),
    )


def _rays(window: Window, jitter: Jitter, samples: int) -> Vector:
    """World directions through samples x samples places of each pixel."""
    columns = np.arange(window.left * samples, window.right * samples, dtype=np.float32) + 0.5
    rows = np.arange(window.top * samples, window.bottom * samples, dtype=np.float32) + 0.5
    x, y, z = ray_directions(columns[None, :] / samples - jitter[0] / 2, rows[:, None] / samples - jitter[1] / 2)
    return x, y, np.repeat(z, len(columns), axis=1)


def _floor_brightness(solid: Solid, frame: _Frame, slopes: tuple[float, float], rays: Vector) -> np.ndarray:
    time = -CAMERA_HEIGHT / rays[2]
    floor = frame.place((time * rays[0], time * rays[1], np.zeros_like(time)))
    # Neighbouring pixels look at different corners of the lamp; softening brings all four together.
    lamp_x = slopes[0] + _LAMP * _alternating(time.shape[1])[None, :]
    lamp_y = slopes[1] + _LAMP * _alternating(time.shape[0])[:, None]
    _, hidden = solid.meet(floor, frame.turn((lamp_x, lamp_y, np.ones_like(time))))
    distance = np.sqrt(floor[0] * floor[0] + floor[1] * floor[1])
    closeness = np.clip((_CONTACT_REACH - distance) / (_CONTACT_REACH - _CONTACT_CORE), 0.0, 1.0)
    shadow = _SHADOW * _soften(hidden)
    return ((1.0 - shadow) * (1.0 - _CONTACT * closeness * closeness))[..., None]


def _alternating(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.float32) % 2 * 2.0 - 1.0


def _look(solid: Solid, frame: _Frame, light: Light, rays: Vector) -> np.ndarray:
    """Per pixel: the part covered, the light on its body, the light on its stripe, its gloss."""
    rays = frame.turn(rays)
    time, hit = solid.meet(frame.camera, rays)
    seen = np.flatnonzero(hit)
    time = time.take(seen)
    dx, dy, dz = rays[0].take(seen), rays[1].take(seen), rays[2].take(seen)
    x, y, z = frame.camera[0] + time * dx, frame.camera[1] + time * dy, frame.camera[2] + time * dz
    lit, gloss = _shade(solid.normal((x, y, z)), (dx, dy, dz), frame.turn(_unit(light)))
    lit = lit * (_LOW_LIGHT + (1.0 - _LOW_LIGHT) * np.minimum(z / 0.4, 1.0))
    striped = (np.abs(x) < _STRIPE_HALF_WIDTH) & (y < 0.0)
    layers = np.zeros((4, hit.size), dtype=np.float32)
    layers[0, seen] = 1.0
    layers[1, seen] = lit * ~striped
    layers[2, seen] = lit * striped
    layers[3, seen] = gloss
    return _shrink(layers.reshape(4, *hit.shape))[..., None]


def _unit(direction: Light) -> np.ndarray:
    return np.array(direction, dtype=np.float32) / math.sqrt(sum(part * part for part in direction))


def _shade(normal: Vector, ray: Vector, light: Vector) -> tuple[np.ndarray, np.ndarray]:
    """Ambient, fill and Lambert light, and Blinn's highlight; light is a unit vector."""
    away = -1.0 / np.sqrt(_dot(ray, ray))
    viewer = ray[0] * away, ray[1] * away, ray[2] * away
    facing_light = np.maximum(_dot(normal, light), 0.0)
    lit = _AMBIENT + _SKY * normal[2] + _FILL * _dot(normal, viewer) + _DIFFUSE * facing_light
    half_way = light[0] + viewer[0], light[1] + viewer[1], light[2] + viewer[2]
    aligned = np.maximum(_dot(normal, half_way), 0.0)
    highlight = aligned * aligned / _dot(half_way, half_way)
    for _ in range(_SHARPNESS):
        highlight = highlight * highlight
    return lit, _GLOSS * highlight


def _dot(first: Vector, second: Vector) -> np.ndarray:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


def _shrink(fine: np.ndarray) -> np.ndarray:
    """Mean of the 2 x 2 samples of each pixel; rows and columns are the last two axes."""
    pairs = fine[..., ::2, :] + fine[..., 1::2, :]
    return (pairs[..., ::2] + pairs[..., 1::2]) * 0.25


def _soften(hidden: np.ndarray) -> np.ndarray:
    """Mix each pixel half and half with its neighbours, in both directions."""
    values = hidden.astype(np.float32)
    values = np.concatenate((values[:1], values, values[-1:]))
    values = values[:-2] + 2.0 * values[1:-1] + values[2:]
    values = np.concatenate((values[:, :1], values, values[:, -1:]), axis=1)
    return (values[:, :-2] + 2.0 * values[:, 1:-1] + values[:, 2:]) / 16.0
