"""The index table: what is written comes back, and whatever is damaged is refused."""

import os
import struct
import tracemalloc
from pathlib import Path

import pytest
from causal_disent_torch.tf1.wire import FOOTER_BYTES, MAX_EXPANSION, Damaged, read_table
from hypothesis import given, settings
from hypothesis import strategies as st
from tf1_writer import MAGIC, block, bundle_entries, finished, sealed, table, varint

SHARED = (
    Path(os.environ.get("CAUSAL_DISENT_SHARED", Path(__file__).parents[4] / "shared"))
    / "checkpoints/dlib_beta_vae"
)
ENTRIES = st.dictionaries(st.binary(max_size=40), st.binary(max_size=30), max_size=60).map(
    lambda found: sorted(found.items())
)


def read(data):
    return [(key, bytes(value)) for key, value in read_table(data)]


@given(ENTRIES, st.integers(1, 300))
def test_what_is_written_comes_back(entries, block_size):
    assert read(table(entries, block_size)) == entries


def small_table():
    """A table of two blocks, with shared beginnings of keys."""
    names = ["", "decoder/dense/bias", "decoder/dense/kernel", "encoder/e1/bias", "encoder/e1/kernel"]
    return table([(name.encode(), b"v" * (5 + len(name))) for name in names], block_size=40)


def refused(data):
    """Whether reading ends in `Damaged`; any other error is a failure of the test."""
    try:
        read(data)
    except Damaged:
        return True
    return False


def test_every_cut_is_noticed():
    data = small_table()
    assert not refused(data)
    assert [length for length in range(len(data)) if not refused(data[:length])] == []


def test_every_flipped_byte_is_noticed():
    data = small_table()
    for place in range(len(data)):
        for change in (1, 16, 128):
            changed = bytearray(data)
            changed[place] ^= change
            assert refused(bytes(changed)), (place, change)


@given(st.data())
def test_bytes_added_or_lost_inside_are_noticed(draw):
    data = small_table()
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, len(data)))
    added = draw.draw(st.binary(max_size=8))
    changed = data[:start] + added + data[end:]
    assert changed == data or refused(changed)


@given(st.binary(max_size=300))
def test_other_files_are_refused(data):
    assert refused(data) and refused(data + MAGIC) and refused(data.ljust(FOOTER_BYTES, b"\0") + MAGIC)


def with_block(contents):
    """A table whose one data block holds these bytes, with a right checksum."""
    written = sealed(contents)
    index = block([(b"k", varint(0) + varint(len(written) - 5))])
    return finished(written, block([]), index)


HUGE = 2**62
#: Each is well formed and has right checksums, and claims more than there is.
LIARS = {
    "key length": with_block(varint(0) + varint(HUGE) + varint(1) + b"k" + struct.pack("<2I", 0, 1)),
    "value length": with_block(varint(0) + varint(1) + varint(HUGE) + b"k" + struct.pack("<2I", 0, 1)),
    "shared length": with_block(varint(HUGE) + varint(1) + varint(0) + b"k" + struct.pack("<2I", 0, 1)),
    "search places": with_block(struct.pack("<I", 2**32 - 1)),
    "no search places": with_block(b""),
    "block size": finished(block([]), block([]), block([(b"k", varint(0) + varint(HUGE))])),
    "block offset": finished(block([]), block([]), block([(b"k", varint(HUGE) + varint(8))])),
    "index size": small_table()[:-48] + (varint(0) * 2 + varint(0) + varint(HUGE)).ljust(40, b"\0") + MAGIC,
    "index location": finished(block([]), block([]), block([(b"k", varint(0))])),
}


@pytest.mark.parametrize("data", LIARS.values(), ids=LIARS)
def test_huge_claims_are_refused_without_memory(data):
    tracemalloc.start()
    try:
        assert refused(data)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_short_entries_cannot_stand_for_long_keys():
    # Each key is the one before and one byte more: the keys together grow with the square of the file.
    entries = [(b"a" * length, b"") for length in range(1000)]
    data = table(entries, restart_interval=10_000)
    assert sum(len(key) for key, _ in entries) > MAX_EXPANSION * len(data)
    with pytest.raises(Damaged, match="longer keys"):
        read(data)


def test_memory_stays_near_the_size_of_the_file():
    data = table([(f"name{i:05d}".encode(), b"value") for i in range(2000)])
    tracemalloc.start()
    try:
        for _ in read_table(data):
            pass
        assert tracemalloc.get_traced_memory()[1] < 20 * len(data)
    finally:
        tracemalloc.stop()


def test_keys_out_of_order_are_refused():
    with pytest.raises(Damaged, match="not in order"):
        read(table([(b"b", b""), (b"a", b"")]))
    with pytest.raises(Damaged, match="not in order"):
        read(table([(b"a", b""), (b"a", b"")]))


def test_too_many_entries_are_refused(monkeypatch):
    monkeypatch.setattr("causal_disent_torch.tf1.wire.MAX_ENTRIES", 3)
    with pytest.raises(Damaged, match="more entries"):
        read(table([(bytes([i]), b"") for i in range(4)]))


@pytest.mark.parametrize(("compression", "way"), [(1, "by snappy"), (2, r"in an unknown way \(2\)")])
def test_compressed_blocks_are_refused_with_the_reason(compression, way):
    with pytest.raises(Damaged, match=f"compressed {way}"):
        read(table([(b"a", b"b")], compression=compression))


@settings(deadline=None)
@given(st.data())
def test_a_table_over_blocks_that_overlap_is_refused(draw):
    written = block([(b"a", b"b")])
    offset = draw.draw(st.integers(0, len(written)))
    index = block([(b"a", varint(0) + varint(len(written) - 5)), (b"b", varint(offset) + varint(3))])
    assert refused(finished(written, block([]), index))


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the environment variable CAUSAL_DISENT_SHARED names no folder with it"
)
@pytest.mark.parametrize("part", ["model", "representation"])
def test_the_writer_of_these_tests_writes_what_tensorflow_writes(part):
    from causal_disent_torch.tf1.wire import Bundle
    from google_crc32c import value as crc32c

    bundle = Bundle(SHARED / part, "tfhub/variables/variables")
    entries, data = bundle_entries(bundle.read(bundle.variables), crc32c)
    folder = SHARED / part / "tfhub/variables"
    assert data == (folder / "variables.data-00000-of-00001").read_bytes()
    # TensorFlow names the end of a table by a key between the last one and none.
    assert (
        table(entries, separators=[b"f" if part == "model" else b"n"]) == (folder / "variables.index").read_bytes()
    )
