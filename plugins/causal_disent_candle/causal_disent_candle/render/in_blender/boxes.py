"""What is written beside an image: boxes around what a camera sees of a mesh, and CANDLE's JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def project(points: np.ndarray, view: np.ndarray, lens: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    r"""Return where points appear, in pixels from the bottom left corner of the picture.

    With :math:`(x, y, z, w) = L V (p, 1)` a point is at :math:`(w + x, w + y) / 2w`, times the picture's size.

    Args:
        points: (points, 3) in the world.
        view: (4, 4), world to camera.
        lens: (4, 4), camera to clip space.
        size: width and height in pixels.

    Returns:
        (points, 2); not clipped.

    Example:
        >>> lens = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, -0.2], [0, 0, -1, 0]])
        >>> project(np.array([[0.0, 0.0, -5.0], [1.0, 2.0, -4.0]]), np.eye(4), lens, (80, 60))
        array([[40., 30.],
               [50., 45.]])
    """
    homogeneous = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    clip = homogeneous @ (np.asarray(lens) @ np.asarray(view)).T
    if (clip[:, 3] <= 0).any():
        raise ValueError("a part of the object is behind the camera")
    return (clip[:, :2] / clip[:, 3:] + 1) / 2 * np.asarray(size)


def bounds(pixels: np.ndarray, size: tuple[int, int]) -> list[list[int]]:
    """Return the whole pixels that the points touch, as ``[[xmin, ymin], [xmax, ymax]]``.

    Pixel edges, half-open, y from the bottom, clipped to the picture.

    Example:
        >>> bounds(np.array([[3.2, -1.0], [7.9, 5.0]]), (320, 240))
        [[3, 0], [8, 5]]
    """
    low = np.clip(np.floor(pixels.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(pixels.max(axis=0)), 0, size).astype(int)
    return [low.tolist(), high.tolist()]


def describe(labels: Mapping[str, str], values: Mapping[str, Any], bounds: list[list[int]]) -> dict[str, Any]:
    """CANDLE's JSON, in the flavour of its second version.

    Args:
        labels: factor -> label.
        values: what stands for the labels that are numbers: ``size``, ``rotation``, ``position`` if there is one.
        bounds: of the object, ``[[xmin, ymin], [xmax, ymax]]`` in pixels, y from the bottom.

    Example:
        >>> labels = {"scene": "bridge", "light": "left", "object": "sphere", "color": "red"}
        >>> describe(labels, {"size": 2, "rotation": 60}, [[95, 29], [154, 87]])["objects"]
        {'Sphere_0': {'object_type': 'sphere', 'color': 'red', 'size': 2, 'rotation': 60,
                      'bounds': [[95, 29], [154, 87]]}}
    """
    kind = labels["object"]
    thing = {"object_type": kind, "color": labels["color"], **values, "bounds": bounds}
    return {
        "scene": labels["scene"],
        "lights": labels["light"],
        "objects": {f"{kind[:1].upper()}{kind[1:]}_0": thing},
    }
