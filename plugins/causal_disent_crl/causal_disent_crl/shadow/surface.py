"""The part of a body that the camera sees, ray by ray, and the light on it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent_crl.shadow.rays import Region, half_planes, inside, pixel_centres
from causal_disent_crl.shadow.scene import ORIGIN, RIGHT, SIGHT, UP, Light, floor_points, outline
from causal_disent_crl.shadow.solids import planes, triangles, vertices

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
    """The rays through a picture of `size` pixels that meet a body."""
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
    """What the points throw back towards the camera.

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
