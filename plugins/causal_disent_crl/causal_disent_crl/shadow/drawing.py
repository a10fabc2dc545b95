"""Shadow images by numpy: convex bodies, visibility by formula, the light of the scene, Blender's Filmic curve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from causal_disent.protocols import FloatArray, IntArray
from causal_disent_crl.shadow.rays import FINE, Hull, Region, half_planes, inside, pixel_centres, pixel_means
from causal_disent_crl.shadow.scene import (
    BALL,
    COLORS,
    LIGHT_COLORS,
    ORIGIN,
    SIGHT,
    WORLD,
    Light,
    base_area,
    floor_points,
    shadow_area,
    shadow_points,
    to_view,
)
from causal_disent_crl.shadow.surface import light_on, seen_of, world_on_floor

#: Linear light, and the grey level that Blender's view transform Filmic makes of it; between them by logarithm.
_LINEAR = (0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.18, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 8, 12, 16.3)
_GREY = (4, 11, 26, 41, 70, 99, 128, 153, 177, 192, 206, 219, 228, 237, 245, 251, 254, 255)


class Scene(NamedTuple):
    """What is in a picture.

    Attributes:
        shape, color, scale: of the body.
        position: of the light, 0 to 8.
        light_color: its color, in which the floor is lit too.
        area: of the shadow where it is set: its outline grows or shrinks about the foot of the body.
        floor_color: the color in which the floor is lit where it is set.
        spot: of the light, 0 to 8, that the floor is lit by where it is set.
    """

    shape: str
    color: str
    scale: float
    position: float
    light_color: str
    area: float | None = None
    floor_color: str | None = None
    spot: float | None = None


#: What the maps of a picture depend on; color has no part in it.
_Form = tuple[str, float, float, float | None, float | None]


def draw(scenes: Sequence[Scene], light: Light, size: int) -> tuple[np.ndarray, IntArray]:
    """Pictures (n, size, size, 3), uint8, and boxes (n, 4) around the bodies: xmin, ymin, xmax, ymax, half-open.

    A picture is a sum of maps, which shapes and places make, times colors: pictures that differ in colors alone
    share them.
    """
    pictures = np.empty((len(scenes), size, size, 3), dtype=np.uint8)
    boxes = np.empty((len(scenes), 4), dtype=np.int64)
    by_form: dict[_Form, list[int]] = {}
    for number, scene in enumerate(scenes):
        form = (scene.shape, scene.scale, scene.position, scene.area, scene.spot)
        by_form.setdefault(form, []).append(number)
    for form, numbers in by_form.items():
        linear = _linear([scenes[number] for number in numbers], form, light, size)
        pictures[numbers] = np.moveaxis(film(linear), 1, -1)
        boxes[numbers] = body_box(form[0], form[1], size)
    return pictures, boxes


def film(linear: FloatArray) -> np.ndarray:
    """Grey levels, uint8, of linear light, each channel by itself: Blender's Filmic.

    Example:
        >>> film(np.array([0.0, 0.18, 1.0, 100.0]))
        array([  0, 128, 206, 255], dtype=uint8)
    """
    levels = np.interp(np.log(np.maximum(linear, _LINEAR[0])), np.log(_LINEAR), _GREY)
    levels *= np.minimum(linear / _LINEAR[0], 1)
    return (levels + 0.5).astype(np.uint8)


def body_box(shape: str, scale: float, size: int) -> list[int]:
    """xmin, ymin, xmax, ymax around a body, in pixels from the top left, half-open."""
    region = seen_of(shape, scale, size).region
    return [region.left, region.top, region.right, region.bottom]


def _linear(scenes: Sequence[Scene], form: _Form, light: Light, size: int) -> FloatArray:
    """(n, 3, size, size): linear light, of scenes that differ in colors."""
    body = np.array([COLORS[scene.color] for scene in scenes], dtype=np.float64)
    lit = np.array([LIGHT_COLORS[scene.light_color] for scene in scenes], dtype=np.float64)
    floor = np.array([LIGHT_COLORS[scene.floor_color or scene.light_color] for scene in scenes]) * light.albedo
    maps = _maps(form, light, size)
    # Colors in the order of the maps: lit floor, floor, lit body, body, mirrored light, mirrored world.
    weights = np.stack(
        np.broadcast_arrays(floor, light.albedo * WORLD, body * lit, body * WORLD, lit, WORLD), axis=-1
    )
    linear = floor[..., None, None] * maps.floor[0] + light.albedo * WORLD * maps.floor[1]
    linear[(..., *maps.region.pixels)] = _mixed(weights, maps.plain)
    around = (..., *maps.ball.pixels)
    # What is seen through a clear ball has its color once or twice.
    for times, tinted in enumerate(maps.through, start=1):
        linear[around] += (lit**times)[..., None, None] * _mixed(weights, tinted)
    linear[around] += lit[..., None, None] * maps.glow
    return linear


def _mixed(weights: FloatArray, maps: FloatArray) -> FloatArray:
    """(n, 3, h, w): maps (6, h, w) times weights (n, 3, 6). A product of matrices would round by their size, and a
    picture would depend on its neighbours."""
    mixed = weights[..., 0, None, None] * maps[0]
    for which in range(1, len(maps)):
        mixed += weights[..., which, None, None] * maps[which]
    return mixed


class _Maps(NamedTuple):
    """How much light pixels get, before colors count.

    Attributes:
        floor: (2, size, size) on the floor, where there is no shadow: from the light, and from the world.
        region: the body, its shadow and the ball of the light are in it.
        plain: (6, h, w) in the region.
        ball: the region of the ball.
        through: for rays that cross the surface of a clear ball once and twice, (6, h, w) in the ball's region.
        glow: (h, w) how much of a pixel a ball that shines covers.
    """

    floor: FloatArray
    region: Region
    plain: FloatArray
    ball: Region
    through: list[FloatArray]
    glow: FloatArray


def _maps(form: _Form, light: Light, size: int) -> _Maps:
    shape, scale, position, area, spot = form
    seen = seen_of(shape, scale, size)
    shadow = _shadow(shape, scale, position, area, light)
    place = light.place(position)
    dark = Region.around(shadow.corners, size)
    ball = Region.around(to_view(place[None]) + BALL * np.array([[-1], [1]]), size)
    region = seen.region.joined(dark).joined(ball)
    lit = _floor_light(light, position if spot is None else spot, size)
    floor = np.stack([lit, world_on_floor(shape, scale, size)])
    # The floor, the shadow on it, and the body before both.
    rays = np.zeros((6, *region.shape))
    rays[:2] = floor[(slice(None), *region.pixels)].repeat(FINE, axis=1).repeat(FINE, axis=2)
    rays[0][dark.rays_in(region)] *= ~inside(shadow, dark)
    depth = np.full(region.shape, np.inf)
    body = seen.region.rays_in(region)
    rays[(slice(2), *body)] *= ~seen.mask
    for which, values in enumerate(light_on(seen, light, position), start=2):
        rays[(which, *body)][seen.mask] = values
    depth[body][seen.mask] = seen.points @ SIGHT
    # The ball before them, or around them.
    within = ball.rays_in(region)
    crossings = _crossings(ball, place, depth[within])
    behind = rays[(slice(None), *within)].copy()
    rays[(slice(None), *within)] *= crossings == 0
    clear = light.name == "sun"
    return _Maps(
        floor,
        region,
        pixel_means(rays),
        ball,
        [pixel_means(behind * (crossings == times)) for times in (1, 2)] if clear else [],
        pixel_means((crossings > 0)[None])[0] * (not clear),
    )


def _crossings(ball: Region, place: FloatArray, depth: FloatArray) -> IntArray:
    """How often each ray crosses the surface of the ball of a light before it ends at a depth."""
    across, up = ball.axes()
    middle = to_view(place[None])[0]
    aside = (across - middle[0])[None, :] ** 2 + (up - middle[1])[:, None] ** 2
    reach = np.sqrt(np.maximum(BALL**2 - aside, 0))
    beyond = depth - place @ SIGHT
    return np.where(aside < BALL**2, (beyond > -reach).astype(int) + (beyond > reach), 0)


def _shadow(shape: str, scale: float, position: float, area: float | None, light: Light) -> Hull:
    """The outline of the shadow, its area set if need be."""
    natural = _natural_shadow(shape, scale, position, light)
    if area is None:
        return natural
    base = base_area(shape, scale)
    whole = base + shadow_area(shape, scale, position, light)
    factor = np.sqrt((base + area) / whole)
    # About the foot of the body.
    corners = ORIGIN + factor * (natural.corners - ORIGIN)
    foot = natural.normals @ ORIGIN
    return Hull(natural.normals, foot + factor * (natural.offsets - foot), corners)


@lru_cache(maxsize=4096)
def _natural_shadow(shape: str, scale: float, position: float, light: Light) -> Hull:
    return half_planes(shadow_points(shape, scale, position, light))


@lru_cache(maxsize=64)
def _floor_light(light: Light, position: float, size: int) -> FloatArray:
    """(size, size): the light that an empty white floor throws back."""
    points = floor_points(*pixel_centres(size))
    towards, strength = light.reaching(points.reshape(-1, 3), position)
    return np.broadcast_to(towards[:, 2] * strength / np.pi, size * size).reshape(size, size)
