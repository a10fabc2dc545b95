"""3D Shapes from npz and h5."""

import mmap
import os
import pickle
import sys

import fake_files
import numpy as np
import pytest
from causal_disent_datasets import shapes3d
from causal_disent_datasets.shapes3d import Shapes3d

from causal_disent import errors

SIZES = (10, 10, 10, 8, 4, 15)
IMAGE = (64, 64, 3)
TOTAL = 480_000
#: Factors, indices of the images and the next draw, from `RandomState(0)`; by disentanglement_lib.
FACTORS = [[5, 3, 3, 4, 0, 10], [0, 7, 5, 7, 0, 1], [3, 9, 2, 6, 0, 6]]
INDICES = [256090, 36421, 188526]
AFTER = 674343
IMAGES = np.random.RandomState(1).randint(0, 256, (3, *IMAGE), dtype=np.uint8)


def write_npz(root, shape):
    path = root / fake_files.SHAPES3D_NPZ
    offset, _ = fake_files.sparse_npz(path, "images", shape)
    fake_files.write_images(path, offset, (TOTAL, *IMAGE), INDICES, IMAGES)


def write_h5(root, **options):
    h5py = pytest.importorskip("h5py")
    path = root / fake_files.SHAPES3D_H5
    path.parent.mkdir()
    with h5py.File(path, "w") as file:
        # Chunks that are never written take no room.
        images = file.create_dataset("images", (TOTAL, *IMAGE), "u1", chunks=(1, *IMAGE), **options)
        for index, image in zip(INDICES, IMAGES, strict=True):
            images[index] = image


WRITERS = {
    "npz": lambda root: write_npz(root, (*SIZES, *IMAGE)),
    "npz with one axis": lambda root: write_npz(root, (TOTAL, *IMAGE)),
    "h5": write_h5,
    "h5 with gzip": lambda root: write_h5(root, compression="gzip", shuffle=True),
}


@pytest.mark.parametrize("written", WRITERS)
def test_draws_are_those_of_disentanglement_lib(root, written):
    WRITERS[written](root)
    random_state = np.random.RandomState(0)
    factors, images = Shapes3d().sample(3, random_state)
    assert factors.tolist() == FACTORS and images.dtype == np.float32
    np.testing.assert_array_equal(images, IMAGES.astype(np.float32) / 255)
    assert random_state.randint(10**6) == AFTER


@pytest.mark.parametrize("written", ["npz", "h5"])
def test_images_may_be_asked_for_in_any_order_and_twice(root, written):
    WRITERS[written](root)
    order = [2, 0, 2, 1]
    images = Shapes3d().pixels(np.array(INDICES)[order])
    np.testing.assert_array_equal(images, IMAGES[order])
    assert Shapes3d().observations(np.array([], dtype=int)).shape == (0, *IMAGE)


def test_npz_comes_first(root):
    write_npz(root, (TOTAL, *IMAGE))
    (root / fake_files.SHAPES3D_H5).write_bytes(b"")
    assert [found for _, found in Shapes3d.locate()] == [True, True]
    Shapes3d()


def test_a_copy_for_another_process_is_small(root):
    write_npz(root, (TOTAL, *IMAGE))
    data = Shapes3d()
    data.pixels(np.array(INDICES))
    copy = pickle.dumps(data)
    assert len(copy) < 10_000
    np.testing.assert_array_equal(pickle.loads(copy).pixels(np.array(INDICES)), IMAGES)


def test_verify_knows_the_published_file(root):
    write_h5(root)
    with pytest.raises(errors.InvalidInput, match="its sha256 is .* the published file is 0a0f6ed98baff276"):
        Shapes3d.verify()


def test_verify_finds_damage_in_the_npz_file(root, monkeypatch):
    monkeypatch.setattr(shapes3d, "VALUES", {"scale": range(3), "shape": range(2)})
    path = root / fake_files.SHAPES3D_NPZ
    path.parent.mkdir()
    np.savez(path, images=np.random.RandomState(0).randint(0, 256, (3, 2, *IMAGE), dtype=np.uint8))
    assert Shapes3d.verify()[-1] == f"{path}: the bytes of 'images' have the archive's checksum"
    content = bytearray(path.read_bytes())
    content[30_000] ^= 1
    path.write_bytes(content)
    with pytest.raises(errors.InvalidInput, match="view-azi.npz cannot be used: .*Bad CRC-32"):
        Shapes3d.verify()


@pytest.fixture
def small_h5(root):
    h5py = pytest.importorskip("h5py")
    array = np.arange(50 * 8 * 8 * 3, dtype=np.uint8).reshape(50, 8, 8, 3)
    path = root / "small.h5"

    def write(name="images", values=array, **options):
        with h5py.File(path, "w") as file:
            file.create_dataset(name, data=values, **options)
        return path

    write.array = array
    return write


def read(path):
    return shapes3d.open_images(path, "images", (50, 8, 8, 3)).array()


def test_chunks_that_cut_images_apart_are_unpacked_once(small_h5, monkeypatch):
    monkeypatch.setattr(shapes3d, "MAX_BYTES_PER_IMAGE", 1000)
    path = small_h5(chunks=(20, 4, 8, 3), compression="gzip")
    np.testing.assert_array_equal(read(path), small_h5.array)
    assert isinstance(read(path).base, mmap.mmap)
    (unpacked_file,) = set(path.parent.iterdir()) - {path}
    np.testing.assert_array_equal(np.load(unpacked_file, allow_pickle=False), small_h5.array)
    monkeypatch.setattr(shapes3d.H5Images, "_unpack", None)
    read(path)


def test_whole_images_are_not_unpacked(small_h5):
    path = small_h5(chunks=(2, 8, 8, 3), compression="lzf")
    assert isinstance(read(path), shapes3d.H5Images)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "pictures"}, "it should have 'images', and has: pictures"),
        ({"values": np.zeros((50, 8, 8, 3))}, "should be uint8 of shape .* and is float64"),
        ({"values": np.zeros((49, 8, 8, 3), dtype=np.uint8)}, r"is uint8 of shape \(49, 8, 8, 3\)"),
    ],
)
def test_what_is_wrong_is_said(small_h5, options, message):
    path = small_h5(**options)
    with pytest.raises(errors.InvalidInput, match=message) as caught:
        read(path)
    assert str(path) in caught.value.message


def test_arrays_elsewhere_are_refused(small_h5):
    h5py = pytest.importorskip("h5py")
    path = small_h5(name="hidden")
    with h5py.File(path, "r+") as file:
        file["images"] = h5py.ExternalLink("/etc/passwd", "/")
    with pytest.raises(errors.InvalidInput, match="it should have 'images'"):
        read(path)
    layout = h5py.VirtualLayout((50, 8, 8, 3), dtype="u1")
    layout[:] = h5py.VirtualSource("other.h5", "images", shape=(50, 8, 8, 3))
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("images", layout)
    with pytest.raises(errors.InvalidInput, match="'images' is not an array inside this file"):
        read(path)
    with h5py.File(path, "w") as file:
        file.create_dataset("images", (50, 8, 8, 3), "u1", external=[("raw", 0, 9600)])
    with pytest.raises(errors.InvalidInput, match="'images' is not an array inside this file"):
        read(path)
    with h5py.File(path, "w") as file:
        file.create_group("images")
    with pytest.raises(errors.InvalidInput, match="'images' is not an array inside this file"):
        read(path)


def test_a_file_that_is_cut_short(small_h5):
    path = small_h5()
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(errors.InvalidInput, match="is not a whole HDF5 file; it may be cut short"):
        read(path)


def test_other_filters_are_refused(small_h5):
    path = small_h5(scaleoffset=4)
    with pytest.raises(errors.InvalidInput, match="by a method other than gzip and lzf"):
        read(path)


def test_without_h5py_it_says_what_to_install(root, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    (root / "3dshapes").mkdir()
    (root / fake_files.SHAPES3D_H5).write_bytes(b"")
    with pytest.raises(errors.InvalidInput, match=r"pip install 'causal-disent-datasets\[h5\]'"):
        Shapes3d()


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ((340_000, 1, 1, 1), "one chunk of 'images' has .*, more than is read at once"),
        ((1000, 32, 32, 3), "'images' declares 5,898,240,000 bytes, and has far fewer"),
    ],
)
def test_memory_and_disk_are_not_taken_for_what_a_small_file_declares(root, chunks, message):
    h5py = pytest.importorskip("h5py")
    path = root / fake_files.SHAPES3D_H5
    path.parent.mkdir()
    with h5py.File(path, "w") as file:
        file.create_dataset("images", (TOTAL, *IMAGE), "u1", chunks=chunks, compression="gzip")
    assert path.stat().st_size < 10_000
    with pytest.raises(errors.InvalidInput, match=message):
        Shapes3d().pixels(np.array([0]))
    assert list(path.parent.iterdir()) == [path]
