"""What users give, checked before it is used: numbers, arrays and graphs."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from causal_disent import errors

__all__ = ["as_array", "check_graph_type", "is_number", "is_whole"]


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


def check_graph_type(graph: object) -> None:
    """An error where `graph` is no directed graph of networkx."""
    import networkx as nx

    if not isinstance(graph, nx.DiGraph):
        raise errors.InvalidInput(
            "`graph` must be a networkx.DiGraph over the factors, their confounders and 'image'; given: "
            f"{type(graph).__name__}."
        )
