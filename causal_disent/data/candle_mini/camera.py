"""The one pinhole camera of ``candle_mini``: rays through pixels and pixels of points.

World axes: x to the right, y away from the camera, z up; the floor is z = 0. Pixel coordinates are
continuous, (0, 0) being the outer corner of the top left pixel.
"""

import math

import numpy as np

IMAGE_SIDE = 64
FOCAL_LENGTH = 64.0
CAMERA_HEIGHT = 3.2
# From the camera to the middle of the area on which objects stand.
STAGE_DISTANCE = 6.6

_CENTRE = IMAGE_SIDE / 2
_PITCH = math.radians(15.0)
_COS_PITCH = math.cos(_PITCH)
_SIN_PITCH = math.sin(_PITCH)

Vector = tuple[np.ndarray, np.ndarray, np.ndarray]


def ray_directions(columns: np.ndarray, rows: np.ndarray) -> Vector:
    """Directions (not of unit length) of the rays through pixel coordinates."""
    right = (columns - _CENTRE) / FOCAL_LENGTH
    up = (_CENTRE - rows) / FOCAL_LENGTH
    return right, _COS_PITCH + up * _SIN_PITCH, up * _COS_PITCH - _SIN_PITCH


def pixels_of(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns and rows at which world points appear; y is counted from the camera."""
    below = CAMERA_HEIGHT - z
    depth = y * _COS_PITCH + below * _SIN_PITCH
    drop = below * _COS_PITCH - y * _SIN_PITCH
    return _CENTRE + FOCAL_LENGTH * x / depth, _CENTRE + FOCAL_LENGTH * drop / depth
