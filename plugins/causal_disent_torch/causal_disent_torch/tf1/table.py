"""The sorted table of keys and values that TensorFlow's checkpoint index is: LevelDB's format, uncompressed.

Data blocks follow each other from the first byte, then come a block of meta data, a block that lists the data
blocks, and a footer that locates these two. No byte is left over, and every one is covered by a checksum or
compared, so that a file with any damage is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import google_crc32c

from causal_disent_torch.tf1.damage import Damaged
from causal_disent_torch.tf1.wire import read_varint

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
    """The keys and values of a table, in order.

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
    """The blocks that the index block lists, and where the last one ends."""
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
    """The checksum CRC-32C as TensorFlow stores it.

    Example:
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    crc = google_crc32c.value(bytes(data))
    return (((crc >> 15) | (crc << 17)) + MASK) & 0xFFFFFFFF


def _block(content: memoryview, location: Location) -> memoryview:
    """The block at `location`, its checksum compared."""
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
