"""What ``causal-disent convert`` writes of a model that torch has read."""

from __future__ import annotations

from pathlib import Path

from causal_disent import errors
from causal_disent_torch.onnx_files import check_onnx, write_onnx
from causal_disent_torch.representation import TorchRepresentation
from causal_disent_torch.saved_model import save_model


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
