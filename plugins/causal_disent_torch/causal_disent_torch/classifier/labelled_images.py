"""The images a classifier learns from and is tested on, with their factors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.data.factor_table import value_rows
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray, is_finite

#: Images asked of the data set at a time.
CHUNK = 512


@dataclass(frozen=True)
class LabelledImages:
    """Images (n, h, w, c) as uint8 and the factors (n, factors) they show, as value indices."""

    pixels: np.ndarray
    factors: IntArray

    def split(self, held_out: float, random_state: np.random.RandomState) -> tuple[LabelledImages, LabelledImages]:
        """Images to learn from, and a part `held_out` of them to test on."""
        total = len(self.pixels)
        num_test = min(max(1, round(held_out * total)), total - 2)
        order = random_state.permutation(total)
        test, train = np.sort(order[:num_test]), np.sort(order[num_test:])
        return self._part(train), self._part(test)

    def _part(self, rows: IntArray) -> LabelledImages:
        return LabelledImages(self.pixels[rows], self.factors[rows])


def has_table(data: Any) -> bool:
    """Whether `data` says which images it has and what their factors are."""
    return is_finite(data) and hasattr(data, "factor_table")


def draw_images(data: Any, most: int, random_state: np.random.RandomState) -> LabelledImages:
    """All images of `data`, or `most` of them if there are more; as many draws where it has no table."""
    draw = _from_table if has_table(data) else _drawn
    pixels, factors = draw(data, most, random_state)
    if len(pixels) < 3:
        raise errors.InvalidInput(
            f"A classifier needs three images, two to learn from and one to test on; there are {len(pixels)}."
        )
    _check_factors(factors, data.factors_num_values)
    return LabelledImages(pixels, factors)


def _from_table(data: Any, most: int, random_state: np.random.RandomState) -> tuple[np.ndarray, IntArray]:
    table = data.factor_table
    rows = np.arange(len(table))
    if len(rows) > most:
        rows = np.sort(random_state.choice(len(rows), most, replace=False))
    indices = table.index.to_numpy()[rows]
    pixels = np.empty((len(rows), *data.observation_shape), dtype=np.uint8)
    for start, stop in _chunks(len(rows)):
        pixels[start:stop] = _as_bytes(data.observations(indices[start:stop]))
    return pixels, value_rows(table)[rows]


def _drawn(data: Any, most: int, random_state: np.random.RandomState) -> tuple[np.ndarray, IntArray]:
    pixels = np.empty((most, *data.observation_shape), dtype=np.uint8)
    factors = np.empty((most, data.num_factors), dtype=np.int64)
    for start, stop in _chunks(most):
        factors[start:stop], images = data.sample(stop - start, random_state)
        pixels[start:stop] = _as_bytes(images)
    return pixels, factors


def _chunks(total: int) -> Iterator[tuple[int, int]]:
    starts = range(0, total, CHUNK)
    for start in track(starts, "images for the classifier", total=len(starts), unit="batch"):
        yield start, min(start + CHUNK, total)


def _as_bytes(images: FloatArray) -> np.ndarray:
    return np.clip(np.rint(np.asarray(images, dtype=np.float32) * 255), 0, 255).astype(np.uint8)


def _check_factors(factors: IntArray, sizes: Any) -> None:
    outside = (factors < 0) | (factors >= np.asarray(sizes))
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise errors.InvalidInput(
            f"A classifier needs factors that count from 0; factor {column} of the data set has {sizes[column]} "
            f"values and one of them is {factors[row, column]}."
        )
