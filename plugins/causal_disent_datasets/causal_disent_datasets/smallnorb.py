"""Small NORB, and the binary matrices that it is published in."""

from __future__ import annotations

from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np

from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import FiniteDataView
from causal_disent.files import regular, unusable
from causal_disent.protocols import IntArray
from causal_disent_datasets.files import FromFiles, Publication, map_array
from causal_disent_datasets.pictures import Factors, resized

#: Magic number -> dtype. Bytes are unsigned, whatever their name in other readers.
TYPES = {507333717: "|u1", 507333716: "<i4", 507333713: "<f4", 507333715: "<f8"}
#: Lengths are stored for at least this many axes.
LEAST_AXES = 3


def map_matrix(path: Path, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Return the matrix in a file, mapped into memory, if it has this shape and type and the file is whole."""
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


PARTS = ("5x46789x9x18x6x2x96x96-training", "5x01235x9x18x6x2x96x96-testing")
#: Stereo pairs in each part, and the side of their images.
PAIRS = 24_300
STORED_SIDE, SIDE = 96, 64

VALUES: dict[str, tuple[object, ...]] = {
    "category": ("animal", "human", "plane", "truck", "car"),
    "instance": tuple(range(10)),
    "elevation": tuple(range(30, 75, 5)),
    "azimuth": tuple(range(0, 360, 20)),
    "lighting": tuple(range(6)),
}


def _file(part: str, kind: str) -> str:
    return f"small_norb/smallnorb-{part}-{kind}.mat"


SMALL_NORB = Publication(
    title="Small NORB",
    files=tuple(_file(part, kind) for part in PARTS for kind in ("dat", "cat", "info")),
    published="https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/",
    licence="for research; may not be sold",
    size="900 MB once gunzipped",
)


class NorbFiles(Factors):
    """All 48,600 images, the left of each pair, with the toy's number in its category as a factor."""

    def __init__(self) -> None:
        super().__init__(StateSpace(VALUES), (SIDE, SIDE, 1))
        SMALL_NORB.find()
        self._row = self._rows()
        self._stereo_pairs  # noqa: B018 -- opening is cheap, and finds files that are cut short

    def __getstate__(self) -> dict[str, object]:
        # A copy in another process maps the files again.
        return {name: value for name, value in self.__dict__.items() if name != "_stereo_pairs"}

    def _rows(self) -> IntArray:
        """For each combination of factors, where its image is, counted through both parts."""
        tables = []
        for part in PARTS:
            category = map_matrix(SMALL_NORB.path(_file(part, "cat")), (PAIRS,), "int32")
            details = map_matrix(SMALL_NORB.path(_file(part, "info")), (PAIRS, 4), "int32")
            tables.append(np.column_stack([category, details]))
        factors = np.concatenate(tables)
        folder = SMALL_NORB.path("small_norb")
        # Azimuths are stored as 0, 2, ..., 34.
        wrong = ((factors < 0) | (factors >= np.multiply(self.space.sizes, (1, 1, 1, 2, 1)))).any()
        if wrong or (factors[:, 3] % 2).any():
            raise unusable(folder, "its tables of factors have values that do not exist")
        factors[:, 3] //= 2
        combinations = self.space.to_index(factors)
        if len(np.unique(combinations)) != len(combinations):
            raise unusable(folder, "its tables of factors have combinations twice")
        return np.argsort(combinations)

    @cached_property
    def _stereo_pairs(self) -> list[np.ndarray]:
        shape = (PAIRS, 2, STORED_SIDE, STORED_SIDE)
        return [map_matrix(SMALL_NORB.path(_file(part, "dat")), shape, "uint8") for part in PARTS]

    def pixels(self, indices: IntArray) -> np.ndarray:
        """Return the images (n, 64, 64, 1) of these indices, uint8."""
        images = np.empty((len(indices), SIDE, SIDE), dtype=np.uint8)
        for image, row in zip(images, self._row[np.asarray(indices)], strict=True):
            part, pair = divmod(int(row), PAIRS)
            # Integers of 32 bits, as in disentanglement_lib: the filter rounds otherwise in 8. It overshoots at
            # edges, where disentanglement_lib leaves the range of images.
            large = self._stereo_pairs[part][pair, 0].astype(np.int32)
            image[:] = np.clip(resized(large, SIDE), 0, 255)
        return images[..., None]


class SmallNorb(FromFiles, FiniteDataView):
    """Photographs of toys: category, elevation, azimuth and lighting; the toy is a nuisance; 64x64x1."""

    publication = SMALL_NORB

    def __init__(self) -> None:
        super().__init__(NorbFiles(), ("category", "elevation", "azimuth", "lighting"))
