"""Which backend does the work: of reading saved models, and of training them."""

from __future__ import annotations

from causal_disent import errors
from causal_disent.plugins import explain_missing
from causal_disent.registry import Entry, registry

#: The backend to install where there is none that trains.
FIRST = "torch"


def backends(name: str | None = None) -> list[Entry]:
    """The one of that name, or all in the order in which they are tried."""
    return registry.ranked("backends") if name is None else [registry.get("backends", name)]


def training_backend(name: str | None = None) -> Entry:
    """The backend of that name, or the first of those that train models and write their folders."""
    found = [entry for entry in backends(name) if entry.facts.get("trains")]
    if found:
        return found[0]
    others = [entry.name for entry in backends() if entry.facts.get("trains")]
    refused = f"The backend '{name}' reads models and does not train them." if name else ""
    if others:
        raise errors.InvalidInput(f"{refused} Those that do: {errors.listing(others)}.")
    missing = explain_missing("backend", FIRST, [], ["backends"]).message.partition("'. ")[2]
    raise errors.InvalidInput(f"{refused or 'There is no backend that trains models.'} {missing}")
