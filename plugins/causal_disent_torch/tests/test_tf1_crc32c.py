"""The checksum, against its published values and its definition."""

import pytest
from causal_disent_torch.tf1.wire import masked_crc32c
from hypothesis import given
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
    assert slow_crc32c(data) == expected
    assert masked_crc32c(data) == masked(expected)


@given(st.binary(max_size=400))
def test_the_definition(data):
    assert masked_crc32c(data) == masked_crc32c(memoryview(data)) == masked(slow_crc32c(data))
