"""The wire format of protocol buffers."""

import pytest
from causal_disent_torch.tf1.wire import Damaged, Message, read_varint
from hypothesis import given
from hypothesis import strategies as st
from tf1_writer import field, fixed32, message, varint

NUMBERS = st.integers(0, 2**64 - 1)


@given(NUMBERS, st.binary(max_size=5))
def test_numbers_come_back(value, after):
    data = varint(value)
    assert read_varint(memoryview(data + after), 0) == (value, len(data))


@given(NUMBERS, st.text("aé/", max_size=9), st.lists(NUMBERS, max_size=9), st.binary(max_size=9))
def test_fields_come_back(number, text, numbers, data):
    packed = b"".join(map(varint, numbers))
    read = Message(memoryview(message({1: number, 2: text, 3: packed, 4: numbers, 5: data}) + fixed32(6, 77)))
    assert (read.number(1), read.text(2), bytes(read.data(5)), read.fixed32(6)) == (number, text, data, 77)
    assert read.all_numbers(3) == read.all_numbers(4) == numbers


def test_numbers_below_zero():
    assert Message(memoryview(field(1, -1))).signed(1) == -1


def test_what_is_absent_reads_as_nothing():
    read = Message(memoryview(b""))
    assert (read.number(1), read.text(1), list(read.all_text(1)), read.table(1)) == (0, "", [], {})
    assert 1 not in read


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    try:
        read = Message(memoryview(data))
        for number in range(16):
            read.all_numbers(number)
            read.table(number)
    except Damaged:
        pass


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x80", "does not end"),
        (b"\xff" * 10, "does not end"),
        (b"\x08\x80\x00", "more bytes than it needs"),
        (b"\x08" + b"\xff" * 9 + b"\x7f", "does not end"),
        (b"\x0a\x05ab", "claims 5 bytes, and 2 are left"),
        (b"\x0a" + varint(2**62), "are left"),
        (b"\x0d\x00\x00", "claims 4 bytes"),
        (b"\x0b", "kind 3, which is not in use"),
    ],
)
def test_damage_is_named(data, reason):
    with pytest.raises(Damaged, match=reason):
        Message(memoryview(data))


@pytest.mark.parametrize(
    ("data", "read", "reason"),
    [
        (field(1, 5), lambda found: found.data(1), "should hold bytes"),
        (field(1, 5), lambda found: list(found.all_data(1)), "should hold bytes"),
        (field(1, b"x"), lambda found: found.number(1), "should hold a number"),
        (field(1, b"xyz"), lambda found: found.fixed32(1), "four bytes"),
        (field(1, b"\xff"), lambda found: found.text(1), "not text"),
        (field(1, [1, 2]), lambda found: found.number(1), "more than once"),
    ],
)
def test_a_field_of_another_kind_is_refused(data, read, reason):
    with pytest.raises(Damaged, match=reason):
        read(Message(memoryview(data)))


def test_too_many_fields_are_refused(monkeypatch):
    monkeypatch.setattr("causal_disent_torch.tf1.wire.MAX_FIELDS", 10)
    Message(memoryview(field(1, 1) * 10))
    with pytest.raises(Damaged, match="more than 10 fields"):
        Message(memoryview(field(1, 1) * 11))
