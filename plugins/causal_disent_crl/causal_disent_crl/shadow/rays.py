"""Rays through the pixels of a picture, and which of them are inside a convex outline."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent_crl.shadow.scene import EXTENT

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
        """The pixels of the picture around points (n, 2) in view coordinates."""
        pixels = points * (size / EXTENT)
        (left, low), (right, high) = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
        top, bottom, left, right = (int(edge) for edge in np.clip([size - high, size - low, left, right], 0, size))
        return cls(top, bottom, left, right, size)

    def joined(self, other: Region) -> Region:
        """The smallest region that holds both."""
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
        """Where its rays are among those of a region that holds it."""
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
    """The convex hull of points (n, 2)."""
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
