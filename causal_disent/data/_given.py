"""What users give, checked before it is used: numbers, arrays, names of factors and graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from causal_disent import errors

__all__ = ["as_array", "check_graph_type", "columns_of", "is_number", "is_whole"]


def is_whole(value: object) -> bool:
    """Whether it is a whole number; truth values and text are none.

    Example:
        >>> is_whole(3), is_whole(np.int64(3)), is_whole(3.0), is_whole(True), is_whole("3")
        (True, True, False, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether it is a real number; truth values and text are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_array(what: str, given: Any) -> np.ndarray:
    """`given` as an array, or an error that calls it `what`."""
    try:
        return np.asanyarray(given)
    except ValueError:
        raise errors.InvalidInput(
            f"{what} must be an array, or lists of equal lengths; the lists given differ in length or depth."
        ) from None


def columns_of(factors: Any, names: Sequence[str]) -> list[int]:
    """Where the `factors`, a list of names, stand among the `names` that there are."""
    # A name alone is iterable as well: its letters are no factors.
    given = [] if isinstance(factors, str) or not isinstance(factors, Iterable) else list(factors)
    for factor in given:
        if factor not in names:
            raise errors.unknown("factor", factor, names)
    if not given or len(set(given)) != len(given):
        raise errors.InvalidInput(
            f"`factors` is a list of one or more names, none twice; given: {factors!r}. There are: "
            f"{errors.listing(names)}."
        )
    return [names.index(factor) for factor in given]


def check_graph_type(graph: object) -> None:
    """An error where `graph` is no directed graph of networkx."""
    import networkx as nx

    if not isinstance(graph, nx.DiGraph):
        raise errors.InvalidInput(
            "`graph` must be a networkx.DiGraph over the factors, their confounders and 'image'; given: "
            f"{type(graph).__name__}."
        )
