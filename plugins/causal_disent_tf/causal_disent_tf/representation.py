"""A TensorFlow encoder, perhaps with a decoder, as the representation that metrics call with numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_whole
from causal_disent.protocols import FloatArray
from causal_disent.text import Shown
from causal_disent.training.description import ACTIVATIONS
from causal_disent_tf._tensorflow import tensorflow

#: Images that pass through a network together.
BATCH_SIZE = 256
#: Whose tensors they are, for classifiers that take them.
TENSORS = "tensorflow"
#: Rounding that is forgiven in images that a decoder promises to be in [0, 1].
TOLERANCE = 1e-3


@dataclass(frozen=True)
class DeviceImages:
    """Images (n, h, w, c) that are left where TensorFlow has made them, with what metrics do with arrays of them.

    Attributes:
        tensor: of TensorFlow.
    """

    tensor: Any

    def __len__(self) -> int:
        return int(self.tensor.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, h, w, c)."""
        return tuple(self.tensor.shape)

    def __getitem__(self, rows: Any) -> DeviceImages:
        return DeviceImages(self.tensor[rows])

    def __iter__(self) -> Iterator[DeviceImages]:
        return map(DeviceImages, self.tensor)

    def __sub__(self, other: DeviceImages) -> DeviceImages:
        return DeviceImages(self.tensor - other.tensor)

    def __abs__(self) -> DeviceImages:
        return DeviceImages(abs(self.tensor))

    def min(self) -> float:
        """The darkest value."""
        return float(tensorflow().reduce_min(self.tensor))

    def max(self) -> float:
        """The brightest value."""
        return float(tensorflow().reduce_max(self.tensor))


class TfRepresentation(Shown):
    """Images (n, h, w, c) in [0, 1] to codes (n, m), batch by batch, on the GPU where TensorFlow sees one.

    ``decode`` is there only with a decoder, ``gaussian_encoder`` only where the encoder gives a variance.

    Args:
        encode: (n, h, w, c) tensor -> codes, or a tuple or list that begins with them.
        decode: codes -> (n, h, w, c) tensor.
        activation: of the decoder's output: ``"logits"`` (sigmoid follows), ``"tanh"`` (tanh / 2 + 0.5 follows) or
            ``"none"`` (it is in [0, 1] already).
        batch_size: how many images or codes pass together.
        gaussian: `encode` gives mean and log variance.
    """

    tensors = TENSORS
    #: What was read -> the folder it was read from, where it was read from one.
    folders: dict[str, Path]
    decode: Callable[[FloatArray], FloatArray]
    decode_tensor: Callable[[FloatArray], DeviceImages]
    gaussian_encoder: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    def __init__(
        self,
        encode: Callable[[Any], Any],
        decode: Callable[[Any], Any] | None = None,
        *,
        activation: str = "none",
        batch_size: int = BATCH_SIZE,
        gaussian: bool = False,
    ) -> None:
        if activation not in ACTIVATIONS:
            raise errors.unknown("activation", activation, ACTIVATIONS)
        check_whole("`batch_size`", batch_size, 1)
        self.activation = activation
        self.batch_size = batch_size
        self._encode_batch = encode
        if gaussian:
            self.gaussian_encoder = self._gaussian_encoder
        if decode is not None:
            self._decode_batch = decode
            self.decode = self._decode
            self.decode_tensor = self._decode_tensor

    def _shows(self) -> Iterator[str]:
        yield "with a decoder" if hasattr(self, "decode") else "without a decoder"

    def __call__(self, images: FloatArray, /) -> FloatArray:
        """Codes (n, m), float32."""
        return self._through(self._codes, images)

    def _codes(self, batch: Any) -> Any:
        return _first(self._encode_batch(batch))

    def _gaussian_encoder(self, images: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and log variance of the codes, each (n, m)."""
        both = self._through(lambda batch: tensorflow().stack(list(self._encode_batch(batch)), axis=1), images)
        return both[:, 0], both[:, 1]

    def _decode(self, codes: FloatArray) -> FloatArray:
        """Images (n, h, w, c) in [0, 1], float32."""
        return self._through(self._images, codes)

    def _decode_tensor(self, codes: FloatArray) -> DeviceImages:
        """The same, left on the device, all codes in one batch."""
        return DeviceImages(self._images(tensorflow().constant(np.asarray(codes, np.float32))))

    def _images(self, codes: Any) -> Any:
        return activate(self._decode_batch(codes), self.activation)

    def _through(self, function: Callable[[Any], Any], rows: FloatArray) -> FloatArray:
        """What `function` gives for `rows`, batch by batch."""
        tf = tensorflow()
        rows = np.asarray(rows)
        outputs = []
        for start in range(0, max(1, len(rows)), self.batch_size):
            batch = tf.convert_to_tensor(rows[start : start + self.batch_size].astype(np.float32, copy=False))
            outputs.append(np.asarray(function(batch), dtype=np.float32))
        return np.concatenate(outputs)


def activate(output: Any, activation: str) -> Any:
    """The pixels in [0, 1] that a decoder's output stands for."""
    tf = tensorflow()
    if activation == "logits":
        return tf.sigmoid(output)
    if activation == "tanh":
        return tf.tanh(output) / 2 + 0.5
    low, high = float(tf.reduce_min(output)), float(tf.reduce_max(output))
    if not (low >= -TOLERANCE and high <= 1 + TOLERANCE):
        raise errors.InvalidInput(
            f"The decoder gives values from {low:.4g} to {high:.4g}; images are in [0, 1]. If they are "
            "logits, pass activation='logits' (keras_module.activation in a config)."
        )
    return tf.clip_by_value(output, 0.0, 1.0)


def _first(output: Any) -> Any:
    return output[0] if isinstance(output, (tuple, list)) else output


def from_module(
    encode: Callable[[Any], Any],
    decode: Callable[[Any], Any] | None = None,
    *,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    batch_size: int = BATCH_SIZE,
) -> TfRepresentation:
    """A user's own Keras models or functions as a representation.

    Args:
        encode: Keras model, ``tf.function`` or function: tensor (n, h, w, c), float32 in [0, 1] -> codes (n, m),
            or a tuple or list that begins with them.
        decode: codes (n, m) -> tensor (n, h, w, c); without it there is no ``decode``.
        channels_first: `encode` takes and `decode` gives (n, c, h, w).
        activation: ``"none"`` if `decode` gives pixels in [0, 1], otherwise what they are: ``"logits"`` or
            ``"tanh"``.
        gaussian: `encode` gives mean and log variance, so that ``gaussian_encoder`` is there too.
        batch_size: how many images pass together.

    Returns:
        What metrics call: images (n, h, w, c) as an array to codes as an array. Keras models run as for inference.
    """
    encode, decode = _inference(encode), None if decode is None else _inference(decode)
    if channels_first:
        encode = _reordered(encode, before=(0, 3, 1, 2))
        decode = None if decode is None else _reordered(decode, after=(0, 2, 3, 1))
    return TfRepresentation(encode, decode, activation=activation, batch_size=batch_size, gaussian=gaussian)


def _inference(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """A Keras model without dropout and with the averages it has learnt; any other function as it is."""
    if not hasattr(function, "trainable_weights"):
        return function
    return lambda tensor: function(tensor, training=False)


def _reordered(
    function: Callable[[Any], Any], before: tuple[int, ...] = (), after: tuple[int, ...] = ()
) -> Callable[[Any], Any]:
    """A function with the axes of its argument or of its result permuted."""

    def call(tensor: Any) -> Any:
        tf = tensorflow()
        result = function(tf.transpose(tensor, before) if before else tensor)
        return tf.transpose(result, after) if after else result

    return call
