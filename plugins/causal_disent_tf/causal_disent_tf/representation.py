"""A TensorFlow encoder, perhaps with a decoder, as the representation that metrics call with numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import checked
from causal_disent.representation.causal_functions import CausalFunctions
from causal_disent.training.networks import Tensors, declare_network
from causal_disent.training.representation import BATCH_SIZE, Coder, NetworkRepresentation, channels_last
from causal_disent_tf._tensorflow import choose_device, tensorflow

#: Whose tensors they are, for classifiers that take them.
NAME = "tensorflow"
#: For what is checked in all frameworks.
TENSORS = Tensors(
    lambda value: tensorflow().is_tensor(value), lambda tensor, axes: tensorflow().transpose(tensor, axes)
)


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
        """Return the darkest value."""
        return float(tensorflow().reduce_min(self.tensor))

    def max(self) -> float:
        """Return the brightest value."""
        return float(tensorflow().reduce_max(self.tensor))


class TfRepresentation(NetworkRepresentation):
    """Images (n, h, w, c) in [0, 1] to codes (n, m), batch by batch; Keras models run as for inference.

    The arguments are those of `causal_disent.training.representation.NetworkRepresentation`. `device` is
    one of `causal_disent_tf._tensorflow.DEVICES`.
    """

    of = TENSORS
    tensors = NAME

    def __init__(
        self,
        encoder: Callable[[Any], Any],
        decoder: Callable[[Any], Any] | None = None,
        *,
        activation: str = "none",
        device: str = "auto",
        batch_size: int = BATCH_SIZE,
        sample_seed: int | None = None,
        gaussian: bool = False,
    ) -> None:
        super().__init__(
            encoder,
            decoder,
            activation=activation,
            device=device,
            batch_size=batch_size,
            sample_seed=sample_seed,
            gaussian=gaussian,
        )
        self.device = choose_device(device)
        self._noise = np.random.default_rng(sample_seed)

    def _inference_mode(self) -> AbstractContextManager[Any]:
        return tensorflow().device(self.device)

    def _draw_codes(self, mean: Any, log_var: Any) -> Any:
        noise = self._noise.standard_normal(tuple(mean.shape), np.float32)
        return mean + tensorflow().exp(log_var / 2) * noise

    def _activate(self, output: Any) -> Any:
        tf = tensorflow()
        return activate(tf.cast(output, tf.float32), self.activation)

    def _find_extremes(self, images: Any) -> tuple[float, float]:
        tf = tensorflow()
        return float(tf.reduce_min(images)), float(tf.reduce_max(images))

    def _clip(self, images: Any) -> Any:
        return tensorflow().clip_by_value(images, 0.0, 1.0)

    def _tensor(self, rows: Any) -> Any:
        return tensorflow().convert_to_tensor(np.asarray(rows).astype(np.float32, copy=False))

    def _array(self, tensor: Any) -> np.ndarray:
        return np.asarray(tensor, dtype=np.float32)

    def _decode_tensor(self, codes: Any) -> DeviceImages:
        return DeviceImages(super()._decode_tensor(codes))


def activate(output: Any, activation: str) -> Any:
    """Return pixels in [0, 1] from what a decoder gives."""
    tf = tensorflow()
    if activation == "logits":
        return tf.sigmoid(output)
    return tf.tanh(output) / 2 + 0.5 if activation == "tanh" else output


@checked
def from_module(
    encode: Coder,
    decode: Coder | None = None,
    device: str = "auto",
    *,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    batch_size: int = BATCH_SIZE,
    **causal: Any,
) -> TfRepresentation | CausalFunctions:
    """Return a user's own Keras models or functions as a representation.

    Args:
        encode: Keras model, ``tf.function`` or function: tensor (n, h, w, c), float32 in [0, 1] -> codes (n, m),
            or a tuple or list that begins with them.
        decode: codes (n, m) -> tensor (n, h, w, c); without it there is no ``decode``.
        device: where they run; ``"auto"`` takes a GPU where TensorFlow sees one.
        channels_first: `encode` takes and `decode` gives (n, c, h, w).
        activation: ``"none"`` if `decode` gives pixels in [0, 1], otherwise what they are: ``"logits"`` or
            ``"tanh"``.
        gaussian: `encode` gives mean and log variance, so that ``gaussian_encoder`` is there too.
        batch_size: how many images pass together.
        causal: `do`, `adjacency` and the others of `causal_disent.CausalFunctions`, functions of arrays: a causal
            model.

    Returns:
        What metrics call: images (n, h, w, c) as an array to codes as an array. Keras models run as for inference.
    """
    encode, decode = _inference(encode), None if decode is None else _inference(decode)
    if channels_first:
        encode, decode = channels_last(encode, decode, TENSORS)
    model = TfRepresentation(
        encode, decode, activation=activation, device=device, batch_size=batch_size, gaussian=gaussian
    )
    return CausalFunctions(model, **causal) if causal else model


def _inference(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a Keras model without dropout and with the averages it has learnt; any other function as it is."""
    if not hasattr(function, "trainable_weights"):
        return function
    return lambda tensor: function(tensor, training=False)


def architecture(name: str, kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for an architecture that TensorFlow trains, and saved models be read.

    Args:
        name: what configs call it; saved models store it.
        kind: ``"encoder"``, ``"decoder"`` or ``"discriminator"``.

    The function takes ``(image_shape, num_latent, generator)``, a discriminator's ``(num_latent, generator)``, and
    returns a Keras layer or model whose weights are there: an encoder's gives mean and log variance (n,
    num_latent) for images (n, h, w, c), a decoder's images before the activation for codes, a discriminator's
    logits (n, 2) for codes. `generator` is a `numpy.random.Generator`, to draw initial weights or seeds from; None
    where saved weights will replace them. What else it takes, configs can bind, and what they bind is stored with
    the model. An encoder has the attributes ``image_shape`` and ``num_latent``.
    """
    return declare_network(name, kind, "tf")
