"""What is observed of a face: its aligned image, or where there are none, its attributes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from causal_disent_datasets.pictures import open_picture

from causal_disent import errors
from causal_disent.checks import is_whole
from causal_disent.files import within
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

if TYPE_CHECKING:
    import networkx as nx

#: Width and height of the published images.
WIDTH, HEIGHT = 178, 218
_PLACES = ("img_align_celeba", "img_align_celeba/img_align_celeba")


def find_images(folder: Path) -> Path | None:
    """The folder of the aligned images, if there is one with images in it."""
    for place in _PLACES:
        path = folder / place
        if path.is_dir() and any(
            entry.suffix.lower() in (".jpg", ".png") for entry in within(folder, path).iterdir()
        ):
            return path
    return None


def check_sides(size: Any, crop: Any) -> None:
    """Raise unless images can be resized and cropped like this."""
    if not is_whole(size) or not 8 <= size <= 512:
        raise errors.InvalidInput(
            f"Images are resized to 8 to 512 pixels, a whole number; given: size={shown_value(size)}."
        )
    if crop is not None and (not is_whole(crop) or not 8 <= crop <= WIDTH):
        raise errors.InvalidInput(
            f"Of images of {WIDTH}x{HEIGHT} pixels a square of 8 to {WIDTH} is kept; given: "
            f"crop={shown_value(crop)}."
        )


class AlignedImages:
    """The source of a `TableData`: images, each read when it is asked for.

    Args:
        folder: where they are.
        files: their names.
        size: rows and columns that they are resized to, by Lanczos' filter.
        crop: side of the square in the middle that is kept of an image, before it is resized; all of it if not
            given.
        graph: over the factors and ``image``.
    """

    def __init__(self, folder: Path, files: np.ndarray, size: int, crop: int | None, graph: nx.DiGraph) -> None:
        self._folder, self._files, self._size, self._crop, self.graph = folder, files, int(size), crop, graph
        self.observation_shape = (self._size, self._size, 3)

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, size, size, 3), float32 in [0, 1]."""
        different, places = np.unique(np.asarray(indices), return_inverse=True)
        pixels = np.empty((len(different), *self.observation_shape), dtype=np.uint8)
        for image, index in zip(pixels, different, strict=True):
            image[:] = self._read(self._folder / str(self._files[index]))
        return pixels[places.reshape(-1)].astype(np.float32) / np.float32(255)

    def _read(self, path: Path) -> np.ndarray:
        from PIL import Image

        picture = open_picture(path, formats=("JPEG", "PNG"), sizes=[(WIDTH, HEIGHT)]).convert("RGB")
        if self._crop is not None:
            left, top = (WIDTH - self._crop) // 2, (HEIGHT - self._crop) // 2
            picture = picture.crop((left, top, left + self._crop, top + self._crop))
        return np.asarray(picture.resize((self._size, self._size), Image.Resampling.LANCZOS))


class AttributeRows:
    """The source of a `TableData` without images: the attributes of each, 0 or 1.

    Args:
        values: (images, attributes) truth values.
        graph: over the factors and ``image``, which stands for what is not there.
    """

    def __init__(self, values: np.ndarray, graph: nx.DiGraph) -> None:
        self._values, self.graph = values, graph
        self.observation_shape = (values.shape[1],)

    def observations(self, indices: IntArray) -> FloatArray:
        """The attributes (n, attributes), float32."""
        return self._values[np.asarray(indices)].astype(np.float32)
