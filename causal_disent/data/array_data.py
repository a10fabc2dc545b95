"""A data set of one's own, from arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_array, as_digraph, checked
from causal_disent.data.factor_columns import ValueNames, read_columns
from causal_disent.data.table_data import TableData
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx as nx


class ArrayDataset(TableData):
    """Images and their factors, row by row.

    Combinations of factors may be missing, and a combination may have several images. A column of floats is a
    continuous factor: its different values, by size, are its values, and samples hold their places.

    Args:
        images: (n, h, w, c) or (n, h, w), uint8 or floats in [0, 1]; kept as they are, not copied.
        factors: (n, factors) numbers or text, or a mapping (or data frame) of factor name -> (n,).
        factor_names: the names of the factors; ``factor_0``, ``factor_1``, ... if not given.
        value_names: the names of the values, by factor name or one sequence per factor; whole numbers count in
            them from 0, text is looked up in them.
        graph: a ``networkx.DiGraph`` over the factors, their confounders and ``image``; nodes that nobody can
            see have ``observed=False``.
        bounding_boxes: (n, 4) xmin, ymin, xmax, ymax inside the image, in pixels from the top left, half-open.

    Example:
        >>> images = np.zeros((3, 8, 8), dtype=np.uint8)
        >>> data = ArrayDataset(images, [[0, 0], [0, 1], [1, 0]], factor_names=["object", "color"])
        >>> data.observation_shape, data.factors_num_values
        ((8, 8, 1), [2, 2])
        >>> data.is_confounded  # object=1 with color=1 is missing
        True
    """

    @checked
    def __init__(
        self,
        images: Any,
        factors: Any,
        *,
        factor_names: Sequence[str] | None = None,
        value_names: ValueNames | None = None,
        graph: nx.DiGraph | None = None,
        bounding_boxes: Any = None,
    ) -> None:
        source = _ImageArray(images, graph, bounding_boxes)
        space, rows = read_columns(factors, factor_names, value_names)
        if len(rows) != len(source.pixels):
            raise errors.InvalidInput(
                f"Each image needs a row of factors; given: {len(source.pixels)} images and {len(rows)} rows."
            )
        super().__init__(source, space, rows)


class _ImageArray:
    """Images in memory, or mapped into it."""

    def __init__(self, images: Any, graph: Any, bounding_boxes: Any) -> None:
        self.pixels = _checked(images)
        if graph is not None:
            self.graph = as_digraph(graph)
        if bounding_boxes is not None:
            boxes = _checked_boxes(bounding_boxes, self.pixels.shape)
            self.bounding_boxes = partial(np.take, boxes, axis=0)  # unlike a lambda, it can be pickled

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return tuple(self.pixels.shape[1:])

    def observations(self, indices: IntArray) -> FloatArray:
        chosen = self.pixels[indices]
        if chosen.dtype == np.uint8:
            return chosen.astype(np.float32) / np.float32(255)
        return chosen.astype(np.float32, copy=False)


def _checked(images: Any) -> np.ndarray:
    """`images` with an axis for the channels, or an error."""
    images = as_array("Images", images)
    if images.ndim not in (3, 4) or not images.size:
        raise errors.InvalidInput(f"Images must be of shape (n, h, w, c) or (n, h, w); given: {images.shape}.")
    if images.dtype != np.uint8:
        if images.dtype.kind != "f":
            raise errors.InvalidInput(f"Images must be uint8, or floats in [0, 1]; given: dtype {images.dtype}.")
        low, high = images.min(), images.max()
        if not (low >= 0 and high <= 1):
            raise errors.InvalidInput(
                f"Images of floats must be in [0, 1]; these are from {low:.6g} to {high:.6g}. Give pixels from 0 "
                "to 255 as uint8."
            )
    return images[..., None] if images.ndim == 3 else images


def _checked_boxes(given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """`given` as an array of boxes in the images of this shape, or an error."""
    boxes = as_array("`bounding_boxes`", given)
    number, height, width = shape[:3]
    if boxes.shape != (number, 4):
        raise errors.InvalidInput(
            f"`bounding_boxes` must be of shape ({number}, 4): a box for each image; given: shape {boxes.shape}."
        )
    if boxes.dtype.kind not in "iuf":
        raise errors.InvalidInput(f"`bounding_boxes` must be numbers of pixels; given: dtype {boxes.dtype}.")
    xmin, ymin, xmax, ymax = boxes.T
    inside = (xmin >= 0) & (xmin < xmax) & (xmax <= width) & (ymin >= 0) & (ymin < ymax) & (ymax <= height)
    if not inside.all():
        row = int(np.flatnonzero(~inside)[0])
        raise errors.InvalidInput(
            f"The bounding box {boxes[row].tolist()} of image {row} is no box [xmin, ymin, xmax, ymax] inside the "
            f"image, which is {width} wide and {height} high."
        )
    return boxes
