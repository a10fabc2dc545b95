"""Drawings of ``candle_mini``, a miniature of the CANDLE data set computed with numpy alone.

An object stands on the floor of a scene under a light, as in CANDLE (factors, values and their order are
CANDLE's). As there, the place of the object and a small movement of the camera vary without being
factors; here they are a fixed function of the factors, so every picture is always the same. The place can be a
factor too.
"""

from collections.abc import Sequence

import numpy as np

from causal_disent.data.candle_mini.camera import IMAGE_SIDE
from causal_disent.data.candle_mini.objects import Jitter, Light, Pose, Window, draw_object
from causal_disent.data.candle_mini.scenes import MOST_JITTER, SCENES, backdrop
from causal_disent.data.candle_mini.solids import SOLIDS
from causal_disent.data.candle_mini.textures import Color

_COLORS: dict[str, Color] = {
    "red": (0.88, 0.12, 0.12),
    "blue": (0.12, 0.33, 0.92),
    "yellow": (0.98, 0.82, 0.06),
    "purple": (0.58, 0.17, 0.78),
    "orange": (1.00, 0.48, 0.04),
}
_SIZES: dict[str, float] = {"small": 1.55, "medium": 2.2, "large": 3.0}
_ROTATIONS: dict[str, float] = {str(degrees): float(degrees) for degrees in (0, 15, 30, 45, 60, 90)}
# Directions towards the light: to the right, away from the camera, up.
_LIGHTS: dict[str, Light] = {"left": (-1.2, -0.25, 1.0), "middle": (0.0, -0.22, 1.0), "right": (1.2, -0.25, 1.0)}

VALUE_NAMES: dict[str, tuple[str, ...]] = {
    "object": tuple(SOLIDS),
    "color": tuple(_COLORS),
    "size": tuple(_SIZES),
    "rotation": tuple(_ROTATIONS),
    "scene": tuple(SCENES),
    "light": tuple(_LIGHTS),
}
FACTOR_NAMES = ("object", "color", "size", "rotation", "scene", "light")
# Where the object stands, if that is a factor: a third of the stage from left to right, and one from near to far.
PLACE_NAMES: dict[str, tuple[str, ...]] = {
    "place": ("left", "middle", "right"),
    "depth": ("near", "middle", "far"),
}
IMAGE_SHAPE = (IMAGE_SIDE, IMAGE_SIDE, 3)

_FACTOR_SIZES = tuple(len(VALUE_NAMES[name]) for name in FACTOR_NAMES)
# Half the width and half the depth of the area on which objects stand, in world units.
_STAGE = (1.0, 0.6)


def draw(factors: np.ndarray, placed_as: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw one picture per row of factor values; equal rows always give equal pictures.

    Args:
        factors: (points, 6) integers, for each factor of FACTOR_NAMES the index of its value; or (points, 8), with
            those of PLACE_NAMES behind.
        placed_as: the same of the pictures whose place of the object and movement of the camera these have, the
            place within its third of the stage where there are eight columns; their own if not given.

    Returns:
        images, (points, 64, 64, 3) bytes, and boxes, (points, 4) integers xmin, ymin, xmax, ymax:
        half-open, in pixels, rows counted from the top, tight around what is seen of the object
        (its shadow is no part of it).

    Example:
        >>> images, boxes = draw(np.array([[0, 0, 1, 3, 0, 2]]))
        >>> images.shape, boxes.shape
        ((1, 64, 64, 3), (1, 4))
    """
    rows = _check_factors(factors)
    images = np.empty((len(rows), *IMAGE_SHAPE), dtype=np.uint8)
    boxes = np.empty((len(rows), 4), dtype=np.int64)
    placed = rows if placed_as is None else _check_factors(placed_as)
    number = len(FACTOR_NAMES)
    for point, (row, place) in enumerate(zip(rows.tolist(), placed.tolist(), strict=True)):
        number = len(FACTOR_NAMES)
        boxes[point] = tight_box(
            *_draw_one(images[point], row[:number], *_placement(place[:number], row[number:]))
        )
    return images, boxes


def _check_factors(factors: np.ndarray) -> np.ndarray:
    rows = np.asarray(factors)
    names = {**VALUE_NAMES, **PLACE_NAMES}
    if rows.ndim != 2 or rows.shape[1] not in (len(FACTOR_NAMES), len(names)):
        raise ValueError(
            f"factors has shape {rows.shape}; expected (points, {len(FACTOR_NAMES)}) or (points, {len(names)}), "
            f"one column for each of {', '.join(names)}"
        )
    if not np.issubdtype(rows.dtype, np.integer):
        raise ValueError(f"factors has dtype {rows.dtype}; expected integers, the indices of factor values")
    for (name, values), column in zip(names.items(), rows.T, strict=False):
        size = len(values)
        wrong = np.flatnonzero((column < 0) | (column >= size))
        if len(wrong):
            raise ValueError(
                f"row {wrong[0]} of factors gives {name} the value {column[wrong[0]]}; "
                f"allowed are 0 to {size - 1} ({', '.join(values)})"
            )
    return rows


def _placement(row: list[int], thirds: Sequence[int] = ()) -> tuple[tuple[float, float], Jitter]:
    """Place of the object (world units) and camera jitter (half pixels) of a combination of factors.

    `thirds` are the values of PLACE_NAMES, if these are factors: the place is then within that part of the stage.
    """
    index = 0
    for value, size in zip(row, _FACTOR_SIZES, strict=True):
        index = index * size + value
    bits = scramble(index)
    place_x, place_y = bits & 0xFFFF, bits >> 16 & 0xFFFF
    steps = 2 * MOST_JITTER + 1
    jitter = (bits >> 32 & 0xFFFF) % steps - MOST_JITTER, (bits >> 48) % steps - MOST_JITTER
    inside = place_x / 0x8000 - 1.0, place_y / 0x8000 - 1.0
    if thirds:
        inside = (inside[0] + 2 * thirds[0] - 2) / 3, (inside[1] + 2 * thirds[1] - 2) / 3
    return (_STAGE[0] * inside[0], _STAGE[1] * inside[1]), jitter


def scramble(index: int) -> int:
    """64 bits that look random: the output step of splitmix64 (Steele et al. 2014)."""
    bits = (index + 1) * 0x9E3779B97F4A7C15 % 2**64
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
    return bits ^ bits >> 31


def _draw_one(
    image: np.ndarray, row: list[int], place: tuple[float, float], jitter: Jitter
) -> tuple[Window, np.ndarray]:
    """Fill the image; return a window and the part of each of its pixels that the object covers."""
    kind, color, size, rotation, scene, light = (
        VALUE_NAMES[name][value] for name, value in zip(FACTOR_NAMES, row, strict=True)
    )
    direction = _LIGHTS[light]
    image[...] = backdrop(scene, int(np.sign(direction[0])), jitter)
    pose = Pose(*place, size=_SIZES[size], rotation=_ROTATIONS[rotation])
    return draw_object(image, kind, _COLORS[color], pose, direction, jitter)


def tight_box(window: Window, covered: np.ndarray) -> Window:
    columns, rows = np.flatnonzero(covered.any(axis=0)), np.flatnonzero(covered.any(axis=1))
    left, top = window.left, window.top
    return Window(left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1)
