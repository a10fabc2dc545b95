"""``representation.*``: which model an input folder stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.config import bind_missing, configurable, literal_bindings
from causal_disent.registry import registry
from causal_disent.representation.folder import check_input

__all__ = ["bind_folder", "load_folder", "read_folder", "representation"]


def read_folder(folder: Path) -> dict[str, Any]:
    """The bindings of the folder's file: its model, the model's options, perhaps its data set."""
    file = check_input(folder)
    bindings = literal_bindings(file)
    name = bindings.get("representation.name")
    if not isinstance(name, str):
        raise errors.ConfigError(f"{file} must name a model: representation.name = 'perfect_oracle', say.")
    registry.get("models", name)
    allowed = ("representation.", "dataset.", f"{name}.")
    for parameter in bindings:
        if not parameter.startswith(allowed):
            raise errors.ConfigError(
                f"{file}: '{parameter}' cannot be bound here, only {errors.listing(f'{a}*' for a in allowed)}."
            )
    return bindings


def bind_folder(folder: Path) -> dict[str, Any]:
    """Bind what the folder's file says of its model and the config leaves open; all it says is returned."""
    bindings = read_folder(folder)
    described = {key: value for key, value in bindings.items() if not key.startswith("dataset.")}
    bind_missing(described, str(folder))
    return bindings


def load_folder(folder: Path, data: Any) -> Any:
    """The model of one folder of several, with its own options instead of the config's."""
    bindings = read_folder(folder)
    name = bindings["representation.name"]
    options = {key.rpartition(".")[2]: value for key, value in bindings.items() if key.startswith(f"{name}.")}
    return registry.function("models", name)(data, **options)


@configurable("representation", supplied=("data",))
def representation(data: Any, name: str) -> Any:
    """The registered model `name` for `data`."""
    return registry.function("models", name)(data)
