"""What an image shows, without a framework: small features of it, and a regressor of factors from them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.data.factor_table import factor_values, value_rows
from causal_disent.metrics.tools.counterfactuals import scale_of
from causal_disent.metrics.tools.decoded import make_classifier
from causal_disent.protocols import FloatArray, IntArray

#: Images are averaged to at most so many rows and columns.
SIDE = 24
#: Images that the regressor is fitted to and tested on, its ridge, and the seed of their draw.
NUM_FITTED, NUM_TESTED, RIDGE, SEED = 1500, 300, 1e-4, 0


def image_features(images: FloatArray) -> FloatArray:
    """(n, features): images averaged over blocks of pixels, at most 24 to a side.

    Example:
        >>> image_features(np.arange(48.0 * 48).reshape(1, 48, 48, 1)).shape
        (1, 576)
    """
    images = np.asarray(images, dtype=np.float32)
    for axis in (1, 2):
        size = images.shape[axis]
        starts = np.unique(np.linspace(0, size, min(size, SIDE), endpoint=False).astype(int))
        counts = np.diff([*starts, size]).astype(np.float32)
        shape = [-1 if a == axis else 1 for a in range(4)]
        images = np.add.reduceat(images, starts, axis=axis) / counts.reshape(shape)
    return images.reshape(len(images), -1)


def squared_distances(one: FloatArray, other: FloatArray) -> FloatArray:
    """(n, m): between the rows of two matrices."""
    norms = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)
    return np.maximum(norms - 2 * one @ other.T, 0.0)


class ImageRegressor:
    """Kernel ridge regression of the factors on small images of a finite data set.

    Args:
        data: finite ground-truth data.
    """

    is_classifier = False

    def __init__(self, data: Any) -> None:
        self._data = data
        order = np.random.RandomState(SEED).permutation(data.factor_table.index.to_numpy())
        tested = min(NUM_TESTED, len(order) // 5)
        self._tested, self._fitted = order[:tested], order[tested : tested + NUM_FITTED]

    def predict(self, images: FloatArray) -> FloatArray:
        """(n, factors): the factors as the images show them, in the units of `factor_values`."""
        return self._kernel(image_features(images)) @ self._weights + self._centre

    @cached_property
    def error(self) -> FloatArray:
        """(factors,): mean absolute error on images it was not fitted to, as a part of each factor's range."""
        values = factor_values(self._data, self._tested)
        apart = np.abs(self.predict(self._data.observations(self._tested)) - values).mean(axis=0)
        return apart / scale_of(factor_values(self._data, self._fitted))

    @cached_property
    def _known(self) -> FloatArray:
        return image_features(self._data.observations(self._fitted))

    @cached_property
    def _width(self) -> float:
        return float(np.median(squared_distances(self._known[:300], self._known))) or 1.0

    @cached_property
    def _centre(self) -> FloatArray:
        return factor_values(self._data, self._fitted).mean(axis=0)

    @cached_property
    def _weights(self) -> FloatArray:
        kernel = self._kernel(self._known)
        kernel[np.diag_indices_from(kernel)] += RIDGE
        return np.linalg.solve(kernel, factor_values(self._data, self._fitted) - self._centre)

    def _kernel(self, features: FloatArray) -> FloatArray:
        return np.exp(-squared_distances(features, self._known).astype(np.float64) / self._width)


class _ByClassifier:
    """A classifier's most probable value of each factor, as a number."""

    is_classifier = True

    def __init__(self, classifier: Any, data: Any) -> None:
        self._classifier = classifier
        table = data.factor_table
        values, places = factor_values(data, table.index.to_numpy()), value_rows(table)
        self._numbers = [_numbers(place, value) for place, value in zip(places.T, values.T, strict=True)]

    @property
    def error(self) -> FloatArray:
        """(factors,): the part of images that the classifier was not fitted to and is wrong on."""
        return 1 - np.asarray(self._classifier.accuracy, dtype=np.float64)

    def predict(self, images: FloatArray) -> FloatArray:
        """(n, factors)."""
        tables = self._classifier.predict_proba(images)
        if len(tables) != len(self._numbers):
            raise errors.InvalidInput(
                f"The classifier knows {len(tables)} factors; the data set has {len(self._numbers)}."
            )
        found = [numbers[np.argmax(table, axis=1)] for numbers, table in zip(self._numbers, tables, strict=True)]
        return np.stack(found, axis=1)


def _numbers(places: IntArray, values: FloatArray) -> FloatArray:
    """The number behind each place among a factor's values; NaN where no image has it."""
    numbers = np.full(places.max() + 1, np.nan)
    numbers[places] = values
    return numbers


def make_predictor(predictor: Any, data: Any) -> Any:
    """What says the factors of images: ``"ridge"``, the name of a classifier, or an object.

    An object has ``predict(images) -> (n, factors)`` in the units of `factor_values`, or ``predict_proba``.
    """
    if predictor == "ridge":
        return ImageRegressor(data)
    if hasattr(predictor, "predict"):
        return predictor
    return _ByClassifier(make_classifier(predictor, data), data)
