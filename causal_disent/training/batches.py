"""Where training images come from: drawn from the data set, or the labelled ones in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray, IntArray, is_finite


def check_boxes(data: Any) -> None:
    """Raise unless `data` can tell the bounding box of each image."""
    if not (is_finite(data) and hasattr(data, "bounding_boxes")):
        raise errors.InvalidInput(
            f"The model needs bounding boxes, and the data set {type(data).__name__} has none. candle_mini has "
            "them; ArrayDataset takes them as `bounding_boxes`."
        )


class Batches:
    """Batches of images, drawn with a random state whose position is part of a checkpoint.

    Args:
        data: ground-truth data.
        batch_size: images in a batch.
        seed: of the random state.
        with_boxes: give the bounding boxes too.
    """

    def __init__(self, data: Any, batch_size: int, seed: int, *, with_boxes: bool = False) -> None:
        self.data, self.batch_size, self.with_boxes = data, batch_size, with_boxes
        self.random_state = np.random.RandomState(seed)

    def draw(self) -> tuple[FloatArray, IntArray | None]:
        """Images (n, h, w, c), float32 in [0, 1], and their boxes (n, 4) if asked for."""
        if not is_finite(self.data):
            images = self.data.sample_observations(self.batch_size, self.random_state)
            return np.asarray(images, dtype=np.float32), None
        indices = self._indices()
        images = np.asarray(self.data.observations(indices), dtype=np.float32)
        return images, np.asarray(self.data.bounding_boxes(indices)) if self.with_boxes else None

    def draw_known(self, step: int, *, in_order: bool = False) -> tuple[FloatArray, IntArray | None]:
        """Images, and their indices where the data set is finite.

        Args:
            step: which batch it is.
            in_order: not drawn: the batch of this step, as the data set has its images.
        """
        if not is_finite(self.data):
            return self.draw()[0], None
        indices = self._indices()
        if in_order:
            every = self.data.factor_table.index.to_numpy()
            indices = every[(step * self.batch_size + np.arange(self.batch_size)) % len(every)]
        return np.asarray(self.data.observations(indices), dtype=np.float32), indices

    def _indices(self) -> IntArray:
        factors = self.data.sample_factors(self.batch_size, self.random_state)
        return self.data.sample_indices(factors, self.random_state)

    def state(self) -> tuple[IntArray, dict[str, Any]]:
        """Where the draws are: numpy's 624 numbers, and the rest of its state, which JSON can hold."""
        state: Any = self.random_state.get_state(legacy=False)
        place = {"position": int(state["state"]["pos"]), "has_gauss": int(state["has_gauss"])}
        return state["state"]["key"].astype(np.int64), {**place, "gauss": float(state["gauss"])}

    def restore(self, key: IntArray, place: Mapping[str, Any]) -> None:
        """Go on from there."""
        rest = (place["position"], place["has_gauss"], place["gauss"])
        self.random_state.set_state(("MT19937", key.astype(np.uint32), *rest))


@dataclass(frozen=True)
class LabelledImages:
    """Images with labels, used in turn, over and over.

    Attributes:
        images_of: positions (n,) -> images (n, h, w, c).
        labels: (rows, factors), float32.
    """

    images_of: Callable[[IntArray], FloatArray]
    labels: FloatArray

    def batch(self, step: int, batch_size: int) -> tuple[FloatArray, FloatArray]:
        """The images and labels of one step."""
        rows = (step * batch_size + np.arange(batch_size)) % len(self.labels)
        return np.asarray(self.images_of(rows), dtype=np.float32), self.labels[rows]
