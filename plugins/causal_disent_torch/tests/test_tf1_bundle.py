"""Variables: what is written comes back, and whatever is damaged is refused."""

import tracemalloc

import numpy as np
import pytest
from causal_disent_torch.tf1.wire import Bundle
from hypothesis import given, settings
from hypothesis import strategies as st
from tf1_writer import (
    bundle_entries,
    entry,
    field,
    header,
    message,
    shape_message,
    slow_crc32c,
    table,
    write_bundle,
)

from causal_disent.errors import InvalidInput

NAMES = st.text("abc/_é", min_size=1, max_size=20)
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
ARRAYS = {
    "decoder/dense/bias": np.arange(3.0, dtype=np.float32),
    "encoder/e1/kernel": np.arange(24.0, dtype=np.float32).reshape(2, 3, 4),
    "step": np.float32(7),
}


def open_bundle(folder):
    return Bundle(folder, "v/variables")


def read(folder):
    bundle = open_bundle(folder)
    return bundle.read(bundle.variables)


def write(folder, entries, data=b""):
    (folder / "v").mkdir(exist_ok=True)
    (folder / "v/variables.index").write_bytes(table(entries))
    (folder / "v/variables.data-00000-of-00001").write_bytes(data)
    return folder


@settings(max_examples=40)
@given(st.dictionaries(NAMES, SHAPES, max_size=6), st.integers(0, 2**31))
def test_what_is_written_comes_back(tmp_path_factory, shapes, seed):
    generator = np.random.RandomState(seed)
    arrays = {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    folder = tmp_path_factory.mktemp("bundle")
    write_bundle(folder / "v", arrays)
    found = read(folder)
    assert found.keys() == arrays.keys()
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)


@pytest.mark.parametrize(("number", "dtype"), [(2, "<f8"), (3, "<i4"), (9, "<i8"), (19, "<f2"), (10, "?")])
def test_other_numbers(tmp_path, number, dtype):
    array = np.array([1, 0, 1]).astype(dtype)
    entries = [(b"", header()), (b"a", entry(array, 0, slow_crc32c(array.tobytes()), dtype=number))]
    found = read(write(tmp_path, entries, array.tobytes()))["a"]
    assert found.dtype == np.dtype(dtype) and found.tolist() == array.tolist()


def test_several_data_files(tmp_path):
    first, second = np.arange(2, dtype=np.float32), np.arange(3, dtype=np.float32)
    entries = [
        (b"", header(num_shards=2)),
        (b"a", entry(first, 0, slow_crc32c(first.tobytes()))),
        (b"b", entry(second, 0, slow_crc32c(second.tobytes()), shard=1)),
    ]
    write(tmp_path, entries)
    (tmp_path / "v/variables.data-00000-of-00002").write_bytes(first.tobytes())
    (tmp_path / "v/variables.data-00001-of-00002").write_bytes(second.tobytes())
    assert read(tmp_path)["b"].tolist() == [0, 1, 2]


def test_every_cut_of_either_file_is_noticed(tmp_path):
    write_bundle(tmp_path / "v", ARRAYS)
    for name in ("variables.index", "variables.data-00000-of-00001"):
        path = tmp_path / "v" / name
        whole = path.read_bytes()
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            with pytest.raises(InvalidInput, match="cannot be used"):
                read(tmp_path)
        path.write_bytes(whole)
    read(tmp_path)


def test_every_flipped_byte_of_either_file_is_noticed(tmp_path):
    write_bundle(tmp_path / "v", ARRAYS)
    for name in ("variables.index", "variables.data-00000-of-00001"):
        path = tmp_path / "v" / name
        whole = path.read_bytes()
        for place in range(len(whole)):
            changed = bytearray(whole)
            changed[place] ^= 1 << place % 8
            path.write_bytes(changed)
            with pytest.raises(InvalidInput, match="cannot be used"):
                read(tmp_path)
        path.write_bytes(whole)


def refusal(folder, entries, data=b""):
    with pytest.raises(InvalidInput) as caught:
        read(write(folder, entries, data))
    return caught.value.message


ONE = np.ones(1, dtype=np.float32)
CRC = slow_crc32c(ONE.tobytes())


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([], "without the header"),
        ([(b"a", b"")], "without the header"),
        ([(b"", header(endianness=1))], "highest byte first"),
        ([(b"", header(num_shards=0))], "claims 0 data files"),
        ([(b"", header(num_shards=2**40))], "data files"),
        ([(b"", header()), (b"\xff", b"")], "not text"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, shard=1))], "data file 1 of 1"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, size=2**60))], "ends at byte"),
        ([(b"", header()), (b"a", entry(ONE, 2**60, CRC))], "ends at byte"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, shape=[2**40, 2**40]))], "cannot take 4 bytes"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, shape=[-1]))], "has the shape"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, shape=[1] * 40))], "has the shape"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, shape=[2]))], "cannot take 4 bytes"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC, dtype=7))], "no plain numbers"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC + 1))], "checksum of the variable 'a'"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC) + field(7, b""))], "stored in slices"),
        ([(b"", header()), (b"a", entry(ONE, 0, CRC)), (b"b", entry(ONE, 0, CRC))], "share their bytes"),
        ([(b"", header()), (b"a", message({2: shape_message([1]), 5: b"xx"}))], "should hold a number"),
    ],
)
def test_claims_that_cannot_be(tmp_path, entries, reason):
    assert reason in refusal(tmp_path, entries, ONE.tobytes())


def test_memory_stays_near_the_size_of_the_files(tmp_path):
    arrays = {f"encoder/layer{i:04d}/kernel": np.ones(64, dtype=np.float32) for i in range(500)}
    entries, data = bundle_entries(arrays)
    size = len(table(entries)) + len(data)
    write(tmp_path, entries, data)
    tracemalloc.start()
    try:
        read(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 12 * size
    finally:
        tracemalloc.stop()


def test_an_unknown_variable_is_named_with_the_nearest(tmp_path):
    write_bundle(tmp_path / "v", ARRAYS)
    with pytest.raises(InvalidInput, match="Did you mean 'encoder/e1/kernel'"):
        open_bundle(tmp_path).read(["encoder/e1/kernels"])


@pytest.mark.parametrize("name", ["v", "v/variables.index", "v/variables.data-00000-of-00001"])
def test_links_are_refused(tmp_path, name):
    write_bundle(tmp_path / "elsewhere", ARRAYS)
    folder = tmp_path / "model"
    write_bundle(folder / "v", ARRAYS)
    path = folder / name
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    with pytest.raises(InvalidInput, match="symbolic link"):
        read(folder)


def test_a_path_upwards_is_refused(tmp_path):
    write_bundle(tmp_path / "v", ARRAYS)
    (tmp_path / "model").mkdir()
    with pytest.raises(InvalidInput, match="leads out"):
        Bundle(tmp_path / "model", "../v/variables")


def test_a_large_index_is_not_read(tmp_path, monkeypatch):
    write_bundle(tmp_path / "v", ARRAYS)
    monkeypatch.setattr("causal_disent_torch.tf1.wire.MAX_INDEX_BYTES", 100)
    with pytest.raises(InvalidInput, match="100 are the most"):
        open_bundle(tmp_path)


def test_a_folder_in_place_of_a_file(tmp_path):
    (tmp_path / "v/variables.index").mkdir(parents=True)
    with pytest.raises(InvalidInput, match="no regular file"):
        open_bundle(tmp_path)
