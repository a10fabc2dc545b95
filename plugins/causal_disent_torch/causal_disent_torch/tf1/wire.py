"""The wire format of protocol buffers: numbered fields, without their names or types.

A reader says which field it wants and as what. Whatever does not fit is `Damaged`, and nothing is copied.
"""

from __future__ import annotations

from collections.abc import Iterator

from causal_disent_torch.tf1.damage import Damaged

#: The kinds of fields that are in use.
VARINT, EIGHT_BYTES, DELIMITED, FOUR_BYTES = 0, 1, 2, 5
#: Fields of one message and of all that are read in it; disentanglement_lib's graphs have up to 8,000.
MAX_FIELDS = 100_000
MAX_VARINT_BYTES = 10


def read_varint(data: memoryview, position: int) -> tuple[int, int]:
    """The number that begins at `position`, and where it ends.

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
        """A field that holds an unsigned number."""
        value = self._single(field, 0)
        if not isinstance(value, int):
            raise Damaged(f"field {field} should hold a number")
        return value

    def signed(self, field: int) -> int:
        """A field that holds a number which may be below zero."""
        value = self.number(field)
        return value - (1 << 64) if value >= 1 << 63 else value

    def fixed32(self, field: int) -> int:
        """A field that holds four bytes, lowest first."""
        value = self.data(field)
        if len(value) not in (0, 4):
            raise Damaged(f"field {field} should hold four bytes")
        return int.from_bytes(value, "little")

    def data(self, field: int) -> memoryview:
        """A field that holds bytes."""
        value = self._single(field, memoryview(b""))
        if isinstance(value, int):
            raise Damaged(f"field {field} should hold bytes")
        return value

    def text(self, field: int) -> str:
        """A field that holds text."""
        return _text(self.data(field))

    def message(self, field: int) -> Message:
        """A field that holds a message."""
        return Message(self.data(field), self)

    def all_data(self, field: int) -> Iterator[memoryview]:
        """A repeated field of bytes."""
        for value in self._values(field):
            if isinstance(value, int):
                raise Damaged(f"field {field} should hold bytes")
            yield value

    def all_text(self, field: int) -> Iterator[str]:
        """A repeated field of text."""
        return map(_text, self.all_data(field))

    def all_messages(self, field: int) -> Iterator[Message]:
        """A repeated field of messages."""
        return (Message(value, self) for value in self.all_data(field))

    def all_numbers(self, field: int) -> list[int]:
        """A repeated field of numbers, packed or not."""
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
        """A map from text to messages."""
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
