"""Arrays that stay in their file until they are looked at."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np

from causal_disent.files import regular


def map_array(path: Path, dtype: np.dtype, shape: tuple[int, ...], offset: int) -> np.ndarray:
    """The array that begins `offset` bytes into a file, read-only; the file must be long enough."""
    with regular(path).open("rb") as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    if hasattr(mmap, "MADV_RANDOM"):
        # Images are drawn at random. Told nothing, the system reads far ahead of each, which takes much longer.
        content.madvise(mmap.MADV_RANDOM)
    return np.ndarray(shape, dtype, buffer=content, offset=offset)
