"""Matrices of numbers in files that anybody may have made: read within bounds, never unpickled."""

from __future__ import annotations

import codecs
import csv
import io
import os
import zipfile
import zlib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from causal_disent import errors

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_matrix"]

#: Bytes, of a file and of what it unpacks to.
MOST = 2**31
#: Lines that decide whether a table begins with the names of its columns.
SAMPLE = 1000


def read_matrix(place: str | os.PathLike[str]) -> Any:
    """The array, or the data frame, of a file.

    Args:
        place: a file that ends in ``.npy``, ``.npz`` (``file.npz:key`` if it has several arrays), ``.csv``,
            ``.tsv``, ``.txt`` (with or without names in the first line) or ``.parquet``.
    """
    path, key = _path_and_key(os.fspath(place))
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise errors.InvalidInput(
            f"{path} ends in none of {errors.listing(READERS)}. In Python, `causal_disent.score` takes arrays, data "
            "frames and tensors."
        )
    if not path.is_file():
        raise _unreadable(path, "it is not there, or is no regular file")
    try:
        size = path.stat().st_size
        if size > MOST:
            raise _unreadable(path, f"it has {size:,} bytes, and {MOST:,} are the most that are read")
        return read(path, key)
    except ImportError:
        raise errors.InvalidInput("Parquet files need pyarrow: pip install 'causal-disent[parquet]'.") from None
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    # What the parsers raise when they meet bytes that make no sense.
    except (ValueError, EOFError, MemoryError, NotImplementedError, OverflowError, RuntimeError, SyntaxError,
            TypeError, zipfile.BadZipFile, zlib.error) as error:  # fmt: skip
        if isinstance(error, errors.CausalDisentError):
            raise
        raise _unreadable(path, str(error).strip().split("\n")[0] or type(error).__name__) from None


def _unreadable(path: Path, reason: str) -> errors.InvalidInput:
    return errors.InvalidInput(f"{path} cannot be read: {reason.removesuffix('.')}.")


def _path_and_key(place: str) -> tuple[Path, str]:
    """``file.npz:key`` taken apart, unless a file has that very name."""
    before, colon, key = place.rpartition(":")
    if colon and before.lower().endswith(".npz") and not os.path.exists(place):
        return Path(before), key
    return Path(place), ""


def _read_npy(path: Path, key: str) -> np.ndarray:
    return _array(path.read_bytes())


def _array(content: bytes) -> np.ndarray:
    """The array of an npy file; its header is held against the bytes that there are."""
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version > (2, 0):
        raise ValueError(f"it has version {version} of numpy's format; 1.0 and 2.0 are read")
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran_order, dtype = header(stream)
    if dtype.hasobject:
        raise ValueError("it is pickled; pickles can run programs and are never loaded. Save numbers or text")
    if prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError(
            f"its head promises {dtype} of shape {shape}, and {len(content) - stream.tell():,} bytes follow; it may "
            "be cut short"
        )
    flat = np.frombuffer(content, dtype, prod(shape), stream.tell())
    return flat.reshape(shape, order="F" if fortran_order else "C")


def _read_npz(path: Path, key: str) -> np.ndarray:
    with zipfile.ZipFile(path) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        if not key and len(entries) != 1:
            raise errors.InvalidInput(
                f"{path} has {len(entries)} arrays ({errors.listing(entries)}); say which: {path}:"
                f"{next(iter(entries), 'NAME')}"
            )
        if key and key not in entries:
            raise errors.unknown(f"array of {path}:", key, entries)
        entry = entries[key or next(iter(entries))]
        if entry.file_size > MOST:
            raise _unreadable(path, f"it unpacks to {entry.file_size:,} bytes, and {MOST:,} are the most")
        return _array(archive.read(entry))


def _read_csv(path: Path, key: str) -> pd.DataFrame:
    """A table of text; its first line may hold the names of the columns."""
    import pandas as pd

    content = path.read_bytes().removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    first = content[: content.find(b"\n") if b"\n" in content else None].decode().strip("\r\n")
    if not first.strip():
        raise ValueError("it is empty")
    separator = max(",;\t", key=first.count)
    if not first.count(separator) and len(first.split()) > 1:
        separator = " "
    reads: Callable[..., Any] = lambda **options: pd.read_csv(  # noqa: E731
        io.BytesIO(content),
        sep=r"\s+" if separator == " " else separator,
        skipinitialspace=True,
        index_col=False,
        low_memory=False,  # a column has one type, however long it is
        float_precision="round_trip",
        **options,
    )
    head = next(csv.reader([first], delimiter=separator, skipinitialspace=True)) if separator != " " else first.split()
    try:
        below = reads(header=None, skiprows=1, nrows=SAMPLE)
    except pd.errors.EmptyDataError:
        return reads(header=None)
    if not _are_names(head, below):
        table = reads(header=None)
        return table.set_axis([f"column_{i}" for i in range(table.shape[1])], axis=1)
    table = reads(header=0)
    names = [str(name).strip() for name in table.columns]
    names[0] = names[0].lstrip("# ")  # as numpy.savetxt marks the line of names
    table = table.set_axis(names, axis=1)
    counts_rows = not head[0] and np.array_equal(table.iloc[:, 0], np.arange(len(table)))
    return table.iloc[:, 1:] if counts_rows and table.shape[1] > 1 else table  # as pandas writes the labels of rows


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


def _read_parquet(path: Path, key: str) -> pd.DataFrame:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        about = file.metadata
        packed = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        size = max(about.num_rows * about.num_columns * 8, packed)
        if size > MOST:
            raise _unreadable(path, f"it unpacks to {size:,} bytes or more, and {MOST:,} are the most")
        return file.read().to_pandas()


READERS: dict[str, Callable[[Path, str], Any]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".txt": _read_csv,
    ".parquet": _read_parquet,
}
