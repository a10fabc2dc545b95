"""A model's networks as ONNX files, for programs that are not written in Python."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.files import new_file
from causal_disent_torch.representation import TorchRepresentation, activate

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
    with new_file(path) as temporary, warnings.catch_warnings():
        # The newer exporter needs further packages.
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        torch.onnx.export(
            module.cpu().eval(),
            (example,),
            str(temporary),
            input_names=[given],
            output_names=outputs,
            dynamic_axes={name: {0: "n"} for name in (given, *outputs)},
            opset_version=OPSET,
            dynamo=False,
        )
