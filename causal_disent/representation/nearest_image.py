"""A classifier that needs no training: the image is what the nearest known images are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Checked, check_at_least, check_seed, checked
from causal_disent.data.factor_table import value_rows
from causal_disent.progress import in_batches
from causal_disent.protocols import FloatArray, is_finite
from causal_disent.representation.image_shape import check_image_shape
from causal_disent.text import Shown

#: Images handled at a time.
CHUNK = 256
#: An image of the data set gets all but this much probability itself.
LEAKAGE = 1e-6


class NearestImageClassifier(Shown, Checked):
    r"""A kernel over the images of a finite data set.

    .. math:: p_i(v | x) \propto \sum_{j: g_i(x_j) = v} \exp(-\|P x - P x_j\|^2 / 2 h^2)

    P is a random projection of the pixels. The bandwidth h is so small that an image of the data set is
    recognised for certain, whatever its neighbours; far from all of them, the nearest decide.

    Args:
        data: finite ground-truth data.
        num_dimensions: of the projection.
        max_images: the most that may be kept in memory.
        seed: of the projection.
    """

    name = "nearest_image"

    @checked
    def __init__(self, data: Any, num_dimensions: int = 256, max_images: int = 50_000, seed: int = 0) -> None:
        check_at_least(1, num_dimensions=num_dimensions)
        check_seed("`seed`", seed)
        with errors.readable("The data set"):
            listed = is_finite(data) and hasattr(data, "factor_table")
        if not listed:
            raise errors.InvalidInput(
                f"The classifier 'nearest_image' needs a finite data set; {type(data).__name__} is not one. "
                "Use another (`causal-disent classifiers` lists them), such as 'conv_classifier' of the plugin "
                "causal-disent-torch, which is trained on drawn images."
            )
        table = data.factor_table
        if len(table) > max_images:
            raise errors.InvalidInput(
                f"The classifier 'nearest_image' keeps every image of the data set in memory, and there are "
                f"{len(table):,}. Raise nearest_image.max_images ({max_images:,}) or use another "
                "classifier: `causal-disent classifiers` lists them."
            )
        self._data = data
        self._indices = table.index.to_numpy()
        self._values = list(value_rows(table).T)
        self._names = list(table.columns)
        self._num_values = [len(table[name].cat.categories) for name in table.columns]
        size = int(np.prod(data.observation_shape))
        generator = np.random.RandomState(seed)
        self._projection = generator.normal(size=(size, num_dimensions)).astype(np.float32)
        self._projection /= np.float32(np.sqrt(num_dimensions))

    def _shows(self) -> Iterator[str]:
        yield f"{len(self._indices):,} images"
        yield ", ".join(f"{name} {size}" for name, size in zip(self._names, self._num_values, strict=True))

    def predict_proba(self, images: FloatArray) -> list[FloatArray]:
        """One (n, values) array per factor."""
        return self._vote(self._log_weights(self._project(images)))

    @cached_property
    def accuracy(self) -> list[float]:
        """Per factor, each image judged by all the others.

        No other image has the same combination of factors where there is one image per combination, so
        this is the accuracy on combinations never seen. An image of the data set itself is always recognised.
        """
        correct = np.zeros(len(self._values))
        for start, features in self._chunks():
            weights = self._log_weights(features)
            rows = np.arange(len(features))
            weights[rows, start + rows] = -np.inf
            for i, table in enumerate(self._vote(weights)):
                correct[i] += (table.argmax(axis=1) == self._values[i][start : start + len(features)]).sum()
        return (correct / len(self._indices)).tolist()

    @cached_property
    def _known(self) -> FloatArray:
        """(images, dimensions)."""
        batches = in_batches(self._indices, CHUNK, "learning the images")
        return np.concatenate([self._project(self._data.observations(batch)) for batch in batches])

    @cached_property
    def _squared_norms(self) -> FloatArray:
        return (self._known**2).sum(axis=1)

    @cached_property
    def _precision(self) -> float:
        """1 / 2h^2, from the distance of the two images that are nearest to each other."""
        nearest = np.inf
        for start, features in self._chunks():
            distances = self._distances(features)
            rows = np.arange(len(features))
            distances[rows, start + rows] = np.inf
            # Equal images cannot be told apart by any bandwidth.
            apart = distances[distances > 1e-9 * self._squared_norms.mean()]
            nearest = min(nearest, apart.min(initial=np.inf))
        return float(np.log(len(self._indices) / LEAKAGE) / nearest) if np.isfinite(nearest) else 1.0

    def _chunks(self) -> Iterator[tuple[int, FloatArray]]:
        for start in range(0, len(self._known), CHUNK):
            yield start, self._known[start : start + CHUNK]

    def _project(self, images: FloatArray) -> FloatArray:
        images = np.asarray(images, dtype=np.float32)
        check_image_shape(images, self._data.observation_shape, "Images for 'nearest_image'")
        flat = images.reshape(len(images), -1)
        return (flat @ self._projection).astype(np.float64)

    def _distances(self, features: FloatArray) -> FloatArray:
        """Squared distances (n, known images)."""
        squares = (features**2).sum(axis=1, keepdims=True) + self._squared_norms
        return np.maximum(squares - 2 * features @ self._known.T, 0.0)

    def _log_weights(self, features: FloatArray) -> FloatArray:
        return -self._precision * self._distances(features)

    def _vote(self, log_weights: FloatArray) -> list[FloatArray]:
        """Normalised sums of the weights of the images that share a value."""
        weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return [weights @ one_hot for one_hot in self._one_hot]

    @cached_property
    def _one_hot(self) -> list[FloatArray]:
        """Per factor (images, values): 1 where the image has the value."""
        pairs = zip(self._values, self._num_values, strict=True)
        return [(values[:, None] == np.arange(size)).astype(np.float64) for values, size in pairs]
