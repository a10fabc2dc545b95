"""Models of Hugging Face's transformers as representations: a folder with ``config.json`` and safetensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.nn.functional import interpolate

from causal_disent import errors
from causal_disent.checks import check_choice, is_number, is_whole
from causal_disent.files import inside, read_bounded
from causal_disent.protocols import Representation
from causal_disent.runs.results import parse_object
from causal_disent_torch.representation import from_module

#: What tells how images are prepared, and the most bytes of it.
PREPARATION, MOST_BYTES = "preprocessor_config.json", 2**20
#: What the codes of an image are made of.
CODES = ("mean", "first", "pooled")
#: The most pixels along an edge that a preparation may ask for.
MOST_EDGE = 4096


def auto_model(data: Any, folder: str | Path, codes: str = "mean", device: str = "auto") -> Representation:
    """Return an image model that transformers can read, without its decoder or head.

    Nothing is downloaded, no code of the folder is run, and weights are read from safetensors alone. Images are
    resized, cropped and normalised as ``preprocessor_config.json`` says; images with one channel are repeated.

    Args:
        data: ground-truth data.
        folder: as ``save_pretrained`` writes it, or a snapshot of a download (``.../snapshots/<commit>``).
        codes: ``"mean"`` of the last hidden states, the ``"first"`` of them (the class token), or ``"pooled"``.
        device: as for `causal_disent_torch.choose_device`.
    """
    check_choice("auto_model.codes", codes, CODES)
    path = Path(folder)
    if not path.is_dir():
        raise errors.missing_input(path, "auto_model.folder")
    names = ["config.json", PREPARATION, *(file.name for file in path.glob("*.safetensors*"))]
    for name in names:
        inside(path, name)
    try:
        from transformers import AutoModel
    except ImportError:
        raise errors.InvalidInput("auto_model needs transformers: pip install transformers.") from None
    try:
        model = AutoModel.from_pretrained(
            path, local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise errors.InvalidInput(f"transformers cannot read {path}: {errors.text_of(error)}") from error
    return from_module(_Features(model.float(), codes, _read_preparation(path)), None, device)


class _Features(nn.Module):
    """Images (n, h, w, c) in [0, 1] to codes (n, m)."""

    def __init__(self, model: Any, codes: str, preparation: dict[str, Any]) -> None:
        super().__init__()
        self.model, self.codes = model, codes
        self.mean: Tensor
        self.std: Tensor
        self.edge, self.size, self.crop = (preparation.get(name) for name in ("edge", "size", "crop"))
        for name, default in (("mean", 0.0), ("std", 1.0)):
            self.register_buffer(name, torch.tensor(preparation.get(name, [default])).reshape(1, -1, 1, 1))

    def forward(self, images: Tensor) -> Tensor:
        """Prepare the images and encode them."""
        pixels = images.permute(0, 3, 1, 2)
        if pixels.shape[1] == 1:
            pixels = pixels.expand(-1, getattr(self.model.config, "num_channels", 3), -1, -1)
        size = self.size
        if self.edge is not None:
            shorter = min(pixels.shape[2:])
            size = [round(length * self.edge / shorter) for length in pixels.shape[2:]]
        if size is not None and list(size) != list(pixels.shape[2:]):
            pixels = interpolate(pixels, tuple(size), mode="bicubic", antialias=True).clamp(0, 1)
        if self.crop is not None:
            top, left = ((have - want) // 2 for have, want in zip(pixels.shape[2:], self.crop, strict=True))
            pixels = pixels[:, :, top : top + self.crop[0], left : left + self.crop[1]]
        found = self.model(pixel_values=(pixels - self.mean) / self.std)
        if self.codes == "pooled":
            pooled = getattr(found, "pooler_output", None)
            if pooled is None:
                raise errors.InvalidInput("This model has no pooled output: auto_model.codes = 'mean', say.")
            return pooled.flatten(1)
        states = found.last_hidden_state
        if states.ndim == 4:  # a convolutional network: (n, channels, height, width)
            states = states.flatten(2).transpose(1, 2)
        return states[:, 0] if self.codes == "first" else states.mean(1)


def _read_preparation(folder: Path) -> dict[str, Any]:
    """How images are prepared; nothing where no file says it."""
    path = folder / PREPARATION
    if not path.is_file():
        return {}
    given = parse_object(read_bounded(path, MOST_BYTES))
    found: dict[str, Any] = {}
    if given.get("do_resize", True) and "size" in given:
        found |= _read_size(path, given["size"])
    if given.get("do_center_crop", False) and "crop_size" in given:
        found["crop"] = _read_size(path, given["crop_size"]).get("size")
    if given.get("do_normalize", True):
        for name, key in (("mean", "image_mean"), ("std", "image_std")):
            if key in given:
                values = given[key]
                if not isinstance(values, list) or not all(is_number(value) for value in values):
                    raise errors.InvalidInput(f"{path}: '{key}' is a list of numbers.")
                found[name] = [float(value) for value in values]
    return found


def _read_size(path: Path, size: Any) -> dict[str, Any]:
    """``{"edge": n}`` for the shortest edge, or ``{"size": (height, width)}``."""
    lengths = size if isinstance(size, dict) else {"height": size, "width": size}
    if not all(is_whole(length) and 1 <= length <= MOST_EDGE for length in lengths.values()):
        raise errors.InvalidInput(f"{path}: sizes are whole numbers from 1 to {MOST_EDGE:,}.")
    if "shortest_edge" in lengths:
        return {"edge": lengths["shortest_edge"]}
    if {"height", "width"} <= set(lengths):
        return {"size": (lengths["height"], lengths["width"])}
    raise errors.InvalidInput(f"{path}: a size has 'height' and 'width', or 'shortest_edge'.")
