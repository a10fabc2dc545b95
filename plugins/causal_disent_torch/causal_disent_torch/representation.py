"""A torch encoder, perhaps with a decoder, as the representation that metrics call with numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.arguments import check_whole
from causal_disent.protocols import FloatArray
from causal_disent.text import Shown
from causal_disent.training.description import ACTIVATIONS
from causal_disent.typed import checked
from causal_disent_torch.callables import Reordered, call, check_callable, evaluating, moved
from causal_disent_torch.device import choose_device
from causal_disent_torch.outputs import check_pixels, codes_in, images_in

#: Images that pass through a network together.
BATCH_SIZE = 256


class TorchRepresentation(Shown):
    """Images (n, h, w, c) in [0, 1] to codes (n, m), batch by batch, in inference mode.

    ``decode`` and ``decode_tensor`` are there only with a decoder, ``gaussian_encoder`` only where the encoder
    gives a variance.

    Args:
        encoder: (n, h, w, c) tensor -> codes, or mean and log variance.
        decoder: codes -> (n, h, w, c) tensor.
        activation: of the decoder's output: ``"logits"`` (sigmoid follows), ``"tanh"`` (tanh / 2 + 0.5 follows) or
            ``"none"`` (it is in [0, 1] already).
        device: where modules are moved to.
        batch_size: how many images or codes pass together.
        sample_seed: draw codes from the encoder's Gaussian instead of its mean, by a generator with this seed that
            goes on from call to call.
        gaussian: whether the encoder gives mean and log variance.

    Example:
        >>> from causal_disent_torch.networks.linear import LinearDecoder, LinearEncoder
        >>> shape = (8, 8, 1)
        >>> model = TorchRepresentation(LinearEncoder(shape, 3), LinearDecoder(shape, 3), device="cpu")
        >>> model
        TorchRepresentation(3 codes; with a decoder; cpu)
        >>> codes = model(np.zeros((2, 8, 8, 1), dtype=np.float32))
        >>> codes.shape, model.decode(codes).shape
        ((2, 3), (2, 8, 8, 1))
    """

    #: What was read -> the folder it was read from, where it was read from one.
    folders: dict[str, Path]
    decode: Callable[[FloatArray], FloatArray]
    decode_tensor: Callable[[Any], Tensor]
    gaussian_encoder: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    @checked
    def __init__(
        self,
        encoder: Callable[[Tensor], Any],
        decoder: Callable[[Tensor], Tensor] | None = None,
        *,
        activation: str = "logits",
        device: str | torch.device = "cpu",
        batch_size: int = BATCH_SIZE,
        sample_seed: int | None = None,
        gaussian: bool = True,
    ) -> None:
        if activation not in ACTIVATIONS:
            raise errors.unknown("activation", activation, ACTIVATIONS)
        check_whole("`batch_size`", batch_size, 1)
        if sample_seed is not None and not gaussian:
            raise errors.InvalidInput("Codes can be drawn only where the encoder gives mean and log variance.")
        self.device = device if isinstance(device, torch.device) else choose_device(device)
        self.encoder = moved(encoder, self.device)
        self.decoder = None if decoder is None else moved(decoder, self.device)
        self.activation = activation
        self.batch_size = batch_size
        self.sample_seed = sample_seed
        self._gaussian = gaussian
        self._noise = None if sample_seed is None else torch.Generator().manual_seed(sample_seed)
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
        """Codes (n, m), float32: the mean, or a draw if there is a ``sample_seed``."""
        return self._through(self._encode, images)[0]

    def _encode(self, images: Tensor) -> tuple[Tensor, ...]:
        encoded = self._encoded(images)
        if self._noise is None:
            return encoded[:1]
        mean, log_var = encoded
        # The noise comes from the CPU, so that it is the same on every device.
        noise = torch.randn(mean.shape, generator=self._noise).to(self.device)
        return (mean + torch.exp(log_var / 2) * noise,)

    def _encoded(self, images: Tensor) -> tuple[Tensor, ...]:
        return codes_in(call(self.encoder, images), gaussian=self._gaussian)

    def _gaussian_encoder(self, images: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and log variance of the codes, each (n, m)."""
        mean, log_var = self._through(self._encoded, images)
        return mean, log_var

    def _decode(self, codes: FloatArray) -> FloatArray:
        """Images (n, h, w, c) in [0, 1], float32."""
        return self._through(lambda batch: (self._images(batch),), codes)[0]

    @torch.inference_mode()
    def _decode_tensor(self, codes: Any) -> Tensor:
        """The same as a tensor on the device, all codes in one batch."""
        with evaluating(self.decoder):
            return self._images(torch.as_tensor(codes, dtype=torch.float32, device=self.device))

    def _images(self, codes: Tensor) -> Tensor:
        assert self.decoder is not None
        images = activate(images_in(call(self.decoder, codes)), self.activation)
        check_pixels(images)
        return images.clamp(0, 1) if self.activation == "none" else images

    def _through(self, function: Callable[[Tensor], tuple[Tensor, ...]], rows: Any) -> list[np.ndarray]:
        """What `function` gives for `rows`, batch by batch; one empty batch if there are none."""
        rows = np.asarray(rows)
        outputs: list[tuple[np.ndarray, ...]] = []
        with torch.inference_mode(), evaluating(self.encoder), evaluating(self.decoder):
            for start in range(0, max(1, len(rows)), self.batch_size):
                batch = np.require(rows[start : start + self.batch_size], np.float32, ["C", "W"])
                output = function(torch.from_numpy(batch).to(self.device))
                outputs.append(tuple(part.to("cpu", torch.float32).numpy() for part in output))
        return [np.concatenate(parts) for parts in zip(*outputs, strict=True)]


def represent(encoder: Any, decoder: Any, **options: Any) -> TorchRepresentation:
    """Two networks as a representation: of the class that the decoder has as ``representation``, if it has one."""
    return getattr(decoder, "representation", TorchRepresentation)(encoder, decoder, **options)


def activate(output: Tensor, activation: str) -> Tensor:
    """Pixels in [0, 1] from what a decoder gives."""
    if activation == "logits":
        return torch.sigmoid(output)
    return torch.tanh(output) / 2 + 0.5 if activation == "tanh" else output


@checked
def from_module(
    encode: Callable[[Tensor], Any],
    decode: Callable[[Tensor], Tensor] | None = None,
    device: str | torch.device = "auto",
    *,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    batch_size: int = BATCH_SIZE,
) -> TorchRepresentation:
    """A user's own modules, methods of modules, or functions as a representation.

    Args:
        encode: tensor (n, h, w, c), float32 in [0, 1] -> codes (n, m), or a tuple that begins with them. A module
            whose weights are of another type of float is given that type.
        decode: codes (n, m) -> tensor (n, h, w, c); without it there is no ``decode``.
        device: modules are moved there; ``"auto"`` takes the fastest there is.
        channels_first: `encode` takes and `decode` gives (n, c, h, w).
        activation: ``"none"`` if `decode` gives pixels in [0, 1], otherwise ``"logits"`` or ``"tanh"``.
        gaussian: `encode` gives mean and log variance, so that ``gaussian_encoder`` is there too.
        batch_size: how many images pass together.

    Returns:
        What metrics call: images (n, h, w, c) as an array to codes as an array. Modules, also those whose methods
        are given, are in evaluation mode during a call and as they were afterwards. What a lambda or another
        function uses is not known here: have it in evaluation mode and on the device yourself.

    Example:
        >>> model = from_module(lambda images: images.flatten(1).mean(1, keepdim=True), device="cpu")
        >>> model(np.ones((2, 4, 4, 3), dtype=np.float32)).tolist()
        [[1.0], [1.0]]
    """
    check_callable(encode, "`encode`")
    if decode is not None:
        check_callable(decode, "`decode`")
    if channels_first:
        encode = Reordered(encode, before=(0, 3, 1, 2))
        decode = None if decode is None else Reordered(decode, after=(0, 2, 3, 1))
    return TorchRepresentation(
        encode, decode, activation=activation, device=device, batch_size=batch_size, gaussian=gaussian
    )
