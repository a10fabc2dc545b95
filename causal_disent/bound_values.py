"""What a config may bind; and what it has bound, checked before anything runs: types, references, circles."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from causal_disent import errors
from causal_disent.entries import Entry
from causal_disent.text import shown
from causal_disent.typed import check_arguments

#: (scope, whole name) of a configurable -> its parameters and their values; as gin keeps them.
Bound = Mapping[tuple[str, str], Mapping[str, Any]]


def signature(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function; none of one that does not tell them."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def bindable(entry: Entry) -> dict[str, inspect.Parameter]:
    """What configs may bind of an entry."""
    supplied = entry.supplied()
    open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: parameter
        for name, parameter in signature(entry.plain()).items()
        if name not in supplied and parameter.kind not in open_ended
    }


def check_bound(
    bound: Bound,
    references: Callable[[Any], Iterable[Any]],
    parameters: Mapping[str, Iterable[inspect.Parameter]],
    known: Mapping[str, Entry],
) -> None:
    """Raise if a value is of another type than its parameter says, or stands for something that cannot be made.

    Args:
        bound: what the config has bound.
        references: all of gin's references (``@name``, ``%macro``) in a value.
        parameters: name -> those of what a config calls so.
        known: everything that configs can name.
    """
    for (_, whole_name), values in bound.items():
        name = whole_name.rpartition(".")[2]
        literals = {key: value for key, value in values.items() if not any(references({key: value}))}
        check_arguments(parameters.get(name, ()), literals, owner=name)
    asked = {
        key: {one.config_key for one in references(dict(values)) if one.evaluate} for key, values in bound.items()
    }
    try:
        TopologicalSorter(asked).prepare()
    except CycleError as error:
        circle = " -> ".join(scope or name.rpartition(".")[2] for scope, name in error.args[1])
        raise errors.ConfigError(f"The config goes round in a circle: {shown(circle)}.") from None
    for name in {name.rpartition(".")[2] for called in asked.values() for _, name in called} & set(known):
        supplied = known[name].supplied()
        missing = [p.name for p in parameters.get(name, ()) if p.name in supplied and p.default is p.empty]
        if missing:
            raise errors.ConfigError(
                f"'@{name}()' is called without {errors.listing(missing)}, which the program gives it later: "
                f"say '@{name}', without brackets."
            )
