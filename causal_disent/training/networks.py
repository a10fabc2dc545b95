"""Encoders, decoders and discriminators by the names that configs and saved models say: parts with these roles."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.config import entry_of, given_to_gin
from causal_disent.registry import NETWORKS, Entry, registry
from causal_disent.training.bound import as_bound


def networks(role: str, backend: str | None) -> dict[str, Entry]:
    """The registered networks of a role that a backend can use, by name."""
    with registry.using(backend):
        parts = [entry for entry in registry.entries("parts") if entry.facts.get("role") == role]
    return {entry.name: entry for entry in parts if backend in (None, entry.facts.get("backend"))}


@checked
def declare_network(name: str, role: str, backend: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for a network of one's own, and saved models be read that have it.

    A plugin registers its networks through the hook ``register_parts`` instead; this is for a module that a config
    imports.

    Args:
        name: what configs call it; saved models store it.
        role: one of `causal_disent.registry.NETWORKS`.
        backend: the backend that can use it.
    """
    if role not in NETWORKS:
        raise errors.unknown("role of a network", role, NETWORKS)

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        facts = {"role": role, "backend": backend}
        entry = Entry("parts", name, function.__module__, function, summary, facts)
        _check_signature(entry)
        registry.declare(entry)
        return given_to_gin(entry)

    return declare


def make_bound(role: str, function: Any, **supplied: Any) -> Any:
    """The network that the function makes which a config binds to ``encoder.encoder_fn``, say."""
    entry, parameter = entry_of(function), f"{role}.{role}_fn"
    if entry is None or entry.facts.get("role") != role:
        raise errors.InvalidInput(
            f"{parameter} must be a registered {role}, written @its_name without brackets: "
            f"{errors.listing(networks(role, registry.backend))}, or one's own, which a plugin registers with "
            f"role='{role}' or a module declares with @architecture('its_name', '{role}'); given: "
            f"{as_bound(parameter, function)}."
        )
    _check_signature(entry)
    return function(**supplied)


def make_saved(
    role: str, name: str, backend: str, options: Mapping[str, Any] | None = None, owner: str = "", **sizes: Any
) -> Any:
    """The registered network of this name, for a model that was saved.

    Args:
        role: one of `causal_disent.registry.NETWORKS`.
        name: what configs call it.
        backend: the backend that reads the model.
        options: what was bound for it when the model was trained; None if that is not known, so that the config of
            today decides.
        owner: the plugin or module that it came from, if that is known.
        sizes: what the program supplies.
    """
    known = networks(role, backend)
    if name not in known:
        same = [entry.facts for entry in registry.variants("parts", name) if entry.facts.get("role") == role]
        if others := [facts["backend"] for facts in same if "backend" in facts]:
            raise errors.NotForThisBackend(
                f"The {role} '{name}' is one of the backend {errors.listing(others)}, not of '{backend}'. "
                "--backend names another."
            )
        unknown = errors.unknown(role, name, known)
        raise errors.UnknownName(
            f"{unknown.message} The model was trained with one that comes from '{owner}', a plugin that is not "
            "installed here or a module that is not imported here."
            if owner
            else unknown.message
        )
    if options is None:
        return given_to_gin(known[name])(**sizes)
    function, supplied = known[name].plain(), known[name].supplied()
    parameters = inspect.signature(function).parameters.values()
    taken = [parameter.name for parameter in parameters if parameter.name not in supplied]
    excess = [option for option in options if option not in taken]
    if excess and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        raise errors.InvalidInput(
            f"The {role} '{name}' takes no {errors.listing(excess)}. What it takes: {errors.listing(taken)}."
        )
    return function(**sizes, **options)


def _check_signature(entry: Entry) -> None:
    """Raise unless the function takes what the program supplies."""
    signature = inspect.signature(entry.plain())
    try:
        signature.bind_partial(**dict.fromkeys(entry.supplied()))
    except TypeError:
        raise errors.InvalidInput(
            f"The function of the {entry.facts['role']} '{entry.name}' must take "
            f"{errors.listing(entry.supplied())}; it takes {signature}."
        ) from None
