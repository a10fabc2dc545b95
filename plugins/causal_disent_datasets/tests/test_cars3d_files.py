"""Cars3D and MATLAB files."""

import os
import struct
import zlib

import numpy as np
import pytest
import scipy.io
from causal_disent_datasets import cars3d
from causal_disent_datasets.cars3d import Cars3d
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from causal_disent import errors

#: Factors, indices of the images and the next draw, from `RandomState(0)`; by disentanglement_lib.
FACTORS = [[0, 0, 103], [3, 3, 9], [1, 3, 21]]
INDICES = [103, 13734, 4962]
AFTER = 448242


def car_images(seed, side=128):
    small = np.random.RandomState(seed).randint(0, 256, (16, 16, 3, 24, 4), dtype=np.uint8)
    return np.kron(small, np.ones((side // 16, side // 16, 1, 1, 1), dtype=np.uint8))


@pytest.fixture
def cars(root):
    """183 files; all but three are the same, and black."""
    folder = root / "cars"
    folder.mkdir()
    black = folder / "car_000_mesh.mat"
    scipy.io.savemat(black, {"im": np.zeros((64, 64, 3, 24, 4), dtype=np.uint8)}, do_compression=True)
    for car in range(1, 183):
        (folder / f"car_{car:03d}_mesh.mat").write_bytes(black.read_bytes())
    for _, _, car in FACTORS:
        images = {"im": car_images(car), "mask": np.ones((128, 128, 24, 4), dtype=np.uint8)}
        scipy.io.savemat(folder / f"car_{car:03d}_mesh.mat", images, do_compression=car % 2 == 0)
    (folder / "list.txt").write_text("car_000_mesh")
    return folder


def test_draws_and_images_are_those_of_disentanglement_lib(cars):
    random_state = np.random.RandomState(0)
    data = Cars3d()
    factors, images = data.sample(3, random_state)
    assert factors.tolist() == FACTORS and random_state.randint(10**6) == AFTER
    assert data.sample_indices(factors, random_state).tolist() == INDICES
    for image, (elevation, azimuth, car) in zip(images, FACTORS, strict=True):
        picture = Image.fromarray(np.ascontiguousarray(car_images(car)[..., azimuth, elevation]))
        resized = np.asarray(picture.resize((64, 64), Image.Resampling.LANCZOS))
        np.testing.assert_array_equal(image, resized.astype(np.float32) / 255)


def test_a_file_is_read_when_it_is_needed_and_once(cars):
    data = Cars3d()
    (cars / "car_005_mesh.mat").unlink()
    data.pixels(np.array(INDICES))
    for car in (103, 9, 21):
        (cars / f"car_{car:03d}_mesh.mat").unlink()
    assert data.pixels(np.array(INDICES)).any()


def test_a_file_too_few(cars):
    (cars / "car_005_mesh.mat").unlink()
    with pytest.raises(errors.InvalidInput, match=r"should have 183 files \*.mat, and has 182"):
        Cars3d()


def test_small_images_are_refused(cars):
    scipy.io.savemat(cars / "car_103_mesh.mat", {"im": car_images(0, side=32)})
    with pytest.raises(errors.InvalidInput, match="car_103_mesh.mat cannot be used: its images are smaller"):
        Cars3d().pixels(np.array(INDICES))


def test_verify_reads_all(cars):
    assert Cars3d.verify() == [f"{cars}: 183 files with 96 images each"]
    (cars / "car_182_mesh.mat").write_bytes(b"")
    with pytest.raises(errors.InvalidInput, match="car_182_mesh.mat cannot be used"):
        Cars3d.verify()


SHAPE = (6, 5, 3, 2)
ARRAY = np.arange(np.prod(SHAPE), dtype=np.uint8).reshape(SHAPE)


def read(path, max_bytes=10**5):
    return cars3d.read_uint8(path, "im", SHAPE[2:], max_bytes)


@pytest.mark.parametrize("compressed", [True, False])
def test_arrays_are_read(tmp_path, compressed):
    path = tmp_path / "file.mat"
    scipy.io.savemat(path, {"mask": np.zeros(5), "im": ARRAY}, do_compression=compressed)
    np.testing.assert_array_equal(read(path), ARRAY)


def element(content, kind=15):
    return struct.pack("<II", kind, len(content)) + content


def header():
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"


def matrix_with_a_lie():
    """An array that claims shape (6, 5, 3, 2) and numbers of 2 GB."""
    flags = struct.pack("<IIII", 6, 8, 9, 0)
    dims = struct.pack("<II4i", 5, 16, *SHAPE)
    name = struct.pack("<I", 0x20001) + b"im\0\0"
    return element(flags + dims + name + struct.pack("<II", 2, 2**31 - 1) + bytes(100), kind=14)


def matrix_of(*shape):
    """An array that claims a shape, and has the 180 numbers of another."""
    flags = struct.pack("<IIII", 6, 8, 9, 0)
    dims = element(struct.pack(f"<{len(shape)}i", *shape), kind=5)
    return element(flags + dims + struct.pack("<I", 0x20001) + b"im\0\0" + element(bytes(180), kind=2), kind=14)


BAD = {
    "a negative side": (header() + matrix_of(-6, 5, 3, 2), "cannot be used: 'im' should have"),
    "two negative sides": (header() + matrix_of(-6, -5, 3, 2), "cannot be used: 'im' should have"),
    "huge sides": (header() + matrix_of(2**31 - 1, 2**31 - 1, 3, 2), "cannot be used: 'im' should have"),
    "text": (b"hello" * 100, "is not a MATLAB file of version 5 to 7"),
    "empty": (b"", "is not a MATLAB file of version 5 to 7"),
    "version 7.3": (header()[:124] + struct.pack("<H", 0x0200) + b"IM", "is not a MATLAB file of version 5 to 7"),
    "nothing in it": (header(), "should have the array 'im', and has: none"),
    "a bomb": (header() + element(zlib.compress(bytes(10**7))), "unpacks to more than 100,000 bytes"),
    "a bomb in a bomb": (header() + element(zlib.compress(element(zlib.compress(bytes(10**7))))), "not an array"),
    "a lie": (header() + matrix_with_a_lie(), "an element is longer than what is left"),
    "a compressed lie": (header() + element(zlib.compress(matrix_with_a_lie())), "element is longer than"),
    "cut short": (header() + element(bytes(100))[:-1], "it may be cut short"),
    "damaged": (header() + element(b"no zlib stream"), "is not a whole MATLAB file"),
    "something else": (header() + element(bytes(8), kind=9), "something in it that is not an array"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said(tmp_path, case):
    content, message = BAD[case]
    path = tmp_path / "file.mat"
    path.write_bytes(content)
    with pytest.raises(errors.InvalidInput, match=message) as caught:
        read(path)
    assert str(path) in caught.value.message


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"picture": ARRAY}, "should have the array 'im', and has: picture"),
        ({"im": ARRAY[..., 0]}, r"should be uint8 of shape \(height, width, 3, 2\), and is of class 9 and shape"),
        ({"im": ARRAY * 1.0}, "and is of class 6"),
        ({"im": np.array([[{}]], dtype=object)}, "cannot be used"),
    ],
)
def test_other_arrays_are_refused(tmp_path, arrays, message):
    path = tmp_path / "file.mat"
    scipy.io.savemat(path, arrays)
    with pytest.raises(errors.InvalidInput, match=message):
        read(path)


def test_a_large_file_is_not_read(tmp_path):
    path = tmp_path / "file.mat"
    path.write_bytes(header())
    os.truncate(path, 10**9)
    with pytest.raises(errors.InvalidInput, match="is larger than 100,000 bytes"):
        read(path)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), st.lists(st.tuples(st.integers(124, 600), st.integers(0, 255)), min_size=1, max_size=4))
def test_no_damage_makes_more_than_one_kind_of_error(tmp_path, compressed, changes):
    path = tmp_path / "file.mat"
    scipy.io.savemat(path, {"im": ARRAY}, do_compression=compressed)
    content = bytearray(path.read_bytes())
    for place, byte in changes:
        content[place % len(content)] = byte
    path.write_bytes(content)
    try:
        assert read(path).shape[2:] == SHAPE[2:]
    except errors.InvalidInput as error:
        assert str(path) in error.message
