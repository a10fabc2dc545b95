"""Files of data sets: links, pipes, arrays in npy and npz files, whole, damaged or hostile."""

import io
import mmap
import os
import struct
import tracemalloc
import zipfile
from collections import namedtuple
from pathlib import Path

import fake_files
import numpy as np
import pytest
from causal_disent_datasets import files, npz
from causal_disent_datasets.cars3d import Cars3d, _matrices
from causal_disent_datasets.dsprites import DspritesFull
from causal_disent_datasets.files import check_digest, map_array
from causal_disent_datasets.npz import map_npy, open_member
from causal_disent_datasets.pictures import read_rgb
from causal_disent_datasets.shapes3d import _dataset
from causal_disent_datasets.smallnorb import map_matrix
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from causal_disent import errors


def test_a_link_to_a_data_sets_folder_is_followed_and_one_in_it_only_if_it_is_named(root, monkeypatch):
    outside = root.parent / "outside"
    (outside / "cars").mkdir(parents=True)
    (outside / "cars" / "car.mat").touch()
    (root / "cars").symlink_to(outside / "cars")
    assert Cars3d.publication.find() == [root / "cars"]
    (root / "dsprites").mkdir()
    file = root / DspritesFull.publication.files[0]
    (outside / "file").touch()
    file.symlink_to(outside / "file")
    with pytest.raises(errors.InvalidInput, match=f"that leaves {file.parent}.*CAUSAL_DISENT_LINKS={outside}"):
        DspritesFull.publication.find()
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", str(outside))
    assert DspritesFull.publication.find() == [file]


@pytest.mark.parametrize(
    "read",
    [
        lambda path: map_matrix(path, (2, 2), "|u1"),
        lambda path: check_digest(path, "md5:0"),
        lambda path: _dataset(path, "images").__enter__(),
        lambda path: map_array(path, "u1", (1,), 0),
        lambda path: list(_matrices(path, 100)),
        lambda path: open_member(path, "imgs", [(1,)]),
        lambda path: read_rgb(path, formats=["PNG"], sizes=[(2, 2)], side=2),
    ],
    ids=["binary", "digest", "h5", "map", "mat", "npz", "picture"],
)
def test_a_pipe_is_refused(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(errors.InvalidInput, match="pipe cannot be used: it is .* no file|pipe cannot be used"):
        read(Path(tmp_path / "pipe"))


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


ARRAY = np.arange(5 * 4 * 4, dtype=np.uint8).reshape(5, 4, 4)
SHAPE = ARRAY.shape


@pytest.fixture
def path(root):
    return root / "small.npz"


def read(path, shape=SHAPE):
    return npz.open_member(path, "imgs", [shape]).array()


def test_an_array_that_is_not_compressed_is_mapped_where_it_is(path):
    np.savez(path, other=np.zeros(3), imgs=ARRAY)
    array = read(path)
    assert isinstance(array.base, mmap.mmap) and not array.flags.writeable
    np.testing.assert_array_equal(array, ARRAY)
    assert [file.name for file in path.parent.iterdir()] == ["small.npz"]


def test_a_compressed_array_is_unpacked_once(path, monkeypatch):
    np.savez_compressed(path, imgs=ARRAY)
    np.testing.assert_array_equal(read(path), ARRAY)
    (unpacked_file,) = set(path.parent.iterdir()) - {path}
    assert unpacked_file.name.startswith("small.imgs.") and unpacked_file.suffix == ".npy"
    np.testing.assert_array_equal(np.load(unpacked_file, allow_pickle=False), ARRAY)
    monkeypatch.setattr(npz.Member, "_unpack", None)
    np.testing.assert_array_equal(read(path), ARRAY)


def test_another_file_of_the_same_name_is_unpacked_anew(path):
    np.savez_compressed(path, imgs=ARRAY)
    read(path)
    np.savez_compressed(path, imgs=ARRAY + 1)
    np.testing.assert_array_equal(read(path), ARRAY + 1)


def test_where_the_folder_cannot_be_written_to_the_cache_is_used(path, tmp_path, monkeypatch):
    np.savez_compressed(path, imgs=ARRAY)
    monkeypatch.setattr(files.os, "access", lambda folder, mode: folder != path.parent)
    np.testing.assert_array_equal(read(path), ARRAY)
    assert list(path.parent.iterdir()) == [path]
    assert len(list((tmp_path / "cache/causal_disent").iterdir())) == 1


def test_too_little_room_is_an_error(path, monkeypatch):
    np.savez_compressed(path, imgs=ARRAY)
    usage = namedtuple("Usage", "free")
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: usage(10))
    with pytest.raises(errors.InvalidInput, match="has room for 0.0 GB. XDG_CACHE_HOME sets"):
        read(path)


def test_opening_reads_no_number(path):
    shape = (100_000, 64, 64)
    fake_files.sparse_npz(path, "imgs", shape)
    member = npz.open_member(path, "imgs", [shape])
    assert member.shape == shape and member.array()[99_999].sum() == 0


def member_of(content, **options):
    return lambda path: fake_files.raw_npz(path, {"imgs": content}, **options)


def cut_short(path):
    np.savez(path, imgs=ARRAY)
    os.truncate(path, path.stat().st_size // 2)


def encrypted(path):
    np.savez(path, imgs=ARRAY)
    content = bytearray(path.read_bytes())
    for signature, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(signature) + place] |= 1
    path.write_bytes(content)


def damaged_inside(path):
    np.savez_compressed(path, imgs=ARRAY)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 16] ^= 0xFF  # the checksum, which then does not fit the numbers
    path.write_bytes(content)


BAD = {
    "not a zip file": (lambda path: path.write_bytes(b"<html>404</html>"), "is not a whole npz file"),
    "empty": (lambda path: path.write_bytes(b""), "is not a whole npz file"),
    "cut short": (cut_short, "is not a whole npz file; it may be cut short"),
    "another array": (lambda path: np.savez(path, images=ARRAY), "should have one array 'imgs', and has 0"),
    "another shape": (lambda path: np.savez(path, imgs=ARRAY[:4]), r"should be uint8 of shape \(5, 4, 4\), and"),
    "another type": (lambda path: np.savez(path, imgs=ARRAY * 1.0), "and is float64 of shape"),
    "pickled": (lambda path: np.savez(path, imgs=np.array([{}], dtype=object)), "'imgs' is pickled; pickles can"),
    "Fortran order": (lambda path: np.savez(path, imgs=np.asfortranarray(ARRAY)), "is in Fortran order"),
    "too few numbers": (member_of(fake_files.npy_header(SHAPE) + b"x" * 9), "the archive has"),
    "a bomb": (member_of(fake_files.npy_header(SHAPE) + bytes(10**7)), "should take 208 bytes, and the archive"),
    "a huge header": (member_of(b"\x93NUMPY\2\0\xff\xff\xff\x7f" + b" " * 10**6), "it is damaged"),
    "no header": (member_of(b"nothing"), "it is damaged"),
    "version 3": (member_of(b"\x93NUMPY\3\0" + b" " * 100), "has version"),
    "another method": (member_of(fake_files.npy_bytes(ARRAY), compression=zipfile.ZIP_BZIP2), "does not write"),
    "encrypted": (encrypted, "'imgs' is encrypted"),
    "damaged inside": (damaged_inside, "may be cut short .Bad CRC-32"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said(path, case):
    write, message = BAD[case]
    write(path)
    with pytest.raises(errors.InvalidInput, match=message) as caught:
        read(path)
    assert str(path) in caught.value.message
    assert [file.name for file in path.parent.iterdir()] == ["small.npz"]


def claim_more(path):
    """A member that says it is longer than what comes out of it."""
    raw = fake_files.npy_bytes(ARRAY)
    fake_files.raw_npz(path, {"imgs": raw[:-9]})
    content = path.read_bytes()
    old, new = (struct.pack("<I", length) for length in (len(raw) - 9, len(raw)))
    path.write_bytes(content.replace(old, new))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_bytes_that_are_whole(path, save):
    save(path, imgs=ARRAY)
    line = npz.open_member(path, "imgs", [SHAPE]).check_bytes()
    assert line == f"{path}: the bytes of 'imgs' have the archive's checksum"
    assert list(path.parent.iterdir()) == [path]  # nothing is unpacked


def test_bytes_that_were_changed(path, monkeypatch):
    monkeypatch.setattr(npz, "CHUNK", 1000)
    array = np.arange(10_000, dtype=np.uint8)
    np.savez(path, imgs=array)
    content = bytearray(path.read_bytes())
    content[8000] ^= 1
    path.write_bytes(content)
    member = npz.open_member(path, "imgs", [array.shape])
    assert (member.array() != array).sum() == 1  # opening does not see it
    with pytest.raises(errors.InvalidInput, match="small.npz cannot be used: .*Bad CRC-32 for file 'imgs.npy'"):
        member.check_bytes()


def test_fewer_bytes_than_the_archive_says(path):
    claim_more(path)
    member = npz.open_member(path, "imgs", [SHAPE])
    with pytest.raises(errors.InvalidInput, match="208 bytes should come out of it, and 199 do"):
        member.check_bytes()


def test_two_members_of_one_name(path):
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "w") as archive:
        for _ in range(2):
            archive.writestr("imgs.npy", fake_files.npy_bytes(ARRAY))
    with pytest.raises(errors.InvalidInput, match="should have one array 'imgs', and has 2"):
        read(path)


def whole_files():
    for save in (np.savez, np.savez_compressed):
        stream = io.BytesIO()
        save(stream, imgs=ARRAY)
        yield stream.getvalue()


WHOLE = list(whole_files())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(WHOLE),
    st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 255)), min_size=1, max_size=4),
    st.integers(0, 10**4),
)
def test_no_damage_makes_more_than_one_kind_of_error(path, whole, changes, length):
    content = bytearray(whole)
    for place, byte in changes:
        content[place % len(content)] = byte
    path.write_bytes(content[: max(1, length % (2 * len(content)))])
    try:
        array = read(path)
    except errors.InvalidInput as error:
        assert str(path) in error.message
    else:
        assert array.shape == SHAPE and array.dtype == np.uint8
