"""The pictures of `shadow_mini`: rays, the surfaces that they meet, and the light on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from causal_disent.protocols import FloatArray, IntArray
from causal_disent_crl.shadow.scene import (
    BALL,
    COLORS,
    EXTENT,
    LIGHT_COLORS,
    ORIGIN,
    RIGHT,
    SIGHT,
    UP,
    WORLD,
    Light,
    base_area,
    floor_points,
    outline,
    planes,
    shadow_area,
    shadow_points,
    to_view,
    triangles,
    vertices,
)

#: Rays through a pixel, across and down.
FINE = 3


class Hull(NamedTuple):
    """A convex outline in view coordinates: the points with ``normals @ point <= offsets``, and its corners."""

    normals: FloatArray
    offsets: FloatArray
    corners: FloatArray


class Region(NamedTuple):
    """Whole pixels of a picture of `size` pixels: rows from `top` to before `bottom`, columns from `left`."""

    top: int
    bottom: int
    left: int
    right: int
    size: int

    @classmethod
    def around(cls, points: FloatArray, size: int) -> Region:
        """Return the pixels of the picture around points (n, 2) in view coordinates."""
        pixels = points * (size / EXTENT)
        (left, low), (right, high) = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
        top, bottom, left, right = (int(edge) for edge in np.clip([size - high, size - low, left, right], 0, size))
        return cls(top, bottom, left, right, size)

    def joined(self, other: Region) -> Region:
        """Return the smallest region that holds both."""
        return Region(
            min(self.top, other.top),
            max(self.bottom, other.bottom),
            min(self.left, other.left),
            max(self.right, other.right),
            self.size,
        )

    @property
    def pixels(self) -> tuple[slice, slice]:
        """Where it is in the picture."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def rays_in(self, other: Region) -> tuple[slice, slice]:
        """Return where its rays are among those of a region that holds it."""
        return (
            slice((self.top - other.top) * FINE, (self.bottom - other.top) * FINE),
            slice((self.left - other.left) * FINE, (self.right - other.left) * FINE),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rays down and across."""
        return (self.bottom - self.top) * FINE, (self.right - self.left) * FINE

    def axes(self) -> tuple[FloatArray, FloatArray]:
        """View coordinates of the rays: u (across,) and v (down,)."""
        step = EXTENT / (self.size * FINE)
        across = (np.arange(self.left * FINE, self.right * FINE) + 0.5) * step
        return across, EXTENT - (np.arange(self.top * FINE, self.bottom * FINE) + 0.5) * step


def pixel_centres(size: int) -> tuple[FloatArray, FloatArray]:
    """View coordinates u and v, (size, size) each, of the pixels of a picture."""
    places = (np.arange(size) + 0.5) * (EXTENT / size)
    across, up = np.meshgrid(places, places[::-1])
    return across, up


def half_planes(points: FloatArray) -> Hull:
    """Return the convex hull of points (n, 2)."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    return Hull(hull.equations[:, :2], -hull.equations[:, 2], points[hull.vertices])


def inside(hull: Hull, region: Region) -> np.ndarray:
    """(rays down, rays across): which rays of the region go through the outline."""
    across, up = region.axes()
    found = np.ones(region.shape, dtype=bool)
    for (a, b), offset in zip(hull.normals, hull.offsets, strict=True):
        found &= (a * across)[None, :] <= (offset - b * up)[:, None]
    return found


def pixel_means(maps: np.ndarray) -> FloatArray:
    """(maps, rays down, rays across) as the mean of the rays of each pixel."""
    number, down, across = maps.shape
    return maps.reshape(number, down // FINE, FINE, across // FINE, FINE).mean(axis=(2, 4))


#: Of the material: its roughness squared, and the part of the light that it throws back like a mirror.
ALPHA, MIRROR = 0.25, 0.04
#: The part that it lets through to its matt ground.
CLEAR = 0.95
#: Beyond so many times its scale a body hides about a hundredth of the world from the floor, which nobody sees.
REACH = 5.0


class Seen(NamedTuple):
    """What rays meet.

    Attributes:
        region: the pixels around the body.
        mask: (rays down, rays across) of the region: which ones meet it.
        points, normals: (n, 3) where these meet it, and how the surface is turned there.
    """

    region: Region
    mask: np.ndarray
    points: FloatArray
    normals: FloatArray


class Lit(NamedTuple):
    """What a white surface throws back towards the camera, (n,) each.

    Attributes:
        matt: of a white light, to all sides alike.
        open: of a white world around, to all sides alike.
        shine: of a white light, like a mirror.
        haze: of a white world around, like a mirror.
    """

    matt: FloatArray
    open: FloatArray
    shine: FloatArray
    haze: FloatArray


@lru_cache(maxsize=128)
def seen_of(shape: str, scale: float, size: int) -> Seen:
    """Return the rays through a picture of `size` pixels that meet a body."""
    hull = half_planes(outline(shape, scale))
    region = Region.around(hull.corners, size)
    mask = inside(hull, region)
    across, up = (axis[mask] for axis in np.meshgrid(*region.axes()))
    # A point of each ray; the rays go on along SIGHT.
    starts = np.outer(across - ORIGIN[0], RIGHT) + np.outer(up - ORIGIN[1], UP)
    if shape == "sphere":
        # Its 512 facets are finer than the rays: their normals are those of the ball.
        middle = np.array([0.0, 0.0, scale])
        aside = starts - middle
        aside -= np.outer(aside @ SIGHT, SIGHT)
        depth = np.sqrt(np.maximum(scale**2 - (aside**2).sum(axis=1), 0))
        normals = (aside - np.outer(depth, SIGHT)) / scale
        return Seen(region, mask, middle + scale * normals, normals)
    normals, offsets = planes(shape)
    facing = normals @ SIGHT < -1e-9
    normals, offsets = normals[facing], offsets[facing] * scale
    # A ray enters the body through the last of the planes that it crosses from outside.
    along = (offsets[:, None] - normals @ starts.T) / (normals @ SIGHT)[:, None]
    face = along.argmax(axis=0)
    points = starts + np.outer(along[face, np.arange(len(starts))], SIGHT)
    return Seen(region, mask, points, normals[face])


def light_on(seen: Seen, light: Light, position: float) -> Lit:
    """Return what the points throw back towards the camera.

    The matt part is Lambert's. The mirroring one is that of a rough surface (GGX, Smith, Schlick), as in Blender's
    principled material at roughness 0.5 and specular 0.5. A convex body has no shadow on itself but where it is
    turned away from the light, and sees of the world around what is above its own plane and above the floor.
    """
    towards, strength = light.reaching(seen.points, position)
    normals = seen.normals
    facing = np.maximum((normals * towards).sum(axis=1), 0)
    view = np.maximum(normals @ -SIGHT, 1e-3)
    half = towards - SIGHT
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    peak = ALPHA**2 / (np.pi * ((normals * half).sum(axis=1) ** 2 * (ALPHA**2 - 1) + 1) ** 2)
    masked = _unmasked(facing, view) + _unmasked(view, facing)
    mirrored = MIRROR + (1 - MIRROR) * (1 - half @ -SIGHT) ** 5
    shine = peak * mirrored * facing / (2 * masked) * strength
    # The floor throws no light on the body: what is mirrored of the world comes from above.
    mirrored_up = np.clip(0.5 + SIGHT[2] + 2 * view * normals[:, 2], 0, 1)
    haze = (MIRROR + (1 - MIRROR) * (1 - view) ** 5) * mirrored_up
    sky = (1 + normals[:, 2]) / 2
    return Lit(CLEAR * facing * strength / np.pi, CLEAR * sky, shine, haze)


@lru_cache(maxsize=128)
def world_on_floor(shape: str, scale: float, size: int) -> FloatArray:
    r"""(size, size): the part of the world's light that reaches the floor beside a body.

    A triangle hides :math:`\frac1{2\pi} |\sum_i \theta_i \, \Gamma_i \cdot n|` of it, where its edges are
    seen under the angles :math:`\theta_i` in planes with the normals :math:`\Gamma_i` (Lambert). The triangles
    that face a point of the floor hide what the others do, so that each counts half.
    """
    points = floor_points(*pixel_centres(size))
    near = np.linalg.norm(points, axis=2) < REACH * scale
    points = points[near][:, None]
    hidden = np.zeros(len(points))
    if shape == "sphere":
        hidden = (scale / np.linalg.norm(points[:, 0] - (0.0, 0.0, scale), axis=1)) ** 3
    else:
        for corners in (vertices(shape) * scale)[triangles(shape)]:
            seen = corners - points
            seen /= np.linalg.norm(seen, axis=2, keepdims=True)
            after = np.roll(seen, -1, axis=1)
            across = np.cross(seen, after)
            sines = np.linalg.norm(across, axis=2)
            angles = np.arctan2(sines, (seen * after).sum(axis=2))
            hidden += np.abs((angles * across[..., 2] / np.maximum(sines, 1e-12)).sum(axis=1)) / (4 * np.pi)
    part = np.ones((size, size))
    part[near] -= np.minimum(hidden, 1)
    return part


def _unmasked(one: FloatArray, other: FloatArray) -> FloatArray:
    return other * np.sqrt(one**2 * (1 - ALPHA**2) + ALPHA**2)


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
    """Compute what all pictures of a form share."""
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
    """Return how often each ray crosses the surface of the ball of a light before it ends at a depth."""
    across, up = ball.axes()
    middle = to_view(place[None])[0]
    aside = (across - middle[0])[None, :] ** 2 + (up - middle[1])[:, None] ** 2
    reach = np.sqrt(np.maximum(BALL**2 - aside, 0))
    beyond = depth - place @ SIGHT
    return np.where(aside < BALL**2, (beyond > -reach).astype(int) + (beyond > reach), 0)


def _shadow(shape: str, scale: float, position: float, area: float | None, light: Light) -> Hull:
    """Return the outline of the shadow, its area set if need be."""
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
