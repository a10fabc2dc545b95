"""The checksum, against its published values and its definition."""

import time

import numpy as np
import pytest
from causal_disent_torch.tf1 import crc32c as module
from causal_disent_torch.tf1.crc32c import crc32c, masked_crc32c
from hypothesis import given, settings
from hypothesis import strategies as st
from tf1_writer import masked, slow_crc32c


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # RFC 3720, appendix B.4.
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
        (b"123456789", 0xE3069283),
        (b"", 0),
    ],
)
def test_published_values(data, expected):
    assert crc32c(data) == expected == slow_crc32c(data)


@given(st.binary(max_size=400))
def test_the_definition(data):
    assert crc32c(data) == slow_crc32c(data)
    assert masked_crc32c(memoryview(data)) == masked(slow_crc32c(data))


@pytest.mark.parametrize("length", [255, 256, 257, 511, 512, 513, 1024, 1500])
def test_pieces_are_joined(length, monkeypatch):
    monkeypatch.setattr(module, "PIECE", 256)
    data = np.random.RandomState(length).bytes(length)
    assert crc32c(data) == slow_crc32c(data)


@settings(max_examples=30)
@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_flipped_bit_changes_it(data, draw):
    place = draw.draw(st.integers(0, 8 * len(data) - 1))
    changed = bytearray(data)
    changed[place // 8] ^= 1 << place % 8
    assert crc32c(bytes(changed)) != crc32c(data)


def test_it_is_fast_enough_for_a_checkpoint():
    data = np.random.RandomState(0).bytes(3 * 2**20)
    started = time.process_time()
    crc32c(data)
    # Byte by byte in Python it takes half a second.
    assert time.process_time() - started < 0.25
