"""Bounds of an object, as the files state them, to boxes in an image of another size."""

from __future__ import annotations

import math

from causal_disent_candle.labels import Bounds


def to_box(bounds: Bounds, original: tuple[int, int], resized: tuple[int, int]) -> tuple[int, int, int, int]:
    """The smallest box of whole pixels that covers the bounds once the image is resized.

    Args:
        bounds: xmin, ymin, xmax, ymax in the original's pixels, y counted from the bottom.
        original: height and width.
        resized: height and width.

    Returns:
        xmin, ymin, xmax, ymax in pixels from the top left, half-open: rows ``ymin:ymax``, columns ``xmin:xmax``.

    Example:
        >>> to_box((95, 29, 154, 87), (240, 320), (240, 320))
        (95, 153, 154, 211)
        >>> to_box((95, 29, 154, 87), (240, 320), (64, 64))
        (19, 40, 31, 57)
    """
    (height, width), (new_height, new_width) = original, resized
    xmin, ymin, xmax, ymax = bounds
    return (
        math.floor(xmin * new_width / width),
        math.floor((height - ymax) * new_height / height),
        math.ceil(xmax * new_width / width),
        math.ceil((height - ymin) * new_height / height),
    )
