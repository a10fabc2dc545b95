"""The variables of a TensorFlow checkpoint: an index table, and the numbers in one file or several beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable
from causal_disent_torch.tf1.damage import Damaged, clear_errors
from causal_disent_torch.tf1.table import masked_crc32c, read_table
from causal_disent_torch.tf1.wire import Message

#: An index takes some fifty bytes for a variable.
MAX_INDEX_BYTES = 8 * 2**20
MAX_SHARDS = 1000
MAX_DIMENSIONS = 8
#: TensorFlow's numbers for the types of plain numbers.
DTYPES = {1: "<f4", 2: "<f8", 3: "<i4", 4: "<u1", 6: "<i1", 9: "<i8", 10: "?", 19: "<f2"}


@dataclass(frozen=True)
class Variable:
    """Where a variable's numbers are.

    Attributes:
        dtype: TensorFlow's number of its type.
        shape: of the array.
        shard: the file that holds it.
        offset: of its first byte there.
        size: in bytes.
        checksum: of these bytes, as TensorFlow stores it.
    """

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int


class Bundle:
    """A checkpoint's variables by name. The index is read and checked at once, numbers when they are asked for.

    Args:
        folder: the folder of the whole checkpoint; no file outside it is read.
        prefix: what the files' names begin with, inside the folder: ``tfhub/variables/variables``.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        self._index = inside(folder, f"{prefix}.index")
        with clear_errors(self._index):
            self.num_shards, self.variables = _read_index(read_bounded(self._index, MAX_INDEX_BYTES))
        count = self.num_shards
        self._shards = [inside(folder, f"{prefix}.data-{shard:05d}-of-{count:05d}") for shard in range(count)]
        self._check_sizes()

    def read(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """The arrays of these variables."""
        return {name: self._read(name) for name in names}

    def _read(self, name: str) -> NDArray[Any]:
        if name not in self.variables:
            raise unusable(self._index, errors.unknown("variable", name, self.variables).message.rstrip("."))
        variable = self.variables[name]
        path = self._shards[variable.shard]
        if variable.dtype not in DTYPES:
            raise unusable(path, f"the variable '{name}' holds no plain numbers")
        dtype = np.dtype(DTYPES[variable.dtype])
        if variable.size != prod(variable.shape) * dtype.itemsize:
            raise unusable(
                path, f"'{name}' of shape {variable.shape} and {dtype} cannot take {variable.size:,} bytes"
            )
        with clear_errors(path), path.open("rb") as file:
            file.seek(variable.offset)
            data = file.read(variable.size)
            if len(data) != variable.size or masked_crc32c(data) != variable.checksum:
                raise Damaged(f"the checksum of the variable '{name}' is wrong")
        return np.frombuffer(data, dtype=dtype).reshape(variable.shape)

    def _check_sizes(self) -> None:
        """No variable ends after its file does, and all together take no more bytes than there are."""
        for shard, path in enumerate(self._shards):
            with clear_errors(path):
                available = path.stat().st_size
            here = {name: variable for name, variable in self.variables.items() if variable.shard == shard}
            for name, variable in here.items():
                end = variable.offset + variable.size
                if end > available:
                    raise unusable(
                        path, f"'{name}' ends at byte {end:,}, and the file has {available:,}; it may be cut short"
                    )
            if sum(variable.size for variable in here.values()) > available:
                raise unusable(path, "variables share their bytes")


def _read_index(data: bytes) -> tuple[int, dict[str, Variable]]:
    """The number of shards and the variables."""
    entries = read_table(data)
    key, header = next(entries, (None, memoryview(b"")))
    if key != b"":
        raise Damaged("it is a table without the header of a checkpoint")
    num_shards = _num_shards(Message(header))
    return num_shards, {_name(key): _variable(Message(value), num_shards) for key, value in entries}


def _num_shards(header: Message) -> int:
    if header.number(2) != 0:
        raise Damaged("its numbers are stored highest byte first; only lowest byte first can be read")
    if not 1 <= header.number(1) <= MAX_SHARDS:
        raise Damaged(f"it claims {header.number(1):,} data files; 1 to {MAX_SHARDS:,} are possible")
    return header.number(1)


def _name(key: bytes) -> str:
    try:
        return key.decode("utf-8")
    except UnicodeDecodeError:
        raise Damaged("the name of a variable is not text") from None


def _variable(entry: Message, num_shards: int) -> Variable:
    if 7 in entry:
        raise Damaged("a variable is stored in slices; only whole ones can be read")
    shape = tuple(dimension.signed(1) for dimension in entry.message(2).all_messages(2))
    if len(shape) > MAX_DIMENSIONS or any(length < 0 for length in shape):
        raise Damaged(f"a variable has the shape {shape[: MAX_DIMENSIONS + 1]}")
    if entry.number(3) >= num_shards:
        raise Damaged(f"a variable is in data file {entry.number(3):,} of {num_shards}")
    return Variable(entry.number(1), shape, entry.number(3), entry.number(4), entry.number(5), entry.fixed32(6))
