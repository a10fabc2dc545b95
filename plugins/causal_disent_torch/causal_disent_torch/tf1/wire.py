"""The file formats of TensorFlow 1: protocol buffers, sorted tables, and the variables of a checkpoint.

Files may be damaged or hostile: every size is bounded and every checksum compared before anything is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable


class Damaged(Exception):
    """Bytes that break the format they claim to be in; the argument says how."""


class UnknownGraph(errors.NotForThisBackend):
    """A model whose graph is not one of disentanglement_lib's known architectures."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(
            f"The model in {folder} has a graph that cannot be rebuilt without TensorFlow: {reason}. Install the "
            "plugin that runs any graph, with `pip install causal-disent-tf`, and read it with --backend tf."
        )


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Name the file in what is raised while it is read."""
    try:
        yield
    except Damaged as error:
        raise unusable(path, str(error)) from None
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from None


#: The kinds of fields that are in use.
VARINT, EIGHT_BYTES, DELIMITED, FOUR_BYTES = 0, 1, 2, 5
#: Fields of one message and of all that are read in it; disentanglement_lib's graphs have up to 8,000.
MAX_FIELDS = 100_000
MAX_VARINT_BYTES = 10


def read_varint(data: memoryview, position: int) -> tuple[int, int]:
    """Return the number that begins at `position`, and where it ends.

    Example:
        >>> read_varint(memoryview(bytes([0x96, 0x01])), 0)
        (150, 2)
    """
    value = 0
    for place, byte in enumerate(data[position : position + MAX_VARINT_BYTES]):
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            if byte == 0 and place:
                raise Damaged("a number is written with more bytes than it needs")
            if value >= 1 << 64:
                break
            return value, position + place + 1
    raise Damaged("a number does not end where it should")


class Message:
    """One message. A field that is absent reads as 0, empty, or an empty message.

    Fields are found when they are asked for and nothing is kept of them, so that many tiny ones take no memory.

    Args:
        data: the message's bytes.
        parent: the message that this one is a part of; together they may have `MAX_FIELDS` fields.
    """

    __slots__ = ("_data", "_left")

    def __init__(self, data: memoryview, parent: Message | None = None) -> None:
        self._data = data
        self._left: list[int] = [MAX_FIELDS] if parent is None else parent._left
        for _ in _fields(data):
            self._count()

    def __contains__(self, number: int) -> bool:
        return any(True for _ in self._values(number))

    def number(self, field: int) -> int:
        """Return a field that holds an unsigned number."""
        value = self._single(field, 0)
        if not isinstance(value, int):
            raise Damaged(f"field {field} should hold a number")
        return value

    def signed(self, field: int) -> int:
        """Return a field that holds a number which may be below zero."""
        value = self.number(field)
        return value - (1 << 64) if value >= 1 << 63 else value

    def fixed32(self, field: int) -> int:
        """Return a field that holds four bytes, lowest first."""
        value = self.data(field)
        if len(value) not in (0, 4):
            raise Damaged(f"field {field} should hold four bytes")
        return int.from_bytes(value, "little")

    def data(self, field: int) -> memoryview:
        """Return a field that holds bytes."""
        value = self._single(field, memoryview(b""))
        if isinstance(value, int):
            raise Damaged(f"field {field} should hold bytes")
        return value

    def text(self, field: int) -> str:
        """Return a field that holds text."""
        return _text(self.data(field))

    def message(self, field: int) -> Message:
        """Return a field that holds a message."""
        return Message(self.data(field), self)

    def all_data(self, field: int) -> Iterator[memoryview]:
        """Yield a repeated field of bytes."""
        for value in self._values(field):
            if isinstance(value, int):
                raise Damaged(f"field {field} should hold bytes")
            yield value

    def all_text(self, field: int) -> Iterator[str]:
        """Return a repeated field of text."""
        return map(_text, self.all_data(field))

    def all_messages(self, field: int) -> Iterator[Message]:
        """Return a repeated field of messages."""
        return (Message(value, self) for value in self.all_data(field))

    def all_numbers(self, field: int) -> list[int]:
        """Return a repeated field of numbers, packed or not."""
        found: list[int] = []
        for value in self._values(field):
            if isinstance(value, int):
                found.append(value)
                continue
            position = 0
            while position < len(value):
                number, position = read_varint(value, position)
                self._count()
                found.append(number)
        return found

    def table(self, field: int) -> dict[str, Message]:
        """Return a map from text to messages."""
        entries = self.all_messages(field)
        return {entry.text(1): entry.message(2) for entry in entries}

    def _count(self) -> None:
        if not self._left[0]:
            raise Damaged(f"it has more than {MAX_FIELDS:,} fields")
        self._left[0] -= 1

    def _single(self, field: int, default: int | memoryview) -> int | memoryview:
        values = self._values(field)
        value = next(values, default)
        if next(values, None) is not None:
            raise Damaged(f"field {field} is there more than once")
        return value

    def _values(self, field: int) -> Iterator[int | memoryview]:
        return (value for number, value in _fields(self._data) if number == field)


def _text(value: memoryview) -> str:
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError:
        raise Damaged("a name is not text") from None


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield number and content of each field."""
    position = 0
    while position < len(data):
        tag, position = read_varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, position = read_varint(data, position)
            yield number, value
            continue
        if kind == DELIMITED:
            size, position = read_varint(data, position)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            size = 8 if kind == EIGHT_BYTES else 4
        else:
            raise Damaged(f"field {number} is of the kind {kind}, which is not in use")
        if size > len(data) - position:
            raise Damaged(f"field {number} claims {size:,} bytes, and {len(data) - position:,} are left")
        yield number, data[position : position + size]
        position += size


MAGIC = bytes.fromhex("57fb808b247547db")
#: Two locations, padded, and the magic bytes.
FOOTER_BYTES = 48
#: After each block: how it is compressed, and a checksum.
TRAILER_BYTES = 5
UNCOMPRESSED, SNAPPY = 0, 1
MAX_KEY_BYTES = 1024
MAX_ENTRIES = 50_000
#: Keys share beginnings with the key before, so short entries could stand for long keys: a bound on all keys
#: together, in sizes of the file.
MAX_EXPANSION = 16
#: TensorFlow stores a checksum turned and moved by this, so that checksums of checksums stay useful.
MASK = 0xA282EAD8


def read_table(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Yield the keys and values of a table, in order.

    Args:
        data: the whole file.

    Raises:
        Damaged: where the bytes are not such a table.
    """
    content = memoryview(data)
    if len(data) < FOOTER_BYTES or content[-len(MAGIC) :] != MAGIC:
        raise Damaged("it does not end as a checkpoint index does; it may be cut short, or another kind of file")
    meta, index = _footer(content[-FOOTER_BYTES : -len(MAGIC)])
    blocks, end = _data_blocks(content, index)
    if meta[0] != end or index[0] != _end(meta) or _end(index) != len(data) - FOOTER_BYTES:
        raise Damaged("its parts do not fill it")
    _block(content, meta)
    last: bytes | None = None
    count = size = 0
    for key, value in chain.from_iterable(map(_entries, blocks)):
        count, size = count + 1, size + len(key)
        if last is not None and key <= last:
            raise Damaged("its keys are not in order")
        if count > MAX_ENTRIES or size > MAX_EXPANSION * len(data):
            raise Damaged(f"it claims more entries, or longer keys, than {len(data):,} bytes should hold")
        last = key
        yield key, value


Location = tuple[int, int]


def _location(data: memoryview, position: int) -> tuple[Location, int]:
    """Offset and size of a block, and where they end in `data`."""
    offset, position = read_varint(data, position)
    size, position = read_varint(data, position)
    return (offset, size), position


def _footer(data: memoryview) -> tuple[Location, Location]:
    meta, position = _location(data, 0)
    index, position = _location(data, position)
    if any(data[position:]):
        raise Damaged("its footer is not padded with zeros")
    return meta, index


def _end(location: Location) -> int:
    return sum(location) + TRAILER_BYTES


def _data_blocks(content: memoryview, index: Location) -> tuple[list[memoryview], int]:
    """Return the blocks that the index block lists, and where the last one ends."""
    blocks: list[memoryview] = []
    end = 0
    for _, value in _entries(_block(content, index)):
        location, position = _location(value, 0)
        if location[0] != end or position != len(value):
            raise Damaged("its blocks do not follow each other")
        blocks.append(_block(content, location))
        end = _end(location)
    return blocks, end


def masked_crc32c(data: bytes | memoryview) -> int:
    """Return the checksum CRC-32C as TensorFlow stores it.

    Example:
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    crc = google_crc32c.value(bytes(data))
    return (((crc >> 15) | (crc << 17)) + MASK) & 0xFFFFFFFF


def _block(content: memoryview, location: Location) -> memoryview:
    """Return the block at `location`, its checksum compared."""
    offset, size = location
    if _end(location) > len(content) - FOOTER_BYTES:
        raise Damaged(f"a block of {size:,} bytes at {offset:,} does not fit in {len(content):,} bytes")
    end = offset + size
    checksum = int.from_bytes(content[end + 1 : end + TRAILER_BYTES], "little")
    if masked_crc32c(content[offset : end + 1]) != checksum:
        raise Damaged(f"the checksum of the block at {offset:,} is wrong")
    compression = content[end]
    if compression != UNCOMPRESSED:
        way = "by snappy" if compression == SNAPPY else f"in an unknown way ({compression})"
        raise Damaged(f"a block is compressed {way}; TensorFlow writes checkpoint indices uncompressed")
    return content[offset:end]


def _entries(block: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Keys and values of a block; it ends with a list of places that a search would start from."""
    if len(block) < 4:
        raise Damaged("a block is too short")
    num_places = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (num_places + 1)
    if end < 0:
        raise Damaged(f"a block claims {num_places:,} search places, and has {len(block):,} bytes")
    key, position = b"", 0
    while position < end:
        shared, position = read_varint(block[:end], position)
        added, position = read_varint(block[:end], position)
        size, position = read_varint(block[:end], position)
        if shared > len(key) or added + size > end - position:
            raise Damaged("an entry does not fit in its block")
        if shared + added > MAX_KEY_BYTES:
            raise Damaged(f"a key has more than {MAX_KEY_BYTES:,} bytes")
        key = key[:shared] + bytes(block[position : position + added])
        position += added + size
        yield key, block[position - size : position]


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
        """Return the arrays of these variables."""
        return {name: self._read(name) for name in names}

    def _read(self, name: str) -> NDArray[Any]:
        """Read one variable, its checksum compared."""
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
    """Return the number of shards and the variables."""
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
    """Read where a variable is."""
    if 7 in entry:
        raise Damaged("a variable is stored in slices; only whole ones can be read")
    shape = tuple(dimension.signed(1) for dimension in entry.message(2).all_messages(2))
    if len(shape) > MAX_DIMENSIONS or any(length < 0 for length in shape):
        raise Damaged(f"a variable has the shape {shape[: MAX_DIMENSIONS + 1]}")
    if entry.number(3) >= num_shards:
        raise Damaged(f"a variable is in data file {entry.number(3):,} of {num_shards}")
    return Variable(entry.number(1), shape, entry.number(3), entry.number(4), entry.number(5), entry.fixed32(6))
