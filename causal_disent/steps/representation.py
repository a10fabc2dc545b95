"""``representation.*``: which model an input folder stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.config import bind_missing, configurable, literal_bindings
from causal_disent.registry import registry
from causal_disent.representation.folder import check_input

__all__ = ["bind_folder", "representation"]


def bind_folder(folder: Path) -> dict[str, Any]:
    """Bind what the folder's file says and the config leaves open; what it says is returned."""
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
    described = {key: value for key, value in bindings.items() if not key.startswith("dataset.")}
    bind_missing(described, str(file))
    return bindings


@configurable("representation", supplied=("data",))
def representation(data: Any, name: str) -> Any:
    """The registered model `name` for `data`."""
    return registry.function("models", name)(data)
