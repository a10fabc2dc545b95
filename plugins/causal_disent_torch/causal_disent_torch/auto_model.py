"""Models of Hugging Face's transformers as representations: a folder with ``config.json`` and safetensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.nn.functional import interpolate, pad

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
#: Pillow's numbers of filters that torch has; any other becomes bicubic.
FILTERS: dict[Any, str] = {0: "nearest-exact", 2: "bilinear", 3: "bicubic"}
#: What ConvNext's preparation crops of an image whose edge is smaller than the second number.
CROP_SHARE, CROPPED_BELOW = 224 / 256, 384


def auto_model(data: Any, folder: str | Path, codes: str = "mean", device: str = "auto") -> Representation:
    """Return an image model that transformers can read, without its decoder or head.

    Nothing is downloaded, no code of the folder is run, and weights are read from safetensors alone. Images are
    resized, cropped and normalised as ``preprocessor_config.json`` says; filters other than nearest and bilinear
    are bicubic. Images with one channel are repeated.

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
        self.filter = preparation.get("filter", "bicubic")
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
            size = [length * self.edge // shorter for length in pixels.shape[2:]]
        if size is not None and list(size) != list(pixels.shape[2:]):
            smooth = self.filter != "nearest-exact"
            pixels = interpolate(pixels, tuple(size), mode=self.filter, antialias=smooth).clamp(0, 1)
        if self.crop is not None:
            pixels = _crop(pixels, self.crop)
        try:
            found = self.model(pixel_values=(pixels - self.mean) / self.std)
        except (TypeError, ValueError, RuntimeError) as error:
            channels, height, width = pixels.shape[1:]
            raise errors.InvalidInput(
                f"{type(self.model).__name__} cannot encode images of {height}x{width} pixels and {channels} "
                f"channels, as {PREPARATION} prepares them: {errors.text_of(error)}"
            ) from error
        if self.codes == "pooled":
            pooled = getattr(found, "pooler_output", None)
            if pooled is None:
                raise errors.InvalidInput("This model has no pooled output: auto_model.codes = 'mean', say.")
            return pooled.flatten(1)
        states = found.last_hidden_state
        if states.ndim == 4:  # a convolutional network: (n, channels, height, width)
            states = states.flatten(2).transpose(1, 2)
        return states[:, 0] if self.codes == "first" else states.mean(1)


def _crop(pixels: Tensor, size: tuple[int, int]) -> Tensor:
    """The centre of images (n, channels, height, width), with black around those that are smaller."""
    lacking = [max(0, want - have) for have, want in zip(pixels.shape[2:], size, strict=True)]
    before = [-(-number // 2) for number in lacking]
    if any(lacking):
        pixels = pad(pixels, (before[1], lacking[1] - before[1], before[0], lacking[0] - before[0]))
    top, left = ((have - want) // 2 for have, want in zip(pixels.shape[2:], size, strict=True))
    return pixels[:, :, top : top + size[0], left : left + size[1]]


def _read_preparation(folder: Path) -> dict[str, Any]:
    """How images are prepared; nothing where no file says it."""
    path = folder / PREPARATION
    if not path.is_file():
        return {}
    given = parse_object(read_bounded(path, MOST_BYTES))
    found: dict[str, Any] = {}
    kind = str(given.get("image_processor_type") or given.get("feature_extractor_type"))
    shares_crop = "crop_pct" in given or kind.startswith("ConvNext")
    has_edge = shares_crop or given.get("do_center_crop", False) is True or kind.startswith("CLIP")
    if given.get("do_resize", True) and "size" in given:
        found |= _read_size(path, given["size"], is_edge=has_edge)
        number = given.get("resample")
        found["filter"] = FILTERS.get(number, "bicubic") if is_whole(number) else "bicubic"
    if given.get("do_center_crop", False) and "crop_size" in given:
        found["crop"] = _read_size(path, given["crop_size"]).get("size")
    if shares_crop and (edge := found.pop("edge", None)) is not None:
        share = CROP_SHARE if given.get("crop_pct") is None else given["crop_pct"]
        if not is_number(share) or not 0 < share <= 1:
            raise errors.InvalidInput(f"{path}: 'crop_pct' is a number from 0 to 1.")
        is_cropped = edge < CROPPED_BELOW
        found |= {"edge": int(edge / share), "crop": (edge, edge)} if is_cropped else {"size": (edge, edge)}
    if given.get("do_normalize", True):
        for name, key in (("mean", "image_mean"), ("std", "image_std")):
            if key in given:
                values = given[key]
                if not isinstance(values, list) or not values or not all(is_number(value) for value in values):
                    raise errors.InvalidInput(f"{path}: '{key}' is a list of numbers.")
                if name == "std" and not all(value > 0 for value in values):
                    raise errors.InvalidInput(f"{path}: '{key}' is a list of numbers above 0.")
                found[name] = [float(value) for value in values]
    if len({len(found[name]) for name in ("mean", "std") if name in found}) > 1:
        raise errors.InvalidInput(f"{path}: 'image_mean' and 'image_std' differ in length.")
    return found


def _read_size(path: Path, size: Any, *, is_edge: bool = False) -> dict[str, Any]:
    """``{"edge": n}`` for the shortest edge, or ``{"size": (height, width)}``; a number is either."""
    single = {"shortest_edge": size} if is_edge else {"height": size, "width": size}
    lengths = size if isinstance(size, dict) else single
    if not all(is_whole(length) and 1 <= length <= MOST_EDGE for length in lengths.values()):
        raise errors.InvalidInput(f"{path}: sizes are whole numbers from 1 to {MOST_EDGE:,}.")
    if "shortest_edge" in lengths:
        return {"edge": lengths["shortest_edge"]}
    if {"height", "width"} <= set(lengths):
        return {"size": (lengths["height"], lengths["width"])}
    raise errors.InvalidInput(f"{path}: a size has 'height' and 'width', or 'shortest_edge'.")
