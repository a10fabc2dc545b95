"""A model on disk: ``model.json`` says what it is, ``weights.safetensors`` holds its weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from causal_disent.files import inside
from causal_disent.training.checkpoint import read_tensors
from causal_disent.training.saved import (
    DESCRIPTION,
    WEIGHTS,
    Description,
    describe,
    make_described,
    read_description,
    write_description,
)
from causal_disent_torch.global_generators import kept
from causal_disent_torch.representation import TorchRepresentation, represent
from causal_disent_torch.tensors import FRAMEWORK, write_tensors


def save_model(
    folder: Path, encoder: Any, decoder: Any, activation: str = "logits", codes: str = "mean", seed: int = 0
) -> None:
    """Write both files into `folder`, which is made.

    Args:
        folder: to write.
        encoder: a registered network.
        decoder: a registered network.
        activation: of the decoder's output.
        codes: ``"mean"`` or ``"sampled"``.
        seed: of the draws.
    """
    description = describe(encoder, decoder, "torch", activation, codes, seed)
    folder.mkdir(parents=True)
    write_description(folder, description)
    write_tensors(folder / WEIGHTS, nn.ModuleDict({"encoder": encoder, "decoder": decoder}).state_dict())


def read_model(folder: Path, part: str, device: str | torch.device = "auto") -> TorchRepresentation:
    """The model in the part of `folder` of this name.

    The description is checked, then the shapes in the file of weights; only then is memory taken.
    """
    path, weights_path = inside(folder, f"{part}/{DESCRIPTION}"), inside(folder, f"{part}/{WEIGHTS}")
    description = read_description(path)
    with torch.device("meta"):  # shapes without memory
        expected = _networks(description, path).state_dict().items()
        needed = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in expected}
    del expected  # a module of one's own may have taken memory all the same
    what = f"the architectures that {path} names"
    weights = read_tensors(weights_path, FRAMEWORK, needed, what, lambda tensor: tensor.isfinite().all())
    networks = _networks(description, path)
    networks.load_state_dict(weights)
    return represent(
        networks["encoder"],
        networks["decoder"],
        activation=description.activation,
        device=device,
        sample_seed=description.sample_seed,
    )


def _networks(description: Description, path: Path) -> nn.ModuleDict:
    with kept(torch.device("cpu")):  # a user's own module draws weights, which are replaced
        return nn.ModuleDict(make_described(description, path, "torch"))
