"""Matrices in files that anybody may have made: read within bounds, never unpickled."""

from __future__ import annotations

import codecs
import csv
import io
import os
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from causal_disent import errors
from causal_disent.files import read_bounded, unusable
from causal_disent.typed import checked

if TYPE_CHECKING:
    import pandas as pd

#: Bytes, of a file and of what it unpacks to.
MOST = 2**31
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


def _npz(content: bytes, key: str) -> np.ndarray:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        if (key and key not in entries) or (not key and len(entries) != 1):
            asked = f"no array '{key}'{errors.nearest(key, entries)}" if key else f"{len(entries)} arrays"
            raise ValueError(f"it has {asked}; say which as file.npz:NAME: {errors.listing(entries)}")
        entry = entries[key or next(iter(entries))]
        _check_size(entry.file_size)
        return _npy(archive.read(entry))


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
