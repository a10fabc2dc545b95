"""Models from files and to them: folders of ``dlib_train``, ONNX files, and weights of one's own modules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.files import new_file
from causal_disent.protocols import Representation
from causal_disent.training import saved
from causal_disent.training.checkpoint import check_shapes
from causal_disent.training.representation import Coder
from causal_disent_torch.devices import keep_generators
from causal_disent_torch.representation import (
    FRAMEWORK,
    TorchRepresentation,
    activate,
    from_module,
    open_tensors,
    packed,
    represent,
)


def save_model(
    folder: Path, encoder: Any, decoder: Any, activation: str = "logits", codes: str = "mean", seed: int = 0
) -> None:
    """Write both files into `folder`, which is made; arguments as of `causal_disent.training.saved.describe`."""
    networks = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
    description = saved.describe(encoder, decoder, "torch", activation, codes, seed)
    saved.write_model(folder, description, packed(networks.state_dict()))


def read_model(folder: Path, part: str, device: str | torch.device = "auto") -> TorchRepresentation:
    """Return the model in the part of `folder` of this name."""

    def shapes_of(make: Callable[[], dict[str, Any]]) -> dict[str, tuple[tuple[int, ...], Any]]:
        with torch.device("meta"):
            expected = nn.ModuleDict(make()).state_dict()
        return {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in expected.items()}

    with keep_generators(torch.device("cpu")):  # a user's own module draws weights, which are replaced
        found = saved.read_model(folder, part, "torch", FRAMEWORK, shapes_of, lambda one: one.isfinite().all())
    description, networks, weights = found
    nn.ModuleDict(networks).load_state_dict(weights)
    return represent(
        networks["encoder"],
        networks["decoder"],
        activation=description.activation,
        device=device,
        sample_seed=description.sample_seed,
    )


ENCODER, DECODER = "encoder.onnx", "decoder.onnx"
OPSET = 17


def check_onnx() -> None:
    """Raise if the package that writes these files is not installed."""
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise errors.InvalidInput(
            "ONNX files need the package onnx: `pip install 'causal-disent-torch[onnx]'`."
        ) from None


def write_onnx(folder: Path, model: TorchRepresentation) -> None:
    """Write both networks into `folder`; any number of images or codes can be given to them.

    ``encoder.onnx`` takes ``images`` (n, h, w, c) in [0, 1] and gives ``mean`` and ``log_var`` (n, codes);
    ``decoder.onnx`` takes ``codes`` and gives ``images`` in [0, 1], the activation applied.
    """
    check_onnx()
    encoder: Any = model.encoder
    images, codes = torch.zeros(1, *encoder.image_shape), torch.zeros(1, encoder.num_latent)
    _write(folder / ENCODER, encoder, images, "images", ["mean", "log_var"])
    if model.decoder is not None:
        _write(folder / DECODER, _Pixels(model.decoder, model.activation), codes, "codes", ["images"])


class _Pixels(nn.Module):
    """A decoder with what turns its output into pixels."""

    def __init__(self, decoder: Any, activation: str) -> None:
        super().__init__()
        self.decoder, self.activation = decoder, activation

    def forward(self, codes: Tensor) -> Tensor:
        return activate(self.decoder(codes), self.activation)


def _write(path: Path, module: nn.Module, example: Tensor, given: str, outputs: list[str]) -> None:
    """Export a module."""
    with new_file(path) as temporary, warnings.catch_warnings():
        # The newer exporter needs further packages.
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        torch.onnx.export(
            deepcopy(module).cpu().eval(),  # the caller's stays on its device, in its mode
            (example,),
            str(temporary),
            input_names=[given],
            output_names=outputs,
            dynamic_axes={name: {0: "n"} for name in (given, *outputs)},
            opset_version=OPSET,
            dynamo=False,
        )


def write_converted(folder: Path, model: TorchRepresentation, source: Path, to: str) -> None:
    """Safetensors in `folder`, which is made, and ONNX files beside them if `to` is ``"onnx"``."""
    if to == "onnx":
        check_onnx()
    if model.decoder is None:
        raise errors.InvalidInput(
            f"The representation in {source} has no decoder that is known. Name the folder of the model that it "
            "was made of with --model_dir."
        )
    codes = "mean" if model.sample_seed is None else "sampled"
    save_model(folder, model.encoder, model.decoder, model.activation, codes, model.sample_seed or 0)
    if to == "onnx":
        write_onnx(folder, model)


def torch_module(
    data: Any,
    encoder: Coder | None = None,
    decoder: Coder | None = None,
    weights: str | Path | None = None,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    device: str = "auto",
) -> Representation:
    """Return the modules that the config binds as a representation.

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
