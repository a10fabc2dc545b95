"""What a config has bound, checked before anything runs: types, references that cannot be called, and circles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from inspect import Parameter
from typing import Any

from causal_disent import errors
from causal_disent.entries import Entry
from causal_disent.text import shown
from causal_disent.typed import check_arguments

#: (scope, whole name) of a configurable -> its parameters and their values; as gin keeps them.
Bound = Mapping[tuple[str, str], Mapping[str, Any]]


def check_bound(
    bound: Bound,
    references: Callable[[Any], Iterable[Any]],
    parameters: Mapping[str, Iterable[Parameter]],
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
