"""NORB's binary matrices: a magic number for the type, the number of axes, their lengths, then the numbers."""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np

from causal_disent.files import regular, unusable
from causal_disent_datasets.mapping import map_array

#: Magic number -> dtype. Bytes are unsigned, whatever their name in other readers.
TYPES = {507333717: "|u1", 507333716: "<i4", 507333713: "<f4", 507333715: "<f8"}
#: Lengths are stored for at least this many axes.
LEAST_AXES = 3


def map_matrix(path: Path, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """The matrix in a file, mapped into memory, if it has this shape and type and the file is whole."""
    axes = max(LEAST_AXES, len(shape))
    with regular(path).open("rb") as stream:
        start = np.frombuffer(stream.read(4 * (2 + axes)).ljust(4 * (2 + axes), b"\0"), dtype="<i4")
    magic, number, lengths = int(start[0]), int(start[1]), tuple(map(int, start[2 : 2 + len(shape)]))
    if magic not in TYPES:
        raise unusable(path, f"it begins with {magic}, which is not the number of a type of NORB's matrices")
    found = np.dtype(TYPES[magic])
    if number != len(shape) or lengths != shape or found != np.dtype(dtype):
        raise unusable(
            path, f"it should have {dtype} of shape {shape}, and has {found.name} with {number} axes: {lengths}"
        )
    size = start.nbytes + prod(shape) * found.itemsize
    if path.stat().st_size != size:
        raise unusable(
            path, f"it should have {size:,} bytes, and has {path.stat().st_size:,}; it may be cut short"
        )
    return map_array(path, found, shape, start.nbytes)
