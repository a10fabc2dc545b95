"""A model on disk: ``model.json`` says what it is, ``weights.safetensors`` holds its weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from torch import nn

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable
from causal_disent_torch.architectures.checks import is_plain
from causal_disent_torch.architectures.names import make_architecture
from causal_disent_torch.global_generators import kept
from causal_disent_torch.representation import ACTIVATIONS, TorchRepresentation
from causal_disent_torch.tensor_files import check_shapes, open_tensors, write_tensors

__all__ = ["CODES", "DESCRIPTION", "WEIGHTS", "Description", "describe", "read_model", "save_model"]

DESCRIPTION, WEIGHTS = "model.json", "weights.safetensors"
FORMAT = "causal_disent_torch 1"
#: What the codes are: the mean of the encoder's Gaussian, or a draw from it.
CODES = ("mean", "sampled")
#: The networks that a model is made of.
NETWORKS = ("encoder", "decoder")
#: No description of a model is longer, and no image or code is larger.
MOST_BYTES, MOST_PIXELS, MOST_CODES = 2**16, 2**26, 2**20


@dataclass(frozen=True)
class Description:
    """What ``model.json`` says.

    Attributes:
        encoder: name of the architecture.
        decoder: name of the architecture.
        image_shape: (h, w, c).
        num_latent: number of codes.
        activation: of the decoder's output.
        codes: one of `CODES`.
        random_seed: of the draws, where codes are drawn.
        options: what was bound for each of `NETWORKS`; None in descriptions that do not tell.
    """

    encoder: str
    decoder: str
    image_shape: tuple[int, int, int]
    num_latent: int
    activation: str
    codes: str = "mean"
    random_seed: int = 0
    options: Mapping[str, Mapping[str, Any]] | None = None


def describe(encoder: Any, decoder: Any, activation: str, codes: str = "mean", seed: int = 0) -> Description:
    """The description of two registered architectures."""
    height, width, channels = (int(side) for side in encoder.image_shape)
    options = {
        kind: getattr(module, "bound_options", {})
        for kind, module in zip(NETWORKS, (encoder, decoder), strict=True)
    }
    return Description(
        encoder.name,
        decoder.name,
        (height, width, channels),
        int(encoder.num_latent),
        activation,
        codes,
        seed,
        options,
    )


def save_model(folder: Path, encoder: Any, decoder: Any, description: Description) -> None:
    """Write both files into `folder`, which is made."""
    folder.mkdir(parents=True)
    content = {"format": FORMAT, **asdict(description)}
    (folder / DESCRIPTION).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    write_tensors(folder / WEIGHTS, nn.ModuleDict({"encoder": encoder, "decoder": decoder}).state_dict())


def read_model(folder: Path, part: str, device: str | torch.device = "auto") -> TorchRepresentation:
    """The model in the part of `folder` of this name.

    The description is checked, then the shapes in the file of weights; only then is memory taken.
    """
    path, weights_path = inside(folder, f"{part}/{DESCRIPTION}"), inside(folder, f"{part}/{WEIGHTS}")
    description = _read_description(path)
    with torch.device("meta"):  # shapes without memory
        expected = {name: tensor.to("meta") for name, tensor in _networks(description, path).state_dict().items()}
    shapes = {name: tuple(tensor.shape) for name, tensor in expected.items()}
    with open_tensors(weights_path) as file:
        check_shapes(file, shapes, f"the architectures that {path} names")
        weights = {name: file.read(name) for name in shapes}
    for name, tensor in weights.items():
        if tensor.dtype != expected[name].dtype:
            raise unusable(weights_path, f"'{name}' is {tensor.dtype}, and {expected[name].dtype} is needed")
        if not tensor.isfinite().all():
            raise unusable(weights_path, f"'{name}' has values that are not finite numbers")
    networks = _networks(description, path)
    networks.load_state_dict(weights)
    return TorchRepresentation(
        networks["encoder"],
        networks["decoder"],
        activation=description.activation,
        device=device,
        sample_seed=description.random_seed if description.codes == "sampled" else None,
    )


def _networks(description: Description, path: Path) -> nn.ModuleDict:
    """The architectures that the description in `path` names, with initial weights."""
    supplied = {"image_shape": description.image_shape, "num_latent": description.num_latent, "generator": None}
    networks = nn.ModuleDict()
    for kind in NETWORKS:
        name, options = getattr(description, kind), (description.options or {}).get(kind)
        try:
            with kept(torch.device("cpu")):  # a user's own module draws weights, which are replaced
                networks[kind] = make_architecture(kind, name, options, **supplied)
        except errors.CausalDisentError as error:
            raise unusable(path, error.message) from None
        except (TypeError, ValueError, ArithmeticError, RuntimeError) as error:
            raise unusable(path, f"the {kind} '{name}' cannot be made with {options}: {error}") from error
    return networks


def _read_description(path: Path) -> Description:
    text = read_bounded(path, MOST_BYTES)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unusable(path, f"it is not JSON: {error}") from None
    names = [field.name for field in fields(Description) if field.name != "options"]
    if (
        not isinstance(content, dict)
        or content.pop("format", None) != FORMAT
        or sorted(content.keys() - {"options"}) != sorted(names)
    ):
        raise unusable(path, f"it must hold a JSON object with 'format': '{FORMAT}' and {errors.listing(names)}")
    _check(path, content)
    return Description(**{**content, "image_shape": tuple(content["image_shape"])})


def _check(path: Path, content: Mapping[str, Any]) -> None:
    """Raise unless every value is of its type and within bounds."""
    shape = content["image_shape"]
    valid = {
        "encoder": isinstance(content["encoder"], str),
        "decoder": isinstance(content["decoder"], str),
        "image_shape": isinstance(shape, list) and len(shape) == 3 and all(_is_count(side) for side in shape),
        "num_latent": _is_count(content["num_latent"]) and content["num_latent"] <= MOST_CODES,
        "activation": content["activation"] in ACTIVATIONS,
        "codes": content["codes"] in CODES,
        "random_seed": type(content["random_seed"]) is int and 0 <= content["random_seed"] < 2**32,
        "options": content.get("options") is None or _are_options(content["options"]),
    }
    if valid["image_shape"]:
        valid["image_shape"] = shape[0] * shape[1] * shape[2] <= MOST_PIXELS
    for name, is_valid in valid.items():
        if not is_valid:
            raise unusable(path, f"'{name}' cannot be {content[name]!r}")


def _are_options(value: Any) -> bool:
    """Whether it is an object per network, of plain values."""
    if not isinstance(value, dict) or value.keys() != set(NETWORKS):
        return False
    return all(isinstance(part, dict) and all(map(is_plain, part.values())) for part in value.values())


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1
