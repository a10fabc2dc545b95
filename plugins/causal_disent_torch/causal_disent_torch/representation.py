"""A torch encoder, perhaps with a decoder, as the representation that metrics call with numpy arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor, nn

from causal_disent.checks import checked
from causal_disent.representation.causal_functions import CausalFunctions
from causal_disent.training import checkpoint
from causal_disent.training.networks import Tensors
from causal_disent.training.representation import (
    BATCH_SIZE,
    Coder,
    NetworkRepresentation,
    Reordered,
    channels_last,
)
from causal_disent_torch.devices import choose_device

#: For what is checked in all frameworks.
TENSORS = Tensors(lambda value: isinstance(value, Tensor), lambda tensor, axes: tensor.permute(axes))
#: What safetensors calls torch.
FRAMEWORK = "pt"

#: A file from outside, whose tensors are read to the CPU.
open_tensors = partial(checkpoint.open_tensors, framework=FRAMEWORK)


def packed(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """Return the bytes of a file with these tensors."""
    # Copies: tensors that share memory cannot be stored.
    copies = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}
    return save(copies, dict(metadata or {}))


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write `tensors` whole or not at all."""
    checkpoint.write_packed(path, packed(tensors, metadata))


#: Types of weights that images and codes can be given in.
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


def call(function: Callable[[Tensor], Any], tensor: Tensor) -> Any:
    """What `function` gives for `tensor`, which comes in the type of its weights if none of them is float32."""
    module = _module_of(function)
    if module is None:
        return function(tensor)
    found = {weight.dtype for weight in module.parameters()} or {weight.dtype for weight in module.buffers()}
    return function(tensor.to(next((dtype for dtype in DTYPES if dtype in found), tensor.dtype)))


def move_module(function: Any, device: torch.device) -> Any:
    """`function`, its module moved to `device` if it has one."""
    module = _module_of(function)
    if module is not None:
        module.to(device)
    return function


@contextmanager
def in_evaluation(function: Any) -> Iterator[None]:
    """Have a module in evaluation mode for a while; each of its parts is as before afterwards."""
    module = _module_of(function)
    training = [part for part in module.modules() if part.training] if module is not None else []
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _module_of(function: Any) -> nn.Module | None:
    """Return the module that `function` is, or that it is a method of; there is none behind other functions."""
    while isinstance(function, (Reordered, functools.partial)):
        function = function.function if isinstance(function, Reordered) else function.func
    owner = function.__self__ if inspect.ismethod(function) else function
    return owner if isinstance(owner, nn.Module) else None


class TorchRepresentation(NetworkRepresentation):
    """Images (n, h, w, c) in [0, 1] to codes (n, m), batch by batch, in inference mode.

    The arguments are those of `causal_disent.training.representation.NetworkRepresentation`; modules are
    moved to the device.

    Example:
        >>> from causal_disent_torch.networks import LinearDecoder, LinearEncoder
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
            move_module(function, self.device)
        self._noise = None if sample_seed is None else torch.Generator().manual_seed(sample_seed)

    @contextmanager
    def _inference_mode(self) -> Iterator[None]:
        with torch.inference_mode(), in_evaluation(self.encoder), in_evaluation(self.decoder):
            yield

    def _apply(self, function: Any, tensor: Tensor) -> Any:
        return call(function, tensor)

    def _draw_codes(self, mean: Tensor, log_var: Tensor) -> Tensor:
        # The noise comes from the CPU, so that it is the same on every device.
        noise = torch.randn(mean.shape, generator=self._noise).to(self.device)
        return mean + torch.exp(log_var / 2) * noise

    def _activate(self, output: Tensor) -> Tensor:
        return activate(output.float(), self.activation)

    def _find_extremes(self, images: Tensor) -> tuple[float, float]:
        low, high = images.aminmax()
        return low.item(), high.item()

    def _clip(self, images: Tensor) -> Tensor:
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
    """Return pixels in [0, 1] from what a decoder gives."""
    if activation == "logits":
        return torch.sigmoid(output)
    return torch.tanh(output) / 2 + 0.5 if activation == "tanh" else output


@checked
def from_module(
    encode: Coder,
    decode: Coder | None = None,
    device: str | torch.device = "auto",
    *,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    batch_size: int = BATCH_SIZE,
    **causal: Any,
) -> TorchRepresentation | CausalFunctions:
    """Return a user's own modules, methods of modules, or functions as a representation.

    Args:
        encode: tensor (n, h, w, c), float32 in [0, 1] -> codes (n, m), or a tuple or list that begins with them. A
            module whose weights are of another type of float is given that type.
        decode: codes (n, m) -> tensor (n, h, w, c); without it there is no ``decode``.
        device: modules are moved there; ``"auto"`` takes the fastest there is.
        channels_first: `encode` takes and `decode` gives (n, c, h, w).
        activation: ``"none"`` if `decode` gives pixels in [0, 1], otherwise ``"logits"`` or ``"tanh"``.
        gaussian: `encode` gives mean and log variance, so that ``gaussian_encoder`` is there too.
        batch_size: how many images pass together.
        causal: `do`, `adjacency` and the others of `causal_disent.CausalFunctions`, functions of arrays: a causal
            model.

    Returns:
        What metrics call: images (n, h, w, c) as an array to codes as an array. Modules, also those whose methods
        are given, are in evaluation mode during a call and as they were afterwards. What a lambda or another
        function uses is not known here: have it in evaluation mode and on the device yourself.

    Example:
        >>> model = from_module(lambda images: images.flatten(1).mean(1, keepdim=True), device="cpu")
        >>> model(np.ones((2, 4, 4, 3), dtype=np.float32)).tolist()
        [[1.0], [1.0]]
    """
    if channels_first:
        encode, decode = channels_last(encode, decode, TENSORS)
    model = TorchRepresentation(
        encode, decode, activation=activation, device=device, batch_size=batch_size, gaussian=gaussian
    )
    return CausalFunctions(model, **causal) if causal else model
