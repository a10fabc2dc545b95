"""Sweeps over hyper-parameters: lists of settings, each a dict of gin's parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from itertools import product as combinations
from typing import Any

Settings = list[dict[str, Any]]


def sweep(name: str, values: Iterable[Any]) -> Settings:
    """One setting for each value."""
    return [{name: value} for value in values]


def categorical(items: Any) -> Any:
    """The values of a categorical parameter."""
    return items


def discrete(items: Any) -> Any:
    """The values of a discrete parameter."""
    return items


def fixed(name: str, value: Any, length: int = 1) -> Settings:
    """The same setting `length` times."""
    return [{name: value}] * length


def zipit(list_of_items: Sequence[Settings]) -> Settings:
    """Settings side by side; a list of one goes with every setting of the others."""
    lengths = {len(items) for items in list_of_items} - {1}
    if len(lengths) > 1:
        raise ValueError("Cannot zip lists of different lengths.")
    length = max(lengths, default=1)
    full = [list(items) * length if len(items) == 1 else items for items in list_of_items]
    return [_merged(settings) for settings in zip(*full, strict=True)]


def chainit(list_of_items: Iterable[Settings]) -> Settings:
    """Settings one after the other."""
    return list(chain(*list_of_items))


def product(list_of_items: Sequence[Settings]) -> Settings:
    """Every combination of settings, the last list fastest."""
    return [_merged(settings) for settings in combinations(*list_of_items)]


def to_bindings(items: Mapping[str, Any]) -> list[str]:
    """A line of gin for each parameter."""
    return [f"{name} = {_escape_value(value)}" for name, value in items.items()]


def _escape_value(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) and not value.startswith("@") else str(value)


def _merged(settings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: value for setting in settings for name, value in setting.items()}
