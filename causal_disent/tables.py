"""Codes and factors as people have them: arrays, lists, data frames, tensors of any framework.

No framework is imported: a tensor is known by its methods. What comes out depends on the numbers alone, not on
what held them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import LEAVE_OUT, as_array, not_finite
from causal_disent.protocols import FloatArray
from causal_disent.text import shown, shown_value

#: What a column of numbers, or of truth values, has as its kind of dtype.
NUMBERS, TEXT = "iuf", "UST"


@dataclass(frozen=True)
class Table:
    """A matrix whose columns have names.

    Attributes:
        values: (points, columns) float64; of a column of categories, the place of each value among them.
        names: of the columns.
        categories: name of a column of text, truth values or categories -> its values, in order.
        unordered: those of them whose order means nothing: three or more values without a declared order.
        index: the labels of the rows, where a data frame had some.
    """

    values: FloatArray
    names: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unordered: tuple[str, ...] = ()
    index: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class _Column:
    """One column as numbers; with the names of its values if those are categories."""

    values: np.ndarray
    categories: tuple[str, ...] = ()
    ordered: bool = True


def read_table(what: str, given: Any) -> Table:
    """What somebody gives as ``codes`` or ``factors``, as a finite matrix with names.

    Args:
        what: ``"codes"``, which must be numbers, or ``"factors"``, which may be text, truth values or categories
            as well.
        given: (points, columns): an array, lists, a data frame or a mapping of name -> column, a tensor; what is
            (points,) is one column.

    Example:
        >>> table = read_table("factors", {"object": ["cube", "ball", "cube"], "angle": [0.5, 0.25, 2.0]})
        >>> table.names, table.categories
        (('object', 'angle'), {'object': ('ball', 'cube')})
        >>> table.values.tolist()
        [[1.0, 0.5], [0.0, 0.25], [1.0, 2.0]]
    """
    named = _named_columns(what, given)
    if named is None:
        matrix = _matrix(what, given)
        named = {f"{what.removesuffix('s')}_{i}": matrix[:, i] for i in range(matrix.shape[1])}
        if matrix.dtype.kind in NUMBERS:  # by far the most frequent, and done at once
            return _finite(what, Table(matrix.astype(np.float64), tuple(named)))
    columns = {name: _column(f"column '{name}' of `{what}`", column) for name, column in named.items()}
    if not columns or not len(next(iter(columns.values())).values):
        raise errors.InvalidInput(f"`{what}` is empty: it has {len(columns)} columns and no point.")
    categories = {name: column.categories for name, column in columns.items() if column.categories}
    if what == "codes":
        _check_no_text(categories, named)
    lengths = {name: len(column.values) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise errors.InvalidInput(f"The columns of `{what}` must be equally long; given: {counts}.")
    index = getattr(given, "index", None)
    return _finite(
        what,
        Table(
            np.stack([column.values for column in columns.values()], axis=1, dtype=np.float64, casting="unsafe"),
            tuple(columns),
            categories,
            tuple(n for n, column in columns.items() if not column.ordered and len(column.categories) > 2),
            index if hasattr(index, "symmetric_difference") else None,  # a list has an `index` too, its method
        ),
    )


def without_missing(codes: Any, factors: Any) -> tuple[Any, Any, int]:
    """Codes and factors as somebody has them, without the points that lack a value, and how many those are.

    Missing are NaN and None, and what pandas takes for missing; an infinite number is not.

    Example:
        >>> without_missing([[1.0], [float("nan")], [3.0]], {"hue": ["red", "red", None]})
        ({'code_0': array([1.])}, {'hue': array(['red'], dtype=object)}, 2)
    """
    import pandas as pd

    both, masks = [], []
    for what, given in (("codes", codes), ("factors", factors)):
        named = _named_columns(what, given)
        if named is None:
            matrix = _matrix(what, given)
            named = {f"{what.removesuffix('s')}_{i}": column for i, column in enumerate(matrix.T)}
        named = {name: column if hasattr(column, "iloc") else _objects(column) for name, column in named.items()}
        both.append(named)
        masks += [np.asarray(pd.isna(column)) for column in named.values()]
    if len({mask.shape for mask in masks}) != 1 or masks[0].ndim != 1:
        return codes, factors, 0  # of unequal lengths, or no columns: said when they are read
    present = ~np.logical_or.reduce(masks)
    if not present.any():
        raise errors.InvalidInput(f"Each of the {len(present)} points lacks a value, so that none is left.")
    kept = [{name: column[present] for name, column in named.items()} for named in both]
    return kept[0], kept[1], int((~present).sum())


def _objects(column: Any) -> np.ndarray:
    """A column as an array; of a list of text and None, or of numbers and None, as they are."""
    return np.array(column, dtype=object) if isinstance(column, (list, tuple)) else as_array("A column", column)


def check_same_points(codes: Table, factors: Table) -> None:
    """An error, with what to do, unless each row of `codes` and of `factors` can be of the same point."""
    (points, num_codes), (rows, num_factors) = codes.values.shape, factors.values.shape
    shapes = f"`codes` is {points} x {num_codes} and `factors` is {rows} x {num_factors} (points x columns)"
    both = num_codes == num_factors and num_codes > points and num_factors > rows
    if points == rows and not both:
        _check_order(codes.index, factors.index)
        return
    if both:
        hint = "Both seem transposed: give `codes.T` and `factors.T`."
    elif num_codes == rows:
        hint = "`codes` seems transposed: give `codes.T`."
    elif num_factors == points:
        hint = "`factors` seems transposed: give `factors.T`."
    elif abs(points - rows) == 1:
        hint = "One has a row more: is a line of names among the points, or a point taken for the names?"
    else:
        hint = "Give the codes and the factors of the same points, in the same order."
    raise errors.InvalidInput(f"Each point needs a row in both; {shapes}. {hint}")


def _check_order(one: Any, other: Any) -> None:
    """Two data frames whose rows have the same labels must have them in the same order."""
    if one is None or other is None or one.equals(other):
        return
    if one.is_unique and other.is_unique and not one.symmetric_difference(other).size:
        raise errors.InvalidInput(
            "The rows of `codes` and `factors` have the same labels in another order, and rows are taken as they "
            "come. Give `factors.loc[codes.index]`, or both with `.to_numpy()` if the labels mean nothing."
        )


def _named_columns(what: str, given: Any) -> dict[str, Any] | None:
    """Name -> column, of what has names for its columns."""
    if isinstance(given, Mapping):
        names, columns = list(given), list(given.values())
    elif hasattr(given, "columns") and hasattr(given, "__getitem__"):
        names = list(given.columns)
        columns = [given.iloc[:, i] for i in range(len(names))] if hasattr(given, "iloc") else given
        columns = columns if isinstance(columns, list) else [given[name] for name in names]
    elif getattr(getattr(given, "dtype", None), "names", None):
        names = list(given.dtype.names)
        columns = [given[name] for name in names]
    elif hasattr(given, "to_numpy") and hasattr(given, "name"):
        names, columns = [given.name if given.name is not None else what.removesuffix("s") + "_0"], [given]
    else:
        return None
    if names == list(range(len(names))) or names == [str(i) for i in range(len(names))]:
        names = [f"{what.removesuffix('s')}_{i}" for i in range(len(names))]  # a frame without names counts
    named = {shown(name): column for name, column in zip(names, columns, strict=True)}
    if len(named) < len(names):
        twice = errors.listing(sorted({str(name) for name in names if names.count(name) > 1}))
        raise errors.InvalidInput(f"Each column of `{what}` needs a name of its own; there twice: {twice}.")
    return named


def _matrix(what: str, given: Any) -> np.ndarray:
    """`given` as a matrix (points, columns) of whatever dtype."""
    matrix = as_array(f"`{what}`", given)
    if matrix.dtype.kind == "U" and isinstance(given, (list, tuple)):
        matrix = np.array(given, dtype=object)  # a row may hold text and numbers, and numbers stay such
    shape = f"`{what}` must be of shape (points, {what})"
    if matrix.ndim == 0:
        raise errors.InvalidInput(f"{shape}: an array, a data frame or a tensor; given: {type(given).__name__}.")
    if matrix.ndim == 1 and len(matrix) and isinstance(matrix[0], (list, tuple, np.ndarray)):
        raise errors.InvalidInput(f"{shape}; the rows given differ in length, or hold no single numbers.")
    if 0 in matrix.shape:
        raise errors.InvalidInput(f"{shape}, at least one of each; given: {matrix.shape}, which is empty.")
    if matrix.ndim > 2:
        raise errors.InvalidInput(
            f"{shape}; given: {matrix.shape}. One row per point: `{what}.reshape(len({what}), -1)`, or, if these "
            f"are batches, `np.concatenate({what})`."
        )
    if matrix.dtype.kind == "c":
        raise errors.InvalidInput(
            f"`{what}` must be real numbers; given: dtype {matrix.dtype}. Give the parts as columns of their own: "
            f"`np.hstack([{what}.real, {what}.imag])`."
        )
    return matrix if matrix.ndim == 2 else matrix[:, None]


def _column(label: str, column: Any) -> _Column:
    """One column, whatever it holds."""
    if hasattr(column, "cat") and hasattr(column.dtype, "categories"):
        _check_present(label, column.isna().to_numpy())
        # Categories that no point has are left out: to a metric they are not there.
        column = column.cat.remove_unused_categories()
        categories = tuple(map(shown, column.cat.categories))
        return _Column(column.cat.codes.to_numpy(), categories, bool(column.cat.ordered))
    values = as_array(f"The {label}", column)
    if values.ndim != 1:
        raise errors.InvalidInput(f"The {label} must be one value per point; given: shape {values.shape}.")
    if values.dtype.kind == "O":
        values = _of_objects(label, values)
    if values.dtype.kind in NUMBERS:
        return _Column(values)
    if values.dtype.kind == "b":
        return _Column(values, ("False", "True"))
    if values.dtype.kind not in TEXT:
        raise errors.InvalidInput(
            f"The {label} must be numbers, text or truth values; given: dtype {values.dtype}. Convert it first: "
            "dates, say, to numbers of days."
        )
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    names, places = np.unique(values.astype(str), return_inverse=True)
    return _Column(places, tuple(map(shown, names)), ordered=False)


def _of_objects(label: str, values: np.ndarray) -> np.ndarray:
    """A column of Python objects as text, truth values or numbers, if all of them are of one such kind."""
    import pandas as pd

    for kind, dtype in ((str, str), ((bool, np.bool_), bool), (Real, np.float64)):
        if all(isinstance(value, kind) and value == value for value in values):
            return values.astype(dtype)
    _check_present(label, np.asarray(pd.isna(values)))
    first = values[0]
    other = next((i for i, value in enumerate(values) if type(value) is not type(first)), 0)
    mixed = f" and {shown_value(values[other])} at point {other}" if other else ""
    raise errors.InvalidInput(
        f"The {label} must be numbers, text or truth values throughout; it holds "
        f"{shown_value(first):.60} at point 0"
        f"{mixed:.80}."
    )


def _check_present(label: str, missing: np.ndarray) -> None:
    if missing.any():
        raise errors.InvalidInput(
            f"The {label} has no value at point {int(np.flatnonzero(missing)[0])}, and at {int(missing.sum())} "
            f"points in all. {LEAVE_OUT}"
        )


def _check_no_text(categories: Mapping[str, tuple[str, ...]], named: Mapping[str, Any]) -> None:
    """Codes are numbers; truth values pass for them."""
    for name, values in categories.items():
        if values != ("False", "True"):
            raise errors.InvalidInput(
                f"`codes` must be numbers; column '{name}' ({list(named).index(name) + 1} of {len(named)}) holds "
                f"{errors.listing(map(repr, values), most=3)}. Leave it out, or give it among the factors."
            )


def _finite(what: str, table: Table) -> Table:
    """The table, or an error with the first place that holds no number."""
    for row, column in not_finite(table.values):
        raise errors.InvalidInput(
            f"`{what}` must be finite; point {row} has {table.values[row, column]} in column "
            f"'{table.names[column]}'. {LEAVE_OUT}"
        )
    return table
