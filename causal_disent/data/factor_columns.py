"""Columns of factor values, numbers or text, as a state space and the places of the values in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_array
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray

#: Factor name -> names of its values; or one such sequence (or None) per factor.
ValueNames = Mapping[str, Sequence[object]] | Sequence[Sequence[object] | None]


def equal_bins(values: FloatArray | IntArray, bins: int) -> IntArray:
    """(points,) the bin of each value, so that about equally many are in each; equal values share one.

    Example:
        >>> equal_bins(np.array([0.5, 0.1, 0.9, 0.2]), 2).tolist()
        [1, 0, 1, 0]
    """
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, values, side="right")


def read_columns(
    factors: Any, factor_names: Sequence[str] | None = None, value_names: ValueNames | None = None
) -> tuple[StateSpace, IntArray]:
    """The values of a table of factors, counted.

    Args:
        factors: (points, factors) numbers or text, or a mapping (or data frame) of factor name -> (points,).
        factor_names: the names of the columns; ``factor_0``, ``factor_1``, ... if not given.
        value_names: the names of the values. Whole numbers count in them from 0, text is looked up in them, and
            values that no point has may be among them. A factor without has the values that occur: numbers by
            size, text by the alphabet.

    Returns:
        The state space, and (points, factors) the place of each value.

    Example:
        >>> space, rows = read_columns({"object": ["cube", "ball", "cube"], "angle": [0.5, 0.25, 2.0]})
        >>> space.value_names
        {'object': ('ball', 'cube'), 'angle': ('0.25', '0.5', '2.0')}
        >>> rows.tolist()
        [[1, 1], [0, 0], [1, 2]]
    """
    columns = _named_columns(factors, factor_names)
    names_of = _names_by_factor(value_names, list(columns))
    values, places = {}, []
    for factor, column in columns.items():
        names, place = _read_column(factor, column, names_of.get(factor))
        values[factor] = names
        places.append(place)
    return StateSpace(values), np.stack(places, axis=1)


def _named_columns(factors: Any, factor_names: Sequence[str] | None) -> dict[str, Any]:
    """Factor name -> its column (points,)."""
    if hasattr(factors, "keys"):
        names, columns = [str(name) for name in factors], [factors[name] for name in factors]
    else:
        factors = as_array("Factors", factors)
        if factors.ndim != 2:
            raise errors.InvalidInput(f"Factors must be of shape (points, factors); given: shape {factors.shape}.")
        names, columns = [f"factor_{i}" for i in range(factors.shape[1])], list(factors.T)
    if factor_names is not None:
        names = [str(name) for name in factor_names]
    if not columns or len(names) != len(columns) or len(set(names)) != len(names):
        raise errors.InvalidInput(
            f"Each factor needs a name of its own; there are {len(columns)} factors and the names "
            f"{errors.listing(names)}."
        )
    lengths = {name: len(column) for name, column in zip(names, columns, strict=True)}
    if len(set(lengths.values())) != 1 or not len(columns[0]):
        raise errors.InvalidInput(
            "The columns of factors must be equally long, and not empty; given: "
            + ", ".join(f"{name}: {length}" for name, length in lengths.items())
            + "."
        )
    return dict(zip(names, columns, strict=True))


def _names_by_factor(value_names: ValueNames | None, factors: Sequence[str]) -> dict[str, Sequence[object]]:
    if value_names is None:
        return {}
    if isinstance(value_names, Mapping):
        for factor in value_names:
            if factor not in factors:
                raise errors.unknown("factor", factor, factors)
        return dict(value_names)
    if len(value_names) != len(factors):
        raise errors.InvalidInput(
            f"`value_names` needs an entry for each of the {len(factors)} factors {errors.listing(factors)}; "
            f"given: {len(value_names)}."
        )
    return {factor: names for factor, names in zip(factors, value_names, strict=True) if names is not None}


def _read_column(factor: str, column: Any, names: Sequence[object] | None) -> tuple[Sequence[object], IntArray]:
    """The names of the values, and the place of each value among them."""
    if names is None and hasattr(column, "cat"):
        names = list(column.cat.categories)  # a column of somebody's `factor_table`
        column = column.astype(object)
    column = np.asarray(as_array(f"The factor '{factor}'", column))
    if column.ndim != 1:
        raise errors.InvalidInput(f"The factor '{factor}' must be one value per point; given: {column.shape}.")
    if column.dtype.kind not in "biufUO":
        raise errors.InvalidInput(f"The factor '{factor}' must be numbers or text; given: dtype {column.dtype}.")
    if column.dtype.kind == "O":
        column = np.array([str(value) for value in column])
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        place = int(np.flatnonzero(~np.isfinite(column))[0])
        raise errors.InvalidInput(f"The factor '{factor}' is {column[place]} in row {place}; it must be finite.")
    if names is None:
        values, places = np.unique(column, return_inverse=True)
        return list(values), places.astype(np.int64)
    return names, _places(factor, column, [str(name) for name in names])


def _places(factor: str, column: np.ndarray, names: list[str]) -> IntArray:
    """Where the values of a column stand among the names it was given."""
    if column.dtype.kind == "f":
        raise errors.InvalidInput(
            f"The factor '{factor}' is continuous, so that its values are their own names; give names to whole "
            "numbers or text."
        )
    if column.dtype.kind == "U":
        by_name = {name: place for place, name in enumerate(names)}
        places = np.array([by_name.get(value, -1) for value in column.tolist()], dtype=np.int64)
    else:
        places = column.astype(np.int64)
        places[places >= len(names)] = -1
    if (places < 0).any():
        row = int(np.flatnonzero(places < 0)[0])
        kind = f"value of the factor '{factor}' in row {row}:"
        allowed: list[object] = list(names) if column.dtype.kind == "U" else list(range(len(names)))
        raise errors.unknown(kind, column[row], allowed)
    return places
