"""The images of a data set: made when the first is asked for, and kept in files that are mapped from then on."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from causal_disent_datasets.files import has_room, user_cache
from causal_disent_datasets.npz import map_npy

from causal_disent.files import new_file, path_of
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx as nx


#: Files that are kept; the one that was not used for longest makes room. The largest have 220 MB.
MOST_FILES = 8
#: What the file has besides the images.
HEADER = 4096


def open_or_draw(
    name: str,
    parts: object,
    shape: tuple[int, ...],
    fill: Callable[[np.ndarray], object],
    folder: str | Path | None = None,
) -> np.ndarray:
    """Return an array (shape) uint8 that `fill` fills, unless that was done before.

    Args:
        name: beginning of the file's name.
        parts: what the images depend on; the file is made anew when its ``repr`` changes.
        shape: of the array.
        fill: writes to an array of that shape.
        folder: where files are kept; ``crl`` in the user's cache folder if not given.

    Returns:
        The array, mapped from its file; in memory where no file can be written.
    """
    place = user_cache() / "crl" if folder is None else path_of("cache", folder)
    digest = hashlib.sha256(repr((parts, shape)).encode()).hexdigest()[:16]
    path = place / f"{name}-{digest}.npy"
    found = _open_file(path, shape)
    if found is not None:
        return found
    if not has_room(place, int(np.prod(shape)) + HEADER):
        array = np.empty(shape, dtype=np.uint8)
        fill(array)
        return array
    with new_file(path) as temporary:
        mapped = np.lib.format.open_memmap(temporary, mode="w+", dtype=np.uint8, shape=shape)
        fill(mapped)
        mapped.flush()
        del mapped
    _make_room(place)
    opened = _open_file(path, shape)
    assert opened is not None, path
    return opened


def _open_file(path: Path, shape: tuple[int, ...]) -> np.ndarray | None:
    """Open a file of images, unless it is missing or damaged."""
    if not path.is_file():  # nothing, or a pipe that would be waited for
        return None
    array = map_npy(path, "|u1", shape[0], shape[1:])
    if array is None or len(array) != shape[0]:
        return None
    with contextlib.suppress(OSError):  # a folder that one may only read
        os.utime(path)  # used now: the last to make room
    return array


def _make_room(folder: Path) -> None:
    # Another process may remove the same file, or still map it, which keeps its content.
    with contextlib.suppress(OSError):
        by_use = sorted(folder.glob("*.npy"), key=lambda path: path.stat().st_mtime)
        for path in by_use[:-MOST_FILES]:
            path.unlink()


def as_floats(pixels: np.ndarray, channels: str) -> FloatArray:
    """(n, h, w, 3) uint8 as float32 in [0, 1], with an alpha channel of 1 if ``channels='rgba'``."""
    images = np.ones((*pixels.shape[:3], len(channels)), dtype=np.float32)
    np.divide(pixels, np.float32(255), out=images[..., :3])
    return images


def resized(pixels: np.ndarray, size: int) -> np.ndarray:
    """(n, h, w, 3) uint8 with `size` rows and columns, by Lanczos' filter."""
    from PIL import Image

    if pixels.shape[1:3] == (size, size):
        return pixels
    return np.stack(
        [np.asarray(Image.fromarray(p).resize((size, size), Image.Resampling.LANCZOS)) for p in pixels]
    )


class KeptImages:
    """The source of a `TableData`.

    Args:
        open_pixels: gives all images (n, size, size, 3) uint8; a function that can be pickled.
        size: their rows and columns.
        channels: ``rgb``, or ``rgba`` for an alpha channel of 1 beside them.
        graph: over the factors and ``image``.
    """

    def __init__(self, open_pixels: Callable[[], np.ndarray], size: int, channels: str, graph: nx.DiGraph) -> None:
        self._open, self.size, self.channels, self.graph = open_pixels, size, channels, graph

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (self.size, self.size, len(self.channels))

    @cached_property
    def pixels(self) -> np.ndarray:
        """All images (n, size, size, 3), uint8; usually mapped from a file."""
        return self._open()

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process opens the file again; pickling the map would read all of it.
        return {name: value for name, value in self.__dict__.items() if name != "pixels"}

    def observations(self, indices: IntArray) -> FloatArray:
        """Return the images (n, size, size, channels) of these indices, float32 in [0, 1]."""
        return as_floats(self.pixels[np.asarray(indices)], self.channels)
