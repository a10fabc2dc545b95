"""A Keras model from a file as the classifier of factors that CG asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least
from causal_disent.config import REQUIRED
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, GroundTruthData
from causal_disent.text import Shown
from causal_disent_tf._tensorflow import tensorflow
from causal_disent_tf.keras_files import load_keras
from causal_disent_tf.representation import NAME, DeviceImages

CHANNEL_ORDERS = ("channels_last", "channels_first")
OUTPUTS = ("softmax", "sigmoid")
#: Rounding that is forgiven in probabilities.
TOLERANCE = 1e-3


class KerasClassifier(Shown):
    r"""``keras_classifier``: a model that was trained on the factors of a data set.

    It gives one output per factor (a list, or a dict by factor name), or one matrix with the values of all factors
    side by side, in the order of the data set. With one sigmoid per value, probabilities are
    :math:`p_i(v) = s_{iv} / \sum_w s_{iw}`, and 1 / values where all sigmoids are 0.

    Args:
        data: the data set.
        path: of a ``.keras`` or ``.h5`` file.
        channel_order: of the images that the model takes: ``"channels_last"`` or ``"channels_first"``.
        output: ``"softmax"`` (one per factor) or ``"sigmoid"`` (one per value).
        batch_size: images that pass together.
        num_test: images that the accuracy is measured on.
        seed: of their draw.
        trust: load files with classes that are not known to be harmless; a ``Lambda`` layer then runs its code.
    """

    name = "keras_classifier"
    tensors = NAME

    def __init__(
        self,
        data: GroundTruthData,
        path: str = REQUIRED,
        channel_order: str = "channels_last",
        output: str = "softmax",
        batch_size: int = 256,
        num_test: int = 1000,
        seed: int = 0,
        trust: bool = False,
    ) -> None:
        if path is REQUIRED:
            raise errors.InvalidInput(
                "`path` names the file of the Keras model: keras_classifier.path = 'a.keras'."
            )
        for option, value, allowed in (
            ("channel order", channel_order, CHANNEL_ORDERS),
            ("output", output, OUTPUTS),
        ):
            if value not in allowed:
                raise errors.unknown(option, value, allowed)
        check_at_least(1, batch_size=batch_size, num_test=num_test)
        self._data = data
        self._path = Path(path)
        self._channels_first = channel_order == "channels_first"
        self._output = output
        self._batch_size, self._num_test, self._seed = batch_size, num_test, seed
        self._sizes = [int(size) for size in data.factors_num_values]
        self._model = load_keras(self._path, trust=trust)
        self._check_images()

    def _shows(self) -> Iterator[str]:
        yield str(self._path)
        yield f"factors of {', '.join(map(str, self._sizes))} values"

    def predict_proba(self, images: FloatArray) -> list[FloatArray]:
        """One (n, values) array per factor; rows sum to 1."""
        return self._predict_batches(np.asarray(images))

    def predict_proba_tensor(self, images: DeviceImages) -> list[FloatArray]:
        """Return the same for images that a TensorFlow model has left on its device."""
        return self._predict_batches(images.tensor)

    def _predict_batches(self, images: Any) -> list[FloatArray]:
        starts = range(0, max(1, len(images)), self._batch_size)
        tables = [self._predict_batch(images[start : start + self._batch_size]) for start in starts]
        return [np.concatenate(parts) for parts in zip(*tables, strict=True)]

    @cached_property
    def accuracy(self) -> list[float]:
        """Per factor, on images drawn from the data set; whether the model was fitted to some, its maker knows."""
        random_state = np.random.RandomState(self._seed)
        correct = np.zeros(len(self._sizes))
        starts = range(0, self._num_test, self._batch_size)
        for start in track(starts, "measuring the classifier", total=len(starts), unit="batch"):
            num = min(self._batch_size, self._num_test - start)
            factors, images = self._data.sample(num, random_state)
            for i, table in enumerate(self.predict_proba(images)):
                correct[i] += (table.argmax(axis=1) == np.asarray(factors)[:, i]).sum()
        return (correct / self._num_test).tolist()

    def _predict_batch(self, images: Any) -> list[FloatArray]:
        """Predict one batch."""
        tf = tensorflow()
        batch = tf.cast(images, tf.float32)
        if self._channels_first:
            batch = tf.transpose(batch, (0, 3, 1, 2))
        parts = self._parts(self._model(batch, training=False))
        return [self._probabilities(part) for part in parts]

    def _parts(self, output: Any) -> list[FloatArray]:
        """Return the output of each factor."""
        if isinstance(output, dict):
            names = list(getattr(self._data, "factor_names", output))
            if set(names) != set(output):
                raise self._unfit(f"it has the outputs {errors.listing(output)}, and the factors are {names}")
            output = [output[name] for name in names]
        several = output if _is_several(output) else [output]
        parts: list[FloatArray] = [np.asarray(part, dtype=np.float64) for part in several]
        if len(parts) == 1 and len(self._sizes) > 1 and parts[0].shape[1:] == (sum(self._sizes),):
            parts = np.split(parts[0], np.cumsum(self._sizes)[:-1], axis=1)
        found = [part.shape[1:] for part in parts]
        if found != [(size,) for size in self._sizes]:
            raise self._unfit(
                f"its outputs have the shapes {found}, and the factors have {self._sizes} values; one output per "
                "factor is needed, or one with the values of all factors side by side"
            )
        return parts

    def _probabilities(self, part: FloatArray) -> FloatArray:
        """Check the outputs of a factor, and turn them into probabilities."""
        if not np.isfinite(part).all() or (part < -TOLERANCE).any() or (part > 1 + TOLERANCE).any():
            raise self._unfit(
                f"it gives values from {part.min():.4g} to {part.max():.4g}, which are no probabilities; its last "
                "layers should be a softmax per factor or a sigmoid per value"
            )
        totals = part.sum(axis=1, keepdims=True)
        if self._output == "softmax" and (np.abs(totals - 1) > TOLERANCE).any():
            raise self._unfit(
                f"the probabilities of a factor sum to {totals.min():.4g} to {totals.max():.4g} instead of 1; if "
                "it has one sigmoid per value, bind keras_classifier.output = 'sigmoid'"
            )
        even = np.full_like(part, 1 / part.shape[1])
        return np.divide(np.clip(part, 0, None), totals, out=even, where=totals > 0)

    def _check_images(self) -> None:
        """Raise unless the model takes the images of the data set."""
        shapes = self._model.input_shape
        if isinstance(shapes, (list, dict)):
            raise self._unfit("it takes more than one input")
        shape = tuple(self._data.observation_shape)
        expected = tuple(shapes[1:])
        given = (shape[2], *shape[:2]) if self._channels_first else shape
        if len(given) != len(expected) or any(b not in (None, a) for a, b in zip(given, expected, strict=True)):
            raise self._unfit(
                f"it takes images of shape {expected}, and those of the data set have shape {given} in the order "
                f"'{CHANNEL_ORDERS[self._channels_first]}' (keras_classifier.channel_order)"
            )

    def _unfit(self, reason: str) -> errors.InvalidInput:
        return errors.InvalidInput(f"The Keras model {self._path} does not fit the data set: {reason}.")


def _is_several(output: Any) -> bool:
    return isinstance(output, Sequence)
