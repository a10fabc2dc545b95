"""Trained classifiers on the disk: a folder each, with the weights as safetensors and a description as JSON."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from causal_disent import errors
from causal_disent.checks import is_number
from causal_disent.files import new_folder, regular
from causal_disent.text import shown_value
from causal_disent.training.checkpoint import check_shapes
from causal_disent_torch.classifier.network import FactorNetwork
from causal_disent_torch.classifier.settings import Settings
from causal_disent_torch.tensors import open_tensors, write_tensors

#: Environment variable that names the folder.
VARIABLE = "CAUSAL_DISENT_CLASSIFIERS"
WEIGHTS, DESCRIPTION = "weights.safetensors", "classifier.json"
#: No description is longer.
MOST_BYTES = 2**16


def cache_folder(chosen: str | Path | None) -> Path:
    """Where classifiers are kept: as chosen, as the environment says, or in the user's cache folder."""
    if not isinstance(chosen, (str, os.PathLike, type(None))):
        raise errors.InvalidInput(
            f"conv_classifier.cache_dir must be the path of a folder; given: {shown_value(chosen)}."
        )
    if chosen or os.environ.get(VARIABLE):
        return Path(chosen or os.environ[VARIABLE]).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "causal_disent" / "classifiers"


def load(folder: Path, network: FactorNetwork) -> list[float] | None:
    """Fill `network` with the weights in `folder`; the accuracies, or None if there are no weights to use."""
    if not folder.exists():
        return None
    try:
        accuracy = _read_accuracy(folder / DESCRIPTION, len(network.num_values))
        network.load_state_dict(_read_weights(folder / WEIGHTS, network))
    except (OSError, ValueError) as error:
        warnings.warn(f"The kept classifier {folder} cannot be used and is trained again: {error}", stacklevel=3)
        return None
    return accuracy


def _read_accuracy(path: Path, num_factors: int) -> list[float]:
    if regular(path).stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name} has more than {MOST_BYTES:,} bytes.")
    content = json.loads(path.read_text(encoding="utf-8"))
    accuracy = content.get("accuracy") if isinstance(content, dict) else None
    if not (isinstance(accuracy, list) and len(accuracy) == num_factors and all(map(_is_part, accuracy))):
        raise ValueError(f"{path.name} must hold an accuracy between 0 and 1 for each of {num_factors} factors.")
    return [float(number) for number in accuracy]


def _is_part(number: Any) -> bool:
    return is_number(number) and 0 <= number <= 1


def _read_weights(path: Path, network: FactorNetwork) -> dict[str, torch.Tensor]:
    """The tensors of a file, if they are such as `network` has."""
    expected = network.state_dict()
    with open_tensors(path) as file:
        check_shapes(file, {name: tuple(tensor.shape) for name, tensor in expected.items()}, "the classifier")
        found = {name: file.read(name) for name in expected}
    for name, tensor in found.items():
        if tensor.dtype != expected[name].dtype or not tensor.isfinite().all():
            raise ValueError(f"'{name}' in {path.name} must be finite numbers of type {expected[name].dtype}.")
    return found


def save(
    folder: Path, network: FactorNetwork, accuracy: list[float], names: list[str], settings: Settings
) -> None:
    """Keep a classifier; where that is not possible, a warning says so."""
    description: dict[str, Any] = {
        "factors": names,
        "num_values": network.num_values,
        "accuracy": accuracy,
        "settings": asdict(settings),
    }
    try:
        with new_folder(folder, overwrite=True, wait=True) as temporary:
            write_tensors(temporary / WEIGHTS, network.state_dict())
            (temporary / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    except (OSError, errors.OutputExists) as error:
        warnings.warn(
            f"The classifier cannot be kept in {folder} and will be trained again next time: {error}. "
            f"The variable {VARIABLE} or conv_classifier.cache_dir names another folder.",
            stacklevel=3,
        )
