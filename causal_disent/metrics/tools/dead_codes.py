"""Codes that do nothing: they hardly vary, or the decoder ignores them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent.protocols import FloatArray

#: The least change of a pixel, of 1, that one sees.
VISIBLE = 0.08
#: Points whose codes are moved, spread evenly over the sample.
NUM_POINTS = 16
#: A code is active if its range is more than this part of the widest code's: InfoMEC's authors' 1/20.
ACTIVE_RANGE = 0.05


def active_codes(codes: FloatArray, part: float = ACTIVE_RANGE) -> NDArray[np.bool_]:
    """Which codes have a range of more than `part` of the widest.

    Example:
        >>> active_codes(np.array([[0.0, 0.0, 5.0], [10.0, 0.4, 5.0]])).tolist()
        [True, False, False]
    """
    halves = codes.max(axis=0) * 0.5 - codes.min(axis=0) * 0.5  # of which none is too large for a float
    return halves > part * halves.max()


def dead_codes(codes: FloatArray, decode: Callable[[FloatArray], Any]) -> tuple[int, ...]:
    """The codes that can run over all their values in the sample without anybody seeing it in the images.

    A code is dead if the pixel that it changes most changes by less than 0.08 of the range from black to white,
    on average over some points: where the code hardly varies, and where the decoder ignores it.

    Args:
        codes: (points, codes).
        decode: codes -> images in [0, 1], arrays or tensors.

    Example:
        >>> v = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> dead_codes(v, lambda z: z[:, :1].reshape(-1, 1, 1, 1))
        (1,)
    """
    low, high = codes.min(axis=0), codes.max(axis=0)
    rows = np.unique(np.linspace(0, len(codes) - 1, NUM_POINTS).round().astype(int))
    return tuple(
        code
        for code in range(codes.shape[1])
        if low[code] == high[code] or _visible(codes[rows], code, low[code], high[code], decode) < VISIBLE
    )


def _visible(points: FloatArray, code: int, low: float, high: float, decode: Callable[[FloatArray], Any]) -> float:
    """The largest change of a pixel between both ends of a code, averaged over the points."""
    ends = np.concatenate([points, points])
    ends[:, code] = np.repeat([low, high], len(points))
    images = decode(ends)
    first, second = images[: len(points)], images[len(points) :]
    return float(np.mean([float(abs(one - other).max()) for one, other in zip(first, second, strict=True)]))


def factors_of(sets: Sequence[Sequence[int]], dead: Sequence[int]) -> tuple[int, ...]:
    """The factors all of whose codes are dead.

    Example:
        >>> factors_of([(0,), (1, 2), (2,)], dead=(2,))
        (2,)
    """
    return tuple(i for i, own in enumerate(sets) if set(own) <= set(dead))
