"""3D Shapes, and the HDF5 file that it is published in."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from causal_disent import errors
from causal_disent.data.state_space import StateSpace
from causal_disent.files import regular, unusable
from causal_disent.protocols import IntArray
from causal_disent_datasets.files import FromFiles, Publication, map_array, unpack_once
from causal_disent_datasets.npz import Member, open_member
from causal_disent_datasets.pictures import StackedImages

#: Reading one image unpacks every chunk that it touches; more than this for one image is too slow.
MAX_BYTES_PER_IMAGE = 2**20
#: HDF5's numbers of gzip, shuffle and Fletcher's checksum, and h5py's of lzf. For another filter HDF5 would look
#: for a program to load.
FILTERS = {1, 2, 3, 32000}
#: Bytes of the images that one chunk is a part of; they are in memory at once. Published files have a tenth.
MOST_BLOCK = 2**29
#: How many times smaller than its content gzip can make anything.
MOST_PACKED = 1100


@dataclass(frozen=True)
class H5Images:
    """A checked array of uint8 images in an HDF5 file."""

    path: Path
    name: str
    shape: tuple[int, ...]

    ndim = 4

    def array(self) -> Any:
        """This, if single images can be read fast, or else a map of a file they are unpacked to once."""
        with _dataset(self.path, self.name) as images:
            if _bytes_per_image(images) <= MAX_BYTES_PER_IMAGE:
                return self
            if images.id.get_storage_size() * MOST_PACKED < prod(self.shape):
                raise unusable(self.path, f"'{self.name}' declares {prod(self.shape):,} bytes, and has far fewer")
        state = self.path.stat()
        header = _npy_header(self.shape)
        size = len(header) + prod(self.shape)
        tag = f"{self.name}.{state.st_size:x}-{state.st_mtime_ns:x}"
        path = unpack_once(self.path, tag, size, self._unpack)
        return map_array(path, np.dtype(np.uint8), self.shape, len(header))

    def __getitem__(self, indices: IntArray) -> np.ndarray:
        # HDF5 wants indices that ascend and differ.
        distinct, places = np.unique(indices, return_inverse=True)
        if len(distinct) == 0:
            return np.empty((0, *self.shape[1:]), dtype=np.uint8)
        with _dataset(self.path, self.name) as images:
            return np.asarray(images[distinct])[places]

    def _unpack(self, target: BinaryIO) -> Iterator[int]:
        """Write the images as an npy file, and yield how many bytes are written."""
        yield target.write(_npy_header(self.shape))
        with _dataset(self.path, self.name) as images:
            # Whole chunks, so that each is unpacked once.
            step = images.chunks[0]
        for start in range(0, self.shape[0], step):
            with _dataset(self.path, self.name) as images:
                block = np.asarray(images[start : start + step])
            # Outside, where a full disk is not taken for a damaged file.
            yield target.write(block.tobytes())


def open_images(path: Path, name: str, shape: tuple[int, ...]) -> H5Images:
    """Return the images `name` of an HDF5 file, if they are uint8 and have this shape. No image is read."""
    with _dataset(path, name) as images:
        if images.shape != shape or images.dtype != np.uint8:
            raise unusable(
                path,
                f"'{name}' should be uint8 of shape {shape}, and is {images.dtype} of shape {images.shape}",
            )
    return H5Images(path, name, shape)


@contextmanager
def _dataset(path: Path, name: str) -> Iterator[Any]:
    """The data set `name`, if its numbers are in this file."""
    try:
        import h5py
    except ImportError:
        raise errors.InvalidInput(
            f"To read {path}, h5py is needed: pip install 'causal-disent-datasets[h5]'."
        ) from None
    try:
        with h5py.File(regular(path), "r") as file:
            if not isinstance(file.get(name, getlink=True), h5py.HardLink):
                raise unusable(path, f"it should have '{name}', and has: {errors.listing(file)}")
            images = file[name]
            if not isinstance(images, h5py.Dataset) or images.is_virtual or images.external:
                raise unusable(path, f"'{name}' is not an array inside this file")
            creation = images.id.get_create_plist()
            if any(creation.get_filter(i)[0] not in FILTERS for i in range(creation.get_nfilters())):
                raise unusable(path, f"'{name}' is compressed by a method other than gzip and lzf")
            longest = map(max, images.shape, images.chunks or ())
            if images.chunks and images.chunks[0] * prod([*longest][1:]) > MOST_BLOCK:
                raise unusable(path, f"one chunk of '{name}' has {images.chunks}, more than is read at once")
            yield images
    except errors.CausalDisentError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise unusable(path, f"it is not a whole HDF5 file; it may be cut short ({error})") from None


def _bytes_per_image(images: Any) -> int:
    """Return how much is unpacked to read one image."""
    if images.chunks is None:
        return prod(images.shape[1:])
    chunks = (-(-length // chunk) for length, chunk in zip(images.shape[1:], images.chunks[1:], strict=True))
    return prod(chunks) * prod(images.chunks)


def _npy_header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    npy.write_array_header_1_0(stream, {"shape": shape, "fortran_order": False, "descr": "|u1"})
    return stream.getvalue()


IMAGE_SHAPE = (64, 64, 3)
VALUES: dict[str, tuple[object, ...]] = {
    "floor_hue": tuple(range(10)),
    "wall_hue": tuple(range(10)),
    "object_hue": tuple(range(10)),
    "scale": tuple(range(8)),
    "shape": ("cube", "cylinder", "sphere", "capsule"),
    "azimuth": tuple(range(15)),
}
_NPZ = "3dshapes/look-at-object-room_floor-hueXwall-hueXobj-hueXobj-sizeXobj-shapeXview-azi.npz"
_H5 = "3dshapes/3dshapes.h5"


class Shapes3d(FromFiles, StackedImages):
    """An object in a room: three hues, scale, shape and azimuth; 480,000 images, 64x64x3."""

    publication = Publication(
        title="3D Shapes",
        files=(_NPZ, _H5),
        any_file=True,
        published="https://github.com/google-deepmind/3d-shapes",
        licence="Apache-2.0",
        size="268 MB (h5); 5.9 GB once unpacked",
        digests={_H5: "sha256:0a0f6ed98baff276a50f3a081a7434d788da63cb135a98189b2a5b5769be1785"},
    )

    def __init__(self) -> None:
        super().__init__(StateSpace(VALUES), IMAGE_SHAPE)
        path = self.publication.find()[0]
        images = (self.space.num_combinations, *IMAGE_SHAPE)
        if path.suffix == ".npz":
            # One axis per factor, as disentanglement_lib's file has it, or one for all.
            self._images: Any = open_member(path, "images", [(*self.space.sizes, *IMAGE_SHAPE), images])
        else:
            self._images = open_images(path, "images", images)

    @classmethod
    def verify(cls) -> list[str]:
        """Check the shape, the digest of the h5 file, and the bytes of the npz file, which has no digest."""
        images = cls()._images
        return [*super().verify(), *([images.check_bytes()] if isinstance(images, Member) else [])]

    def load(self) -> Any:
        array = self._images.array()
        return array.reshape(-1, *IMAGE_SHAPE) if array.ndim > 4 else array
