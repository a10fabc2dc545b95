"""Codes of a finite data set, each image encoded at most once."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.progress import in_batches
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation
from causal_disent.text import Shown

#: Images are encoded in batches of about this many bytes of pixels. The machine hands out larger pieces of memory
#: anew each time, which takes as long as drawing the images.
BATCH_BYTES = 8 * 2**20
#: Where images are numbered up to this, a list tells the row of each; else rows are searched for.
MOST_LISTED = 2**26
#: Tables with more bytes than this live in a file.
MOST_HELD = 256 * 2**20


class CodeTable(Shown):
    """A representation of one data set that remembers the codes of images it has seen.

    It is called like the representation it wraps. For finite data `codes_of` gives the codes by
    image index without drawing an image twice. The memory is that of the codes; a large table's is a file.
    """

    def __init__(self, data: GroundTruthData, representation: Representation) -> None:
        self.data = data
        self.representation = representation
        self._kept = _Kept(getattr(data, "num_images", None) or 0)

    @classmethod
    def of(cls, data: GroundTruthData, representation: Representation) -> CodeTable:
        """`representation` itself if it is a table for `data` already."""
        if isinstance(representation, cls) and representation.data is data:
            return representation
        return cls(data, representation)

    def _shows(self) -> Iterator[str]:
        yield repr(self.representation)
        yield f"{self.num_encoded:,} images encoded"

    def adopt(self, other: CodeTable) -> None:
        """Share the codes that an equal representation of equal data has computed already."""
        self._kept = other._kept

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self.representation(images)

    def __getattr__(self, name: str) -> Any:
        # `decode`, `causal_layer` and the like belong to the representation.
        if name.startswith("__") or "representation" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.representation, name)

    @property
    def num_encoded(self) -> int:
        """How many images have been encoded by index."""
        return len(self._kept.images)

    def codes_of(self, indices: IntArray) -> FloatArray:
        """The codes (n, m) of the images with these indices."""
        indices = np.asarray(indices)
        rows = self._kept.rows_of(indices)
        if rows.size and rows.min() < 0:
            missing = np.unique(indices[rows < 0])
            images_of = self.data.observations  # type: ignore[attr-defined]
            self._kept.add(missing, encoded(self.representation, missing, images_of, self.data.observation_shape))
            rows = self._kept.rows_of(indices)
        return np.asarray(self._kept.codes[rows])


class _Kept:
    """The codes of images by index, written one below the other."""

    def __init__(self, num_images: int) -> None:
        self._num_images = num_images
        self.codes: FloatArray = np.empty((0, 0))  # of which as many rows are in use as there are images
        self.images: IntArray = np.empty(0, dtype=np.int64)
        self._rows: IntArray = np.empty(0, dtype=np.int32)  # by index, one more than the row; 0 where unknown
        self._order: IntArray = np.empty(0, dtype=np.int64)  # of `images`, where there is no such list

    def add(self, images: IntArray, batches: Iterable[FloatArray]) -> None:
        """Note the codes of `images`; if a batch fails, none."""
        end = len(self.images)
        for codes in batches:
            self._write(codes, end)
            end += len(codes)
        self.images = np.concatenate([self.images, images])
        if self.images.max() < MOST_LISTED:
            # Memory of zeros is the machine's only where it is written to.
            self._rows = np.zeros(int(self.images.max()) + 1, dtype=np.int32)
            self._rows[self.images] = np.arange(1, len(self.images) + 1)
        else:
            self._rows, self._order = np.empty(0, dtype=np.int32), np.argsort(self.images)

    def rows_of(self, images: IntArray) -> IntArray:
        """Where the codes of these images are; negative where they are not yet."""
        if self._rows.size:
            listed = np.minimum(images, len(self._rows) - 1)
            return np.where(listed == images, self._rows[listed], 0) - 1
        ordered = self.images[self._order]
        places = np.searchsorted(ordered, images)
        found = np.append(ordered, -1)[places] == images
        return np.where(found, np.append(self._order, -1)[places], -1)

    def _write(self, codes: FloatArray, start: int) -> None:
        """Put `codes` below the first `start` rows; where the table is full, a larger one begins with them."""
        end, dtype = start + len(codes), codes.dtype
        if start:
            dtype = np.result_type(codes, self.codes)
            if codes.shape[1] != self.codes.shape[1]:
                raise errors.InvalidInput(
                    f"A representation gave {self.codes.shape[1]} codes for some images and {codes.shape[1]} for "
                    "others."
                )
        if end > len(self.codes) or dtype != self.codes.dtype:
            larger = _room((max(end, min(2 * len(self.codes), self._num_images)), codes.shape[1]), dtype)
            if start:
                larger[:start] = self.codes[:start]
            self.codes = larger
        self.codes[start:end] = codes


def _room(shape: tuple[int, int], dtype: Any) -> FloatArray:
    """Memory for a table; a large one's is a file that has no name, of which the machine keeps what is in use."""
    if math.prod(shape) * np.dtype(dtype).itemsize <= MOST_HELD:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype, shape=shape)


def encode(representation: Representation, indices: IntArray, images_of: Any, shape: Any) -> FloatArray:
    """Codes of ``images_of(indices)``, in batches that bound the memory."""
    return np.concatenate(list(encoded(representation, indices, images_of, shape)))


def encoded(representation: Representation, indices: IntArray, images_of: Any, shape: Any) -> Iterator[FloatArray]:
    """What `encode` gives, batch by batch."""
    size = max(1, BATCH_BYTES // (4 * int(np.prod(shape))))
    for batch in in_batches(indices, size, "encoding"):
        yield checked_codes(representation, images_of(batch))


def checked_codes(representation: Representation, images: FloatArray) -> FloatArray:
    """The codes of `images`, or an error if they are not a matrix with a row per image."""
    codes = np.asarray(representation(images))
    if codes.ndim != 2 or len(codes) != len(images):
        raise errors.InvalidInput(
            f"A representation must return codes of shape ({len(images)}, codes) for {len(images)} images; "
            f"it returned shape {codes.shape}."
        )
    return codes
