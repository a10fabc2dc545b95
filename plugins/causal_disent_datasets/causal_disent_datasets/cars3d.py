"""Cars3D, and the MATLAB files that it is published in."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from math import prod
from pathlib import Path

import numpy as np

from causal_disent import errors
from causal_disent.data.state_space import StateSpace
from causal_disent.files import regular, unusable
from causal_disent.protocols import IntArray
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.pictures import Factors, resized

FILE_HEADER = 128
#: The kinds of elements that are needed.
UINT8, MATRIX, COMPRESSED = 2, 14, 15
#: The class of an array of uint8, and the bit that makes it complex.
UINT8_CLASS, COMPLEX = 9, 0x0800


def read_uint8(path: Path, name: str, trailing_shape: tuple[int, ...], max_bytes: int) -> np.ndarray:
    """Return a uint8 array of a MATLAB file.

    Args:
        path: of the file.
        name: of the array.
        trailing_shape: its axes after the first two, which may have any length.
        max_bytes: what all arrays of the file may unpack to, together.
    """
    try:
        found = []
        for order, matrix in _matrices(path, max_bytes):
            flags, dims, name_bytes, *numbers = _subelements(matrix, order)
            found.append(name_bytes[1].decode("latin-1"))
            if found[-1] == name:
                shape = struct.unpack(f"{order}{len(dims[1]) // 4}i", dims[1])
                kind = struct.unpack(f"{order}I", flags[1][:4])[0]
                return _array(path, name, shape, kind, numbers, trailing_shape)
    except (struct.error, zlib.error, ValueError) as error:
        if isinstance(error, errors.CausalDisentError):
            raise
        raise unusable(path, f"it is not a whole MATLAB file; it may be cut short ({error})") from None
    raise unusable(path, f"it should have the array '{name}', and has: {errors.listing(found)}")


def _array(
    path: Path,
    name: str,
    shape: tuple[int, ...],
    kind: int,
    numbers: list[tuple[int, bytes]],
    trailing_shape: tuple[int, ...],
) -> np.ndarray:
    """Read a numeric array of a MATLAB file."""
    if len(shape) < 2 or shape[2:] != trailing_shape or kind & 0xFF != UINT8_CLASS or kind & COMPLEX:
        axes = ", ".join(["height", "width", *map(str, trailing_shape)])
        raise unusable(
            path, f"'{name}' should be uint8 of shape ({axes}), and is of class {kind & 0xFF} and shape {shape}"
        )
    if min(shape) < 0 or len(numbers) != 1 or numbers[0][0] != UINT8 or len(numbers[0][1]) != prod(shape):
        raise unusable(path, f"'{name}' should have {prod(shape):,} numbers of one byte, and has not")
    return np.frombuffer(numbers[0][1], dtype=np.uint8).reshape(shape, order="F")


def _matrices(path: Path, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the byte order and the content of each array; no more than `max_bytes` are unpacked."""
    if regular(path).stat().st_size > max_bytes:
        raise unusable(path, f"it is larger than {max_bytes:,} bytes")
    content = path.read_bytes()
    order = {b"IM": "<", b"MI": ">"}.get(content[126:FILE_HEADER])
    if order is None or struct.unpack(f"{order}H", content[124:126])[0] != 0x0100:
        raise unusable(path, "it is not a MATLAB file of version 5 to 7")
    left = max_bytes
    start = FILE_HEADER
    while start < len(content):
        kind, element, start = _element(content, start, order)
        if kind == COMPRESSED:
            unpacked = zlib.decompressobj().decompress(element, left + 1)
            left -= len(unpacked)
            if left < 0:
                raise unusable(path, f"it unpacks to more than {max_bytes:,} bytes")
            kind, element, _ = _element(unpacked, 0, order)
        if kind != MATRIX:
            raise unusable(path, "it has something in it that is not an array")
        yield order, element


def _subelements(matrix: bytes, order: str) -> list[tuple[int, bytes]]:
    """Kind and content of what an array is made of: flags, lengths of the axes, name, numbers."""
    parts = []
    start = 0
    while start < len(matrix):
        kind, content, start = _element(matrix, start, order)
        parts.append((kind, content))
        # Each begins at a multiple of eight bytes.
        start += -start % 8
    return parts


def _element(content: bytes, start: int, order: str) -> tuple[int, bytes, int]:
    """Kind and content of the element at `start`, and where it ends."""
    kind, size = struct.unpack_from(f"{order}II", content, start)
    if kind >> 16:
        # Up to four bytes are packed into the second half of the tag.
        kind, size, place, end = kind & 0xFFFF, kind >> 16, start + 4, start + 8
    else:
        place = start + 8
        end = place + size
    if place + size > min(end, len(content)):
        raise ValueError("an element is longer than what is left")
    return kind, content[place : place + size], end


ELEVATIONS, AZIMUTHS, OBJECTS = 4, 24, 183
SIDE = 64
#: A published file has 128x128 images and their masks, 6.3 MB unpacked.
MAX_BYTES = 2**26


class Cars3d(FromFiles, Factors):
    """183 cars seen from 4 elevations and 24 azimuths; 17,568 images, resized to 64x64x3.

    A car's file is read when one of its images is first asked for, and its images are kept (216 MB in all).
    The objects are numbered in the order of the files' names. In disentanglement_lib the order is that in
    which the system lists the folder, so that numbers may stand for other cars there.
    """

    publication = Publication(
        title="Cars3D",
        files=("cars",),
        published="http://www.scottreed.info/files/nips2015-analogy-data.tar.gz (folder data/cars)",
        licence="none stated",
        size="about 300 MB",
    )

    def __init__(self) -> None:
        values = {"elevation": range(ELEVATIONS), "azimuth": range(AZIMUTHS), "object": range(OBJECTS)}
        super().__init__(StateSpace(values), (SIDE, SIDE, 3))
        (folder,) = self.publication.find()
        self._paths = sorted(path for path in folder.iterdir() if path.suffix == ".mat")
        if len(self._paths) != OBJECTS:
            raise unusable(folder, f"it should have {OBJECTS} files *.mat, and has {len(self._paths)}")
        # Reserved page by page, so that cars that are never read cost nothing.
        self._images = np.zeros((*self.space.sizes, SIDE, SIDE, 3), dtype=np.uint8)
        self._is_read = np.zeros(OBJECTS, dtype=bool)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """Return the images (n, 64, 64, 3) of these indices, uint8."""
        elevation, azimuth, car = self.space.to_factors(indices).T
        for number in np.unique(car):
            self._read(number)
        return self._images[elevation, azimuth, car]

    @classmethod
    def verify(cls) -> list[str]:
        """Read all files."""
        data = cls()
        for number in range(OBJECTS):
            data._read(number)
        return [f"{cls.publication.path('cars')}: {OBJECTS} files with {ELEVATIONS * AZIMUTHS} images each"]

    def _read(self, car: int) -> None:
        """Read the images of one car."""
        if self._is_read[car]:
            return
        path = self._paths[car]
        images = read_uint8(path, "im", (3, AZIMUTHS, ELEVATIONS), MAX_BYTES)
        if min(images.shape[:2]) < SIDE:
            raise unusable(path, f"its images are smaller than {SIDE}x{SIDE}")
        for azimuth in range(AZIMUTHS):
            for elevation in range(ELEVATIONS):
                image = np.ascontiguousarray(images[..., azimuth, elevation])
                self._images[elevation, azimuth, car] = resized(image, SIDE)
        self._is_read[car] = True
