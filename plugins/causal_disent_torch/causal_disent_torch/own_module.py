"""``torch_module``: a user's own torch modules, bound in a config, as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from causal_disent import errors
from causal_disent.text import shown_value
from causal_disent.training.checkpoint import check_shapes
from causal_disent.training.representation import check_callable
from causal_disent_torch.representation import TorchRepresentation, from_module
from causal_disent_torch.tensors import open_tensors


def torch_module(
    data: Any,
    encoder: Any = None,
    decoder: Any = None,
    weights: str | Path | None = None,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    device: str = "auto",
) -> TorchRepresentation:
    """The modules that the config binds as a representation.

    Args:
        data: ground-truth data.
        encoder: module or function that takes images (n, h, w, c), ``@my_package.Encoder()`` in a config.
        decoder: module or function that takes codes.
        weights: safetensors file with the modules' weights, their names prefixed ``encoder.`` and ``decoder.``.
        channels_first: the modules take and give (n, c, h, w).
        activation: ``"none"`` if the decoder gives pixels in [0, 1], or ``"logits"`` or ``"tanh"``.
        gaussian: the encoder gives mean and log variance.
        device: as for `causal_disent_torch.choose_device`.
    """
    if encoder is None:
        raise errors.ConfigError("The config must bind torch_module.encoder, to @my_package.Encoder(), say.")
    for name, part in (("encoder", encoder), ("decoder", decoder)):
        if part is not None:
            check_callable(part, f"torch_module.{name}")
    if not isinstance(weights, (str, Path, type(None))):
        raise errors.InvalidInput(
            f"torch_module.weights must be the path of a file; given: {shown_value(weights)}."
        )
    if weights is not None:
        _load(Path(weights), encoder, decoder)
    return from_module(
        encoder, decoder, device, channels_first=channels_first, activation=activation, gaussian=gaussian
    )


def _load(path: Path, encoder: Any, decoder: Any) -> None:
    """Fill the modules from a file."""
    parts = {"encoder": encoder, "decoder": decoder}
    modules = nn.ModuleDict({name: part for name, part in parts.items() if isinstance(part, nn.Module)})
    expected = {name: tuple(tensor.shape) for name, tensor in modules.state_dict().items()}
    with open_tensors(path) as file:
        check_shapes(file, expected, "the modules of torch_module")
        modules.load_state_dict({name: file.read(name) for name in expected})
