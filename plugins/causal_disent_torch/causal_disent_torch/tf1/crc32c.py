"""CRC-32C, the checksum of TensorFlow's files, over many stretches of the data at once.

The checksum's register is linear in the data: that of two stretches together is that of the first, moved over
as many zero bytes as the second has, plus (exclusive or) that of the second. So stretches of equal length are
worked through side by side in numpy, and joined in pairs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["crc32c", "masked_crc32c"]

#: Castagnoli's polynomial, lowest bit first.
POLYNOMIAL = 0x82F63B78
#: Bytes of a stretch: a power of two.
STRETCH = 64
#: Bytes handled at a time, which bounds the memory: a power of two times `STRETCH`.
PIECE = STRETCH << 16
ALL_ONES = 0xFFFFFFFF
#: TensorFlow stores a checksum turned and moved by this, so that checksums of checksums stay useful.
MASK = 0xA282EAD8

Words = NDArray[np.uint32]


def crc32c(data: bytes | memoryview) -> int:
    """The checksum of `data`.

    Example:
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    content = np.frombuffer(data, dtype=np.uint8)
    if len(content) < 4:
        return _one_by_one(content) ^ ALL_ONES
    # Zeros before the data leave the register at zero, so the piece of another length comes first.
    first = len(content) % PIECE
    first += PIECE if first < 4 else 0
    piece = content[:first].copy()
    piece[:4] ^= 255  # stands for a register that begins as all ones
    register = _register(piece)
    for start in range(first, len(content), PIECE):
        register = _moved(register, _shift(PIECE)) ^ _register(content[start : start + PIECE])
    return int(register[0]) ^ ALL_ONES


def masked_crc32c(data: bytes | memoryview) -> int:
    """The checksum as TensorFlow stores it."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + MASK) & ALL_ONES


def _one_by_one(content: NDArray[np.uint8]) -> int:
    register = ALL_ONES
    for byte in content.tolist():
        register = int(_byte_table()[(register ^ byte) & 255]) ^ (register >> 8)
    return register


def _register(piece: NDArray[np.uint8]) -> Words:
    """The register (1,) after `piece`, from zero."""
    stretches = -(-len(piece) // STRETCH)
    padded = np.zeros(stretches * STRETCH, dtype=np.uint8)
    padded[len(padded) - len(piece) :] = piece
    table, registers = _byte_table(), np.zeros(stretches, dtype=np.uint32)
    for column in np.ascontiguousarray(padded.reshape(stretches, STRETCH).T):
        registers = table[registers.astype(np.uint8) ^ column] ^ (registers >> 8)
    length = STRETCH
    while len(registers) > 1:
        if len(registers) % 2:
            registers = np.concatenate([np.zeros(1, dtype=np.uint32), registers])
        registers = _moved(registers[0::2], _shift(length)) ^ registers[1::2]
        length *= 2
    return registers


@cache
def _byte_table() -> Words:
    """(256,): what the lowest byte of the register becomes as it leaves."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1)
    return table


@cache
def _shift(length: int) -> Words:
    """(4, 256): what each byte of the register contributes after `length` zero bytes, a power of two."""
    if length > 1:
        half = _shift(length // 2)
        return _moved(half, half)
    registers = np.arange(256, dtype=np.uint32) << np.array([[0], [8], [16], [24]], dtype=np.uint32)
    return _byte_table()[registers & 255] ^ (registers >> 8)


def _moved(registers: Words, shift: Words) -> Words:
    """The registers after the zero bytes that `shift` stands for."""
    moved = shift[0][registers & 255]
    for place in (1, 2, 3):
        moved = moved ^ shift[place][(registers >> (8 * place)) & 255]
    return moved
