"""The five solids of ``candle_mini``: where a ray meets each, and which way its surface faces there.

Every solid stands on z = 0 around the z axis and is about one unit large.
A convex solid is an intersection of slabs and quadrics, so a ray is inside it for the intersection of
the spans during which it is inside each of them.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from causal_disent.data.candle_mini.camera import Vector

Span = tuple[np.ndarray, np.ndarray]
# When each ray meets the solid first, and whether it does.
Meeting = tuple[np.ndarray, np.ndarray]

_CUBE_SIDE = 0.8
_SPHERE_RADIUS = 0.5
_CYLINDER_RADIUS = 0.4
_CYLINDER_HEIGHT = 0.96
_CONE_RADIUS = 0.54
_CONE_HEIGHT = 1.0
_RING_RADIUS = 0.38
_TUBE_RADIUS = 0.18

# Chords shorter than a step are missed; at 16 steps they graze the surface within a tenth of a pixel.
_TORUS_SAMPLES = np.linspace(0.0, 1.0, 17, dtype=np.float32)
_TORUS_REFINEMENTS = 2


class Solid(NamedTuple):
    """Geometry of one object, which fits into an upright tube of the given radius and height."""

    radius: float
    height: float
    meet: Callable[[Vector, Vector], Meeting]
    normal: Callable[[Vector], Vector]


def _slab(start: np.ndarray, direction: np.ndarray, low: float, high: float) -> Span:
    inverse = 1.0 / np.where(np.abs(direction) < 1e-9, 1e-9, direction)
    first = (low - start) * inverse
    second = (high - start) * inverse
    return np.minimum(first, second), np.maximum(first, second)


def _roots(a: np.ndarray, half_b: np.ndarray, c: np.ndarray) -> Span:
    """Where a t^2 + 2 half_b t + c is zero, in order; an empty span where it never is."""
    discriminant = half_b * half_b - a * c
    root = np.sqrt(np.maximum(discriminant, 0.0))
    first = (-half_b - root) / a
    second = (-half_b + root) / a
    near = np.where(discriminant < 0.0, np.inf, np.minimum(first, second))
    return near, np.maximum(first, second)


def _upright_tube(start: Vector, direction: Vector, radius: float) -> Span:
    a = direction[0] * direction[0] + direction[1] * direction[1]
    half_b = start[0] * direction[0] + start[1] * direction[1]
    return _roots(a, half_b, start[0] * start[0] + start[1] * start[1] - radius * radius)


def _common_span(*spans: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """When rays enter and leave all of the spans, and whether they are ever inside from time 0 on."""
    enter, leave = spans[0]
    for other_enter, other_leave in spans[1:]:
        enter = np.maximum(enter, other_enter)
        leave = np.minimum(leave, other_leave)
    return enter, leave, (enter < leave) & (leave > 0.0)


def _meet_convex(*spans: Span) -> Meeting:
    enter, _, hit = _common_span(*spans)
    return enter, hit


def _meet_cube(start: Vector, direction: Vector) -> Meeting:
    half = _CUBE_SIDE / 2
    return _meet_convex(
        _slab(start[0], direction[0], -half, half),
        _slab(start[1], direction[1], -half, half),
        _slab(start[2], direction[2], 0.0, _CUBE_SIDE),
    )


def _cube_normal(point: Vector) -> Vector:
    x, y, z = point[0], point[1], point[2] - _CUBE_SIDE / 2
    wide, deep, tall = np.abs(x), np.abs(y), np.abs(z)
    on_top = (tall >= wide) & (tall >= deep)
    on_x = ~on_top & (wide >= deep)
    on_y = ~on_top & ~on_x
    return np.sign(x) * on_x, np.sign(y) * on_y, np.sign(z) * on_top


def _meet_sphere(start: Vector, direction: Vector) -> Meeting:
    x, y, z = start[0], start[1], start[2] - _SPHERE_RADIUS
    a = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]
    half_b = x * direction[0] + y * direction[1] + z * direction[2]
    return _meet_convex(_roots(a, half_b, x * x + y * y + z * z - _SPHERE_RADIUS * _SPHERE_RADIUS))


def _sphere_normal(point: Vector) -> Vector:
    x, y, z = point
    return x / _SPHERE_RADIUS, y / _SPHERE_RADIUS, z / _SPHERE_RADIUS - 1.0


def _meet_cylinder(start: Vector, direction: Vector) -> Meeting:
    return _meet_convex(
        _upright_tube(start, direction, _CYLINDER_RADIUS), _slab(start[2], direction[2], 0.0, _CYLINDER_HEIGHT)
    )


def _cylinder_normal(point: Vector) -> Vector:
    x, y, z = point
    on_top = z > _CYLINDER_HEIGHT - 1e-4
    side = ~on_top / _CYLINDER_RADIUS
    return x * side, y * side, on_top * 1.0


def _meet_cone(start: Vector, direction: Vector) -> Meeting:
    slope = (_CONE_RADIUS / _CONE_HEIGHT) ** 2
    below = start[2] - _CONE_HEIGHT
    a = direction[0] * direction[0] + direction[1] * direction[1] - slope * direction[2] * direction[2]
    half_b = start[0] * direction[0] + start[1] * direction[1] - slope * below * direction[2]
    near, far = _roots(a, half_b, start[0] * start[0] + start[1] * start[1] - slope * below * below)
    # A ray steeper than the side is inside the double cone before the first and after the second root;
    # of the two, only the stretch below the apex belongs to the cone.
    steep = a < 0.0
    rising = direction[2] > 0.0
    enter = np.where(steep, np.where(rising, -np.inf, far), near)
    leave = np.where(steep, np.where(rising, near, np.inf), far)
    return _meet_convex((enter, leave), _slab(start[2], direction[2], 0.0, _CONE_HEIGHT))


def _cone_normal(point: Vector) -> Vector:
    x, y, _ = point
    around = np.sqrt(x * x + y * y) + 1e-9
    slant = math.sqrt(_CONE_HEIGHT**2 + _CONE_RADIUS**2)
    outward = _CONE_HEIGHT / slant
    return x / around * outward, y / around * outward, np.full_like(x, _CONE_RADIUS / slant)


def _meet_torus(start: Vector, direction: Vector) -> Meeting:
    """Look for the first change of sign of the torus's equation inside its bounding cylinder."""
    enter, leave, inside = _common_span(
        _upright_tube(start, direction, _RING_RADIUS + _TUBE_RADIUS),
        _slab(start[2], direction[2], 0.0, 2 * _TUBE_RADIUS),
    )
    rays = np.flatnonzero(inside)
    first = np.where(inside, np.maximum(enter, 0.0), 0.0)
    length = leave.take(rays) - first.take(rays)
    x, y, z = ((start[axis] + first * direction[axis]).take(rays) for axis in range(3))
    equation = _torus_equation((x, y, z), tuple(direction[axis].take(rays) * length for axis in range(3)))

    values = equation(_TORUS_SAMPLES[:, None])
    found = np.argmax(values < 0.0, axis=0)
    columns = np.arange(len(rays))
    high, low = _TORUS_SAMPLES[found], _TORUS_SAMPLES[found - (found > 0)]
    at_high, at_low = values[found, columns], values[found - (found > 0), columns]
    inside.put(rays, at_high < 0.0)
    for _ in range(_TORUS_REFINEMENTS):
        guess = low + (high - low) * at_low / np.where(at_low > at_high, at_low - at_high, 1.0)
        value = equation(guess)
        is_low = value >= 0.0
        low, at_low = np.where(is_low, guess, low), np.where(is_low, value, at_low)
        high, at_high = np.where(is_low, high, guess), np.where(is_low, at_high, value)
    first.put(rays, first.take(rays) + high * length)
    return first, inside


def _torus_equation(start: Vector, path: Vector) -> Callable[[np.ndarray], np.ndarray]:
    """A function of the part of the path that was gone: negative inside the torus."""
    x, y, z = start[0], start[1], start[2] - _TUBE_RADIUS
    flat = path[0] * path[0] + path[1] * path[1], x * path[0] + y * path[1], x * x + y * y
    a = flat[0] + path[2] * path[2]
    b = 2.0 * (flat[1] + z * path[2])
    c = flat[2] + z * z + (_RING_RADIUS**2 - _TUBE_RADIUS**2)
    ring = 4.0 * _RING_RADIUS**2
    flat_a, flat_b, flat_c = ring * flat[0], 2.0 * ring * flat[1], ring * flat[2]

    def equation(part: np.ndarray) -> np.ndarray:
        whole = (a * part + b) * part + c
        return whole * whole - ((flat_a * part + flat_b) * part + flat_c)

    return equation


def _torus_normal(point: Vector) -> Vector:
    x, y, z = point
    around = np.sqrt(x * x + y * y) + 1e-9
    outward = (around - _RING_RADIUS) / _TUBE_RADIUS
    return x / around * outward, y / around * outward, z / _TUBE_RADIUS - 1.0


SOLIDS: dict[str, Solid] = {
    "cube": Solid(_CUBE_SIDE * math.sqrt(0.5), _CUBE_SIDE, _meet_cube, _cube_normal),
    "sphere": Solid(_SPHERE_RADIUS, 2 * _SPHERE_RADIUS, _meet_sphere, _sphere_normal),
    "cylinder": Solid(_CYLINDER_RADIUS, _CYLINDER_HEIGHT, _meet_cylinder, _cylinder_normal),
    "cone": Solid(_CONE_RADIUS, _CONE_HEIGHT, _meet_cone, _cone_normal),
    "torus": Solid(_RING_RADIUS + _TUBE_RADIUS, 2 * _TUBE_RADIUS, _meet_torus, _torus_normal),
}
