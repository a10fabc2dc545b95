"""The sprites of dSprites by formula.

The numbers were fitted to frames of the animation that is published with the data set. A pixel belongs to a
sprite if its centre does.
"""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray, IntArray

SIDE = 64

#: At scale 1, in pixels.
SQUARE_HALF_SIDE = 9.6
ELLIPSE_SEMI_AXES = (12.75, 7.25)
#: From the heart's centre to its outline, at equal angles from the notch on top down to the tip; both sides
#: are alike.
HEART_RADII = (
    5.26, 7.32, 8.97, 10.04, 10.74, 11.18, 11.24, 11.24, 10.86, 10.53, 9.64, 8.95, 8.08,
    7.42, 6.87, 6.47, 6.08, 6.02, 5.90, 5.94, 6.02, 6.38, 6.82, 7.66, 9.07,
)  # fmt: skip

#: No sprite reaches further from its centre, and no centre is nearer to the border.
REACH = 14
NEAREST = 16


def draw(factors: IntArray) -> np.ndarray:
    """Sprites with these factors.

    Args:
        factors: (n, 5) integers: shape, scale, orientation, x, y.

    Returns:
        (n, 64, 64) bool.
    """
    shape, scale, orientation, *place = np.asarray(factors).T
    column, row = (NEAREST + (SIDE - 2 * NEAREST) * position / 31 for position in place)
    columns, rows = (_window(centre) for centre in (column, row))
    right = (columns + 0.5 - column[:, None])[:, None, :]
    down = (rows + 0.5 - row[:, None])[:, :, None]
    # The first and the last orientation are a full turn apart, and look the same.
    angle = (2 * np.pi * orientation / 39)[:, None, None]
    size = (0.5 + 0.1 * scale)[:, None, None]
    across = (np.cos(angle) * right - np.sin(angle) * down) / size
    along = (np.sin(angle) * right + np.cos(angle) * down) / size
    inside = np.empty(across.shape, dtype=bool)
    for value, contains in enumerate((_in_square, _in_ellipse, _in_heart)):
        drawn = shape == value
        inside[drawn] = contains(across[drawn], along[drawn])
    images = np.zeros((len(shape), SIDE, SIDE), dtype=bool)
    images[np.arange(len(shape))[:, None, None], rows[:, :, None], columns[:, None, :]] = inside
    return images


def _window(centre: FloatArray) -> IntArray:
    """The columns, or rows, (n, 29) that a sprite can touch."""
    return np.floor(centre).astype(np.int64)[:, None] + np.arange(-REACH, REACH + 1)


def _in_square(across: FloatArray, along: FloatArray) -> np.ndarray:
    return np.maximum(np.abs(across), np.abs(along)) <= SQUARE_HALF_SIDE


def _in_ellipse(across: FloatArray, along: FloatArray) -> np.ndarray:
    width, height = ELLIPSE_SEMI_AXES
    return (across / width) ** 2 + (along / height) ** 2 <= 1


def _in_heart(across: FloatArray, along: FloatArray) -> np.ndarray:
    from_the_notch = np.arctan2(np.abs(across), -along)
    outline = np.interp(from_the_notch, np.linspace(0, np.pi, len(HEART_RADII)), HEART_RADII)
    return np.hypot(across, along) <= outline
