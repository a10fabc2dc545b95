"""Columns of a table by name or place; several that are one factor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import is_whole
from causal_disent.tables import Table
from causal_disent.text import shown, shown_value


def places_of(what: str, columns: Any, names: Sequence[str]) -> list[int]:
    """Where columns, given by name or by place, stand among `names`.

    Example:
        >>> places_of("factor_groups", ["x", 2], ["x", "y", "z"])
        [0, 2]
    """
    if isinstance(columns, str) or not isinstance(columns, (list, tuple)) or not columns:
        raise errors.InvalidInput(
            f"`{what}`: a group is a list of columns, by name or by number from 0; given: {shown_value(columns)}."
        )
    places = []
    for column in columns:
        if is_whole(column) and 0 <= column < len(names):
            places.append(int(column))
        elif isinstance(column, str) and column in names:
            places.append(names.index(column))
        else:
            raise errors.unknown(f"column in `{what}`:", column, names)
    return places


def code_places(code_groups: Any, names: Sequence[str]) -> list[list[int]] | None:
    """The places of the codes of each group; None if there is no group."""
    if code_groups is None:
        return None
    if not isinstance(code_groups, (list, tuple)):
        raise errors.InvalidInput(
            f"`code_groups` is a list of lists of codes, as in [[0, 1], [2]]; given: {shown_value(code_groups)}."
        )
    return [places_of("code_groups", group, names) for group in code_groups]


def grouped(table: Table, groups: Any, labels: Any) -> Table:
    """`table` with each of `groups` as one column of categories, the combinations of their values.

    Args:
        table: of factors.
        groups: name of the new column -> its columns, by name or place; each is in one group at most.
        labels: (points, columns) the values that are combined; those of `table`, or what stands for them.

    Example:
        >>> table = Table(np.array([[0.0, 1, 5], [1, 1, 5], [0, 1, 6]]), ("x", "y", "size"))
        >>> found = grouped(table, {"position": ["x", "y"]}, table.values)
        >>> found.names, found.categories
        (('position', 'size'), {'position': ('0, 1', '1, 1')})
        >>> found.values.tolist()
        [[0.0, 5.0], [1.0, 5.0], [0.0, 6.0]]
    """
    if not isinstance(groups, Mapping):
        raise errors.InvalidInput(
            "`factor_groups` is a mapping from the name of a factor to its columns, as in "
            f"{{'position': ['x', 'y']}}; given: {shown_value(groups)}."
        )
    members = {shown(name): places_of("factor_groups", columns, table.names) for name, columns in groups.items()}
    taken = [place for places in members.values() for place in places]
    twice = [table.names[place] for place in taken if taken.count(place) > 1]
    left = {name: place for place, name in enumerate(table.names) if place not in taken}
    if twice or (both := [name for name in members if name in left]):
        said = f"column '{twice[0]}' is there twice" if twice else f"'{both[0]}' is the name of another factor"
        raise errors.InvalidInput(f"`factor_groups`: each factor is one thing; {said}.")
    first = {places[0]: name for name, places in members.items()}
    columns: list[Any] = []
    categories, names = dict(table.categories), []
    for place, name in enumerate(table.names):
        if place in first:
            name = first[place]
            values, column = np.unique(labels[:, members[name]], axis=0, return_inverse=True)
            columns.append(column.ravel().astype(np.float64))
            categories[name] = tuple(_said(table, members[name], row) for row in values)
        elif place not in taken:
            columns.append(table.values[:, place])
        else:
            continue
        names.append(name)
    return replace(
        table,
        values=np.stack(columns, axis=1),
        names=tuple(names),
        categories={name: categories[name] for name in names if name in categories},
        unordered=tuple(name for name in names if name in members or name in table.unordered),
    )


def _said(table: Table, places: Sequence[int], row: Any) -> str:
    """A combination of values in words."""
    parts = []
    for place, value in zip(places, row, strict=True):
        own = table.categories.get(table.names[place])
        parts.append(own[int(value)] if own else f"{value:g}")
    return ", ".join(parts)
