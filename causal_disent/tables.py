"""Tables: codes and factors from data frames and files, and groups of columns."""

from __future__ import annotations

import codecs
import csv
import io
import os
import tokenize
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from math import prod
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from causal_disent import errors
from causal_disent.checks import EXACT, LEAVE_OUT, as_array, as_exact, checked, is_whole, not_finite
from causal_disent.files import read_bounded, unusable
from causal_disent.protocols import FloatArray
from causal_disent.text import shown, shown_value

if TYPE_CHECKING:
    import pandas as pd


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
    if not all(name.strip() for name in members):
        raise errors.InvalidInput("`factor_groups`: a group has an empty name. Name the factor that it is.")
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


#: Bytes, of a file and of what it unpacks to.
MOST = 2**31
#: Columns of a table of text: parsers take time for each.
MOST_COLUMNS = 200_000
#: Lines that decide whether a table begins with the names of its columns.
SAMPLE = 1000
#: What the parsers raise when they meet bytes that make no sense.
DAMAGE = (
    AttributeError, EOFError, LookupError, MemoryError, NotImplementedError, OSError, OverflowError, RuntimeError,
    SyntaxError, TypeError, ValueError, Warning, csv.Error, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@checked
def read_matrix(place: str | Path) -> Any:
    """The array, or the data frame, of a file.

    Args:
        place: a file that ends in ``.npy``, ``.npz`` (``file.npz:key`` if it has several arrays), ``.csv``,
            ``.tsv``, ``.txt`` (with or without names in the first line) or ``.parquet``.
    """
    path, key = Path(place), ""
    before, _, after = os.fspath(place).rpartition(":")
    if before.lower().endswith(".npz") and not os.path.exists(place):
        path, key = Path(before), after
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise errors.InvalidInput(
            f"{path} ends in none of {errors.listing(READERS)}. In Python, `causal_disent.score` takes arrays, "
            "data frames and tensors."
        )
    content = read_bounded(path, MOST)
    try:
        return read(content, key)
    except ImportError:
        raise errors.InvalidInput("Parquet files need pyarrow: pip install 'causal-disent[parquet]'.") from None
    except DAMAGE as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise unusable(path, reason.removesuffix(".")) from None


def _check_size(size: int) -> None:
    if size > MOST:
        raise ValueError(f"it unpacks to {size:,} bytes or more, and {MOST:,} are the most that are read")


def _npy(content: bytes, key: str = "") -> np.ndarray:
    """The array of an npy file, whose header is held against the bytes that there are."""
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"it has version {version} of numpy's format; 1.0 and 2.0 are read")
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran_order, dtype = header(stream)
    start = stream.tell()
    if dtype.hasobject:
        raise ValueError("it is pickled; pickles can run programs and are never loaded. Save numbers or text")
    if prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError(
            f"its head promises {dtype} of shape {shape}, and {len(content) - start:,} bytes follow; "
            "it may be cut short"
        )
    return np.frombuffer(content, dtype, prod(shape), start).reshape(shape, order="F" if fortran_order else "C")


#: What scipy's `save_npz` writes of a matrix by rows or columns.
SPARSE = ("data", "format", "indices", "indptr", "shape")


def _npz(content: bytes, key: str) -> Any:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        if not key and set(SPARSE) <= set(entries) <= {*SPARSE, "_is_array"}:
            _check_size(sum(entry.file_size for entry in entries.values()))
            return _sparse({name: _npy(archive.read(entries[name])) for name in SPARSE})
        if (key and key not in entries) or (not key and len(entries) != 1):
            asked = f"no array '{key}'{errors.nearest(key, entries)}" if key else f"{len(entries)} arrays"
            raise ValueError(f"it has {asked}; say which as file.npz:NAME: {errors.listing(entries)}")
        entry = entries[key or next(iter(entries))]
        _check_size(entry.file_size)
        return _npy(archive.read(entry))


def _sparse(parts: Mapping[str, np.ndarray]) -> Any:
    """A matrix of scipy, whose parts fit together."""
    from scipy import sparse

    kind = parts["format"].item()
    kinds = {"csr": sparse.csr_array, "csc": sparse.csc_array}
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    if kind not in kinds or parts["shape"].shape != (2,) or parts["data"].dtype.kind not in NUMBERS:
        raise ValueError(f"it is a sparse matrix of format {kind}; numbers in csr and csc are read")
    shape = tuple(int(size) for size in parts["shape"])
    matrix = kinds[kind]((parts["data"], parts["indices"], parts["indptr"]), shape)
    matrix.check_format(full_check=True)
    return matrix


def _parquet(content: bytes, key: str) -> pd.DataFrame:
    from pyarrow import ArrowException, parquet, types

    with parquet.ParquetFile(io.BytesIO(content)) as file:
        about, schema = file.metadata, file.schema_arrow
    _check_size(about.num_rows * about.num_columns * 8)
    _check_size(sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)))
    columns = [about.schema.column(i) for i in range(about.num_columns)]
    if any(column.max_repetition_level or column.path not in schema.names for column in columns):
        raise ValueError("it has columns of lists, or of several parts; a cell of a table is a number or a text")
    # A text that is repeated is kept once: a file of some bytes could otherwise ask for any number of copies.
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    try:
        with parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts) as file:
            frame = file.read(use_pandas_metadata=True).to_pandas()
    except ArrowException as error:  # most of its errors are Python's own as well, and not all
        raise ValueError(str(error)) from None
    plain = [name for name in texts if name in frame and not types.is_dictionary(schema.field(name).type)]
    return frame.astype(dict.fromkeys(plain, object))


def _csv(content: bytes, key: str) -> pd.DataFrame:
    """A table of text, whose first line may hold the names of the columns."""
    import pandas as pd

    content = content.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    if content.startswith(b"#"):  # as numpy.savetxt marks the line of names
        content = content[1:].lstrip(b" ")
    first = content.partition(b"\n")[0].decode().strip("\r")
    separator = max(",;\t", key=first.count)
    if first.count(separator) >= MOST_COLUMNS:
        raise ValueError(
            f"it has {first.count(separator) + 1:,} columns, and {MOST_COLUMNS:,} are the most of a text; save "
            "such a table as .npy or .parquet"
        )
    if separator not in first:
        separator = r"\s+"
    options: dict[str, Any] = {
        "sep": separator,
        "skipinitialspace": True,
        "index_col": False,
        "low_memory": False,  # a column has one type, however long it is
    }
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
        options["float_precision"] = "round_trip"  # later ones return every number as it was written anyway

    def read(**more: Any) -> pd.DataFrame:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # of columns that have no name it only warns
            return pd.read_csv(io.BytesIO(content), **options, **more)

    in_pieces = first.split() if separator == r"\s+" else next(csv.reader([first], delimiter=separator))
    head = [cell.strip() for cell in in_pieces]
    if content.count(b"\n") < 2 or not _are_names(head, read(header=None, skiprows=1, nrows=SAMPLE)):
        return read(header=None)
    table = read(header=0)
    counts_rows = not head[0] and np.array_equal(table.iloc[:, 0], np.arange(len(table)))
    return table.iloc[:, 1:] if counts_rows else table  # pandas writes the labels of the rows before the columns


def _are_names(head: list[str], below: pd.DataFrame) -> bool:
    """Whether the first line names the columns, by what stands below it."""
    if not head[0]:
        return True  # above the labels of the rows
    if head == [str(i) for i in range(len(head))]:
        return all(dtype.kind == "f" for dtype in below.dtypes)  # the names that pandas gives where there are none
    if any(_is_number(cell) for cell in head):
        return False
    # Text above numbers is a name; above text it is one unless it comes again as a value.
    columns = [below.iloc[:, i] for i in range(min(len(head), below.shape[1]))]
    return all(
        column.dtype.kind in "if" or cell not in set(map(str, column))
        for cell, column in zip(head, columns, strict=False)
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


READERS: dict[str, Callable[[bytes, str], Any]] = {
    ".npy": _npy, ".npz": _npz, ".csv": _csv, ".tsv": _csv, ".txt": _csv, ".parquet": _parquet,
}  # fmt: skip


#: What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless_cells(table: pd.DataFrame) -> pd.DataFrame:
    """The table for a CSV file: text that a spreadsheet would run as a formula begins with an apostrophe.

    Example:
        >>> import pandas as pd
        >>> print(harmless_cells(pd.DataFrame({"model": ["=1+1", "vae"], "UC": [-1.0, 1.0]})).to_csv(index=False))
        model,UC
        '=1+1,-1.0
        vae,1.0
        <BLANKLINE>
    """

    def quoted(cell: Any) -> Any:
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell

    safe = table.map(quoted).rename(columns=quoted)
    return safe.rename(index=quoted) if safe.index.nlevels == 1 else safe


#: Kinds of dtype: of numbers; of text; of dates and spans of time, which become days since the earliest.
NUMBERS, TEXT, DATES = "iuf", "UST", "mM"


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
    if (plain := _plain_frame(what, given)) is not None:
        return _finite(what, plain)
    named = _named_columns(what, given)
    if named is None:
        matrix = _matrix(what, given)
        named = {f"{what.removesuffix('s')}_{i}": matrix[:, i] for i in range(matrix.shape[1])}
        if matrix.dtype.kind in NUMBERS:  # by far the most frequent, and done at once
            exact = as_exact(matrix) if what == "factors" else matrix
            return _finite(what, Table(exact.astype(np.float64), tuple(named)))
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


def _plain_frame(what: str, given: Any) -> Table | None:
    """A data frame of pandas with numpy's numbers alone, converted at once; None for anything else."""
    if not hasattr(given, "iloc") or getattr(given, "ndim", 0) != 2 or not given.size:
        return None
    if not all(isinstance(dtype, np.dtype) and dtype.kind in NUMBERS for dtype in set(given.dtypes)):
        return None
    values = given.to_numpy()
    if values.dtype.kind == "f" and not all(dtype.kind == "f" for dtype in set(given.dtypes)):
        if np.nanmax(np.abs(values)) >= EXACT:
            return None  # whole numbers beside fractions, which a column of their own keeps apart
    elif what == "factors":
        values = as_exact(values)
    return Table(values.astype(np.float64), tuple(_names_of(what, list(given.columns))), index=given.index)


def take_column(what: str, name: str, factors: Any) -> tuple[Any, dict[str, Any]]:
    """A column of `factors` by its name, and the others.

    Example:
        >>> take_column("blocks", "video", {"video": [0, 0, 1], "size": [1, 2, 3]})
        ([0, 0, 1], {'size': [1, 2, 3]})
    """
    named = _named_columns("factors", factors)
    if named is None or name not in named:
        raise errors.unknown(f"column in `{what}`:", name, named or ())
    return named.pop(name), named


def without_missing(codes: Any, factors: Any) -> tuple[Any, Any, np.ndarray | None]:
    """Codes and factors as somebody has them, without the points that lack a value, and which points are left.

    Missing are NaN and None, and what pandas takes for missing; an infinite number is not.

    Example:
        >>> without_missing([[1.0], [float("nan")], [3.0]], {"hue": ["red", "red", None]})
        ({'code_0': array([1.])}, {'hue': array(['red'], dtype=object)}, array([ True, False, False]))
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
        return codes, factors, None  # of unequal lengths, or no columns: said when they are read
    present = ~np.logical_or.reduce(masks)
    if not present.any():
        raise errors.InvalidInput(f"Each of the {len(present)} points lacks a value, so that none is left.")
    kept = [{name: column[present] for name, column in named.items()} for named in both]
    return kept[0], kept[1], present


def _objects(column: Any) -> np.ndarray:
    """A column as an array; of a list of text and None, or of numbers and None, as they are."""
    return np.array(column, dtype=object) if isinstance(column, (list, tuple)) else as_array("A column", column)


def check_same_points(codes: Table, factors: Table) -> None:
    """An error, with what to do, unless each row of `codes` and of `factors` can be of the same point."""
    (points, num_codes), (rows, num_factors) = codes.values.shape, factors.values.shape
    shapes = f"`codes` is {points} x {num_codes} and `factors` is {rows} x {num_factors} (points x columns)"
    if points == rows == 1:
        raise errors.InvalidInput(
            f"One point cannot be measured; {shapes}. Scores need many: a few hundred at least."
        )
    both = num_codes == num_factors and num_codes > points and num_factors > rows
    if points == rows and not both:
        _check_order(codes.index, factors.index)
        return
    if both:
        hint = "Both seem transposed: give `codes.T` and `factors.T`."
    elif num_codes == rows and (num_factors != points or num_codes > points):
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
    if isinstance(given, Mapping) and not hasattr(given, "toarray"):  # of scipy's sparse matrices one is a dict
        names, columns = list(given), list(given.values())
    elif hasattr(given, "columns") and hasattr(given, "__getitem__"):
        names = list(getattr(given, "column_names", given.columns))  # those of pyarrow are not its columns
        columns = [given.iloc[:, i] for i in range(len(names))] if hasattr(given, "iloc") else given
        columns = columns if isinstance(columns, list) else [given[name] for name in names]
    elif getattr(getattr(given, "dtype", None), "names", None):
        names = list(given.dtype.names)
        columns = [given[name] for name in names]
    elif hasattr(given, "to_numpy") and hasattr(given, "name"):
        names, columns = [given.name if given.name is not None else what.removesuffix("s") + "_0"], [given]
    else:
        return None
    return dict(zip(_names_of(what, names), columns, strict=True))


def _names_of(what: str, names: list[Any]) -> list[str]:
    """The names of columns as text, each once; a frame whose columns are only counted has ``code_0`` and so on."""
    if names == list(range(len(names))) or names == [str(i) for i in range(len(names))]:
        return [f"{what.removesuffix('s')}_{i}" for i in range(len(names))]
    counts = Counter(map(shown, names))
    if len(counts) < len(names):
        twice = errors.listing(sorted(name for name, count in counts.items() if count > 1))
        raise errors.InvalidInput(f"Each column of `{what}` needs a name of its own; there twice: {twice}.")
    return list(counts)


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
    if matrix.ndim == 3 and isinstance(given, tuple) and len(given) == 2:
        raise errors.InvalidInput(
            f"{shape}; given: a tuple of two arrays. If these are mean and log variance of an encoder, give the "
            f"mean: `{what}[0]`."
        )
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
    if values.dtype.kind == "U":
        values = _objects(column)  # numpy makes text of a NaN in a list of text
    if values.ndim != 1:
        raise errors.InvalidInput(f"The {label} must be one value per point; given: shape {values.shape}.")
    if values.dtype.kind == "O":
        values = _of_objects(label, values)
    if values.dtype.kind in DATES:
        _check_present(label, np.isnat(values))
        return _Column((values - values.min()) / np.timedelta64(1, "D"))
    if values.dtype.kind in NUMBERS:
        return _Column(as_exact(values))
    if values.dtype.kind == "b":
        return _Column(values, ("False", "True"))
    if values.dtype.kind not in TEXT:
        raise errors.InvalidInput(
            f"The {label} must be numbers, text, dates or truth values; given: dtype {values.dtype}."
        )
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    names, places = np.unique(values.astype(str), return_inverse=True)
    return _Column(places, tuple(map(shown, names)), ordered=False)


def _of_objects(label: str, values: np.ndarray) -> np.ndarray:
    """A column of Python objects as text, truth values, dates or numbers, if all of them are of one such kind."""
    import pandas as pd

    kinds = ((str, str), ((bool, np.bool_), bool), (date, ""), (Integral, object), ((Real, Decimal), np.float64))
    for kind, dtype in kinds:
        if all(isinstance(value, kind) and value == value for value in values):
            if kind is date:
                return pd.to_datetime(list(values), utc=True).tz_localize(None).to_numpy()
            if dtype is not object:
                return values.astype(dtype)
            large = max(map(abs, values)) > EXACT
            return np.unique(values, return_inverse=True)[1] if large else values.astype(np.int64)
    _check_present(label, np.asarray(pd.isna(values)))
    first = values[0]
    other = next((i for i, value in enumerate(values) if type(value) is not type(first)), 0)
    mixed = f" and {shown_value(values[other])} at point {other}" if other else ""
    raise errors.InvalidInput(
        f"The {label} must be numbers, text, dates or truth values throughout; it holds "
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
