"""An encoder, perhaps with a decoder, as the representation that metrics call with numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from causal_disent import errors
from causal_disent.checks import NO_MATCH, Constraint, check_whole
from causal_disent.protocols import FloatArray
from causal_disent.text import Shown
from causal_disent.training.networks import ACTIVATIONS, Tensors, check_pixels

#: What a user gives to encode or decode.
Coder = Annotated[
    Callable[[Any], Any],
    Constraint(
        "a module or a function (no class: write @Encoder() with brackets)",
        lambda name, value: value if callable(value) and not isinstance(value, type) else NO_MATCH,
    ),
]


class Reordered:
    """A function with the axes of its argument or of its result permuted.

    Args:
        function: tensor -> tensor.
        tensors: of the framework.
        before: the order of the argument's axes.
        after: the order of the result's.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        tensors: Tensors,
        before: tuple[int, ...] = (),
        after: tuple[int, ...] = (),
    ) -> None:
        self.function, self.before, self.after = function, before, after
        self._tensors = tensors

    def __call__(self, tensor: Any) -> Any:
        result = self.function(self._permuted(tensor, self.before) if self.before else tensor)
        # What is no tensor is told of by those who need one.
        return self._permuted(result, self.after) if self.after and self._tensors.is_tensor(result) else result

    def _permuted(self, images: Any, axes: tuple[int, ...]) -> Any:
        """Permute the axes of images."""
        if len(images.shape) != len(axes):
            raise errors.InvalidInput(
                f"channels_first is for images, which have {len(axes)} axes; given: a tensor of shape "
                f"{tuple(images.shape)}."
            )
        return self._tensors.permuted(images, axes)


def channels_last(encode: Any, decode: Any, tensors: Tensors) -> tuple[Any, Any]:
    """Return a pair that takes and gives (n, c, h, w) as one of (n, h, w, c); there may be no `decode`."""
    after = None if decode is None else Reordered(decode, tensors, after=(0, 2, 3, 1))
    return Reordered(encode, tensors, before=(0, 3, 1, 2)), after


#: Images that pass through a network together.
BATCH_SIZE = 256


class NetworkRepresentation(Shown):
    """Images (n, h, w, c) in [0, 1] to codes (n, m), batch by batch, by networks; each framework has a subclass.

    ``decode`` and ``decode_tensor`` are there only with a decoder, ``gaussian_encoder`` only where the encoder
    gives a variance.

    Args:
        encoder: (n, h, w, c) tensor -> codes, or mean and log variance.
        decoder: codes -> (n, h, w, c) tensor.
        activation: of the decoder's output: ``"logits"`` (sigmoid follows), ``"tanh"`` (tanh / 2 + 0.5 follows) or
            ``"none"`` (it is in [0, 1] already).
        device: where they run, as the framework calls it.
        batch_size: how many images or codes pass together.
        sample_seed: draw codes from the encoder's Gaussian instead of its mean, by a generator with this seed that
            goes on from call to call.
        gaussian: whether the encoder gives mean and log variance.
    """

    #: Of the framework.
    of: ClassVar[Tensors]
    #: What was read -> the folder it was read from, where it was read from one.
    folders: dict[str, Path]
    decode: Callable[[FloatArray], FloatArray]
    decode_tensor: Callable[[Any], Any]
    gaussian_encoder: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    def __init__(
        self,
        encoder: Callable[[Any], Any],
        decoder: Callable[[Any], Any] | None,
        *,
        activation: str,
        device: Any,
        batch_size: int,
        sample_seed: int | None,
        gaussian: bool,
    ) -> None:
        if activation not in ACTIVATIONS:
            raise errors.unknown("activation", activation, ACTIVATIONS)
        check_whole("`batch_size`", batch_size, 1)
        if sample_seed is not None and not gaussian:
            raise errors.InvalidInput("Codes can be drawn only where the encoder gives mean and log variance.")
        self.encoder, self.decoder, self.activation = encoder, decoder, activation
        self.device, self.batch_size, self.sample_seed = device, batch_size, sample_seed
        self._gaussian = gaussian
        if gaussian:
            self.gaussian_encoder = self._gaussian_encoder
        if decoder is not None:
            self.decode = self._decode
            self.decode_tensor = self._decode_tensor

    def _shows(self) -> Iterator[str]:
        yield "codes" if self.num_codes is None else f"{self.num_codes} codes"
        yield "with a decoder" if self.decoder is not None else "without a decoder"
        yield str(self.device)

    @property
    def num_codes(self) -> int | None:
        """How many codes there are, where the encoder tells (``num_latent``)."""
        return getattr(self.encoder, "num_latent", None)

    def __call__(self, images: FloatArray, /) -> FloatArray:
        """Return codes (n, m), float32: the mean, or a draw if there is a ``sample_seed``."""
        return self._apply_in_batches(self._encode, images)[0]

    def _encode(self, images: Any) -> tuple[Any, ...]:
        encoded = self._encode_batch(images)
        return encoded[:1] if self.sample_seed is None else (self._draw_codes(*encoded),)

    def _encode_batch(self, images: Any) -> tuple[Any, ...]:
        return self.of.codes_in(self._apply(self.encoder, images), gaussian=self._gaussian)

    def _gaussian_encoder(self, images: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and log variance of the codes, each (n, m)."""
        mean, log_var = self._apply_in_batches(self._encode_batch, images)
        return mean, log_var

    def _decode(self, codes: FloatArray) -> FloatArray:
        """Return images (n, h, w, c) in [0, 1], float32."""
        return self._apply_in_batches(lambda batch: (self._decode_batch(batch),), codes)[0]

    def _decode_tensor(self, codes: Any) -> Any:
        """Return the same as a tensor on the device, all codes in one batch."""
        with self._inference_mode():
            return self._decode_batch(self._tensor(codes))

    def _decode_batch(self, codes: Any) -> Any:
        images = self._activate(self.of.images_in(self._apply(self.decoder, codes)))
        if 0 not in tuple(images.shape):
            check_pixels(*self._find_extremes(images))
        return self._clip(images) if self.activation == "none" else images

    def _apply_in_batches(self, function: Callable[[Any], tuple[Any, ...]], rows: Any) -> list[np.ndarray]:
        """Return what `function` gives for `rows`, batch by batch; one empty batch if there are none."""
        rows = np.asarray(rows)
        outputs: list[tuple[np.ndarray, ...]] = []
        with self._inference_mode():
            for start in range(0, max(1, len(rows)), self.batch_size):
                output = function(self._tensor(rows[start : start + self.batch_size]))
                outputs.append(tuple(map(self._array, output)))
        return [np.concatenate(parts) for parts in zip(*outputs, strict=True)]

    def _inference_mode(self) -> AbstractContextManager[Any]:
        """While networks run: nothing is learned, and what is made is on the device."""
        raise NotImplementedError

    def _apply(self, function: Any, tensor: Any) -> Any:
        """Return what an encoder or a decoder gives."""
        return function(tensor)

    def _draw_codes(self, mean: Any, log_var: Any) -> Any:
        """Return codes from the Gaussian, by the generator of `sample_seed`."""
        raise NotImplementedError

    def _activate(self, output: Any) -> Any:
        """Return a decoder's output after the activation, float32."""
        raise NotImplementedError

    def _find_extremes(self, images: Any) -> tuple[float, float]:
        """Return the smallest and the largest value, nan if one is."""
        raise NotImplementedError

    def _clip(self, images: Any) -> Any:
        """Values below 0 become 0, those above 1 become 1."""
        raise NotImplementedError

    def _tensor(self, rows: Any) -> Any:
        """Return an array as a tensor on the device, float32."""
        raise NotImplementedError

    def _array(self, tensor: Any) -> np.ndarray:
        """Return a tensor as an array, float32."""
        raise NotImplementedError
