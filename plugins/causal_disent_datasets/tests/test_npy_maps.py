"""An npy file that a stranger may have put into a cache: mapped if it is what was written, and left otherwise."""

import os
import tracemalloc

import fake_files
import numpy as np
import pytest
from causal_disent_datasets.npz import map_npy


def test_what_was_written_is_mapped(tmp_path):
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    np.save(tmp_path / "a.npy", array)
    found = map_npy(tmp_path / "a.npy", "|u1", 2, (3, 4))
    np.testing.assert_array_equal(found, array)
    assert not found.flags.writeable


HEADERS = {
    "more than there is": fake_files.npy_header((2, 3, 10**12)),
    "more images": fake_files.npy_header((10**15, 3, 4)),
    "beyond all numbers": fake_files.npy_header((2**80, 3, 4)),
    "negative": fake_files.npy_header((-2, 3, 4)),
    "two negative": fake_files.npy_header((2, -3, -4)),
    "no axis": fake_files.npy_header(()),
    "floats": fake_files.npy_header((2, 3, 4), "<f8"),
    "objects": fake_files.npy_header((2, 3, 4), "|O"),
    "no end": b"\x93NUMPY\x01\x00\xff\xff{'descr': ",
    "brackets": b"\x93NUMPY\x01\x00\x64\x00" + b"(" * 100,
    "an archive": b"PK\x03\x04",
    "nothing": b"",
}


@pytest.mark.parametrize("case", HEADERS)
@pytest.mark.parametrize("size", [24, 10**12])
def test_another_head_takes_no_memory(tmp_path, case, size):
    path = tmp_path / "a.npy"
    path.write_bytes(HEADERS[case])
    os.truncate(path, len(HEADERS[case]) + size)  # a hole, which takes no room on the disk
    tracemalloc.start()
    try:
        assert map_npy(path, "|u1", 2, (3, 4)) is None
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
