"""A torch encoder, perhaps with a decoder, as the representation that metrics call with numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from causal_disent.checks import checked
from causal_disent.training.representation import BATCH_SIZE, NetworkRepresentation, channels_last, check_callable
from causal_disent_torch.callables import call, evaluating, moved
from causal_disent_torch.device import choose_device
from causal_disent_torch.tensors import TENSORS


class TorchRepresentation(NetworkRepresentation):
    """Images (n, h, w, c) in [0, 1] to codes (n, m), batch by batch, in inference mode.

    The arguments are those of `causal_disent.training.representation.NetworkRepresentation`; modules are
    moved to the device.

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

    of = TENSORS

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
        super().__init__(
            encoder,
            decoder,
            activation=activation,
            device=device if isinstance(device, torch.device) else choose_device(device),
            batch_size=batch_size,
            sample_seed=sample_seed,
            gaussian=gaussian,
        )
        for function in (encoder, decoder):
            moved(function, self.device)
        self._noise = None if sample_seed is None else torch.Generator().manual_seed(sample_seed)

    @contextmanager
    def _running(self) -> Iterator[None]:
        with torch.inference_mode(), evaluating(self.encoder), evaluating(self.decoder):
            yield

    def _applied(self, function: Any, tensor: Tensor) -> Any:
        return call(function, tensor)

    def _drawn(self, mean: Tensor, log_var: Tensor) -> Tensor:
        # The noise comes from the CPU, so that it is the same on every device.
        noise = torch.randn(mean.shape, generator=self._noise).to(self.device)
        return mean + torch.exp(log_var / 2) * noise

    def _activated(self, output: Tensor) -> Tensor:
        return activate(output.float(), self.activation)

    def _extremes(self, images: Tensor) -> tuple[float, float]:
        low, high = images.aminmax()
        return low.item(), high.item()

    def _clipped(self, images: Tensor) -> Tensor:
        return images.clamp(0, 1)

    def _tensor(self, rows: Any) -> Tensor:
        if isinstance(rows, Tensor):
            return rows.to(self.device, torch.float32)
        return torch.from_numpy(np.require(rows, np.float32, ["C", "W"])).to(self.device)

    def _array(self, tensor: Tensor) -> np.ndarray:
        return tensor.to("cpu", torch.float32).numpy()


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
        encode: tensor (n, h, w, c), float32 in [0, 1] -> codes (n, m), or a tuple or list that begins with them. A
            module whose weights are of another type of float is given that type.
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
        encode, decode = channels_last(encode, decode, TENSORS)
    return TorchRepresentation(
        encode, decode, activation=activation, device=device, batch_size=batch_size, gaussian=gaussian
    )
