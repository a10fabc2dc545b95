"""Codes of a finite data set, each image encoded at most once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.progress import in_batches
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation
from causal_disent.text import Shown

#: Images are encoded in batches of about this many bytes of pixels.
BATCH_BYTES = 32 * 2**20
#: Where images are numbered up to this, a list tells the row of each; else rows are searched for.
MOST_LISTED = 2**26


class CodeTable(Shown):
    """A representation of one data set that remembers the codes of images it has seen.

    It is called like the representation it wraps. For finite data `codes_of` gives the codes by
    image index without drawing an image twice. The memory is that of the codes.
    """

    def __init__(self, data: GroundTruthData, representation: Representation) -> None:
        self.data = data
        self.representation = representation
        self._known: IntArray = np.empty(0, dtype=np.int64)  # ascending
        self._codes: FloatArray = np.empty((0, 0))  # the row of each
        self._rows: IntArray = np.empty(0, dtype=np.int32)  # by index, one more than the row; 0 where unknown

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
        """Take over the codes that an equal representation of equal data has computed already."""
        self._known, self._codes, self._rows = other._known, other._codes, other._rows

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
        return len(self._known)

    def codes_of(self, indices: IntArray) -> FloatArray:
        """The codes (n, m) of the images with these indices."""
        indices = np.asarray(indices)
        rows = self._rows_of(indices)
        if rows.size and rows.min() < 0:
            missing = np.unique(indices[rows < 0])
            images_of = self.data.observations  # type: ignore[attr-defined]
            codes = encode(self.representation, missing, images_of, self.data.observation_shape)
            known = np.concatenate([self._known, missing])
            order = np.argsort(known)
            self._codes = np.concatenate([self._codes, codes])[order] if self._known.size else codes
            self._known = known[order]
            if self._known[-1] < MOST_LISTED:
                # Memory of zeros is the machine's only where it is written to.
                self._rows = np.zeros(self._known[-1] + 1, dtype=np.int32)
                self._rows[self._known] = np.arange(1, len(known) + 1)
            rows = self._rows_of(indices)
        return self._codes[rows]

    def _rows_of(self, indices: IntArray) -> IntArray:
        """Where the codes of these images are; negative where they are not yet."""
        if self._rows.size == 0 or (self._known[-1] >= MOST_LISTED):
            places = np.searchsorted(self._known, indices)
            found = np.append(self._known, -1)[places] == indices
            return np.where(found, places, -1)
        listed = np.minimum(indices, len(self._rows) - 1)
        return np.where(listed == indices, self._rows[listed], 0) - 1


def encode(representation: Representation, indices: IntArray, images_of: Any, shape: Any) -> FloatArray:
    """Codes of ``images_of(indices)``, in batches that bound the memory."""
    size = max(1, BATCH_BYTES // (4 * int(np.prod(shape))))
    batches = in_batches(indices, size, "encoding")
    return np.concatenate([checked_codes(representation, images_of(batch)) for batch in batches])


def checked_codes(representation: Representation, images: FloatArray) -> FloatArray:
    """The codes of `images`, or an error if they are not a matrix with a row per image."""
    codes = np.asarray(representation(images))
    if codes.ndim != 2 or len(codes) != len(images):
        raise errors.InvalidInput(
            f"A representation must return codes of shape ({len(images)}, codes) for {len(images)} images; "
            f"it returned shape {codes.shape}."
        )
    return codes
