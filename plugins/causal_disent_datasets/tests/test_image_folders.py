"""Falcor3D and Isaac3D: folders of numbered PNG files."""

import struct
import zlib

import numpy as np
import pytest
from causal_disent_datasets.image_folders import Falcor3d, Isaac3d
from PIL import Image

from causal_disent import errors


def write(folder, index, pixels, mode="RGB"):
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).convert(mode).save(folder / f"{index:06d}.png")


@pytest.fixture
def falcor(root):
    """The folder, with its last image."""
    folder = root / "Falcor3D/images"
    write(folder, 233_279, np.zeros((128, 128, 3), dtype=np.uint8))
    return folder


def noise(side=128):
    return np.random.RandomState(0).randint(0, 256, (side, side, 3), dtype=np.uint8)


def test_falcor_is_numbered_by_its_factors(falcor):
    factors = np.array([[4, 5, 0, 3, 1, 2, 5]])
    write(falcor, 4 * 46656 + 5 * 7776 + 3 * 216 + 1 * 36 + 2 * 6 + 5, noise())
    images = Falcor3d().sample_observations_from_factors(factors, np.random.RandomState(0))
    np.testing.assert_array_equal(images[0], noise().astype(np.float32) / 255)


def test_isaac_is_numbered_by_its_factors(root):
    folder = root / "Isaac3D/images"
    write(folder, 737_279, np.zeros((128, 128, 3), dtype=np.uint8))
    row = [2, 7, 4, 3, 1, 2, 5, 3, 2]
    bases = [245760, 30720, 6144, 1536, 384, 96, 16, 4, 1]
    write(folder, int(np.dot(row, bases)), noise(), mode="RGBA")
    data = Isaac3d()
    assert data.factors_num_values == [3, 8, 5, 4, 4, 4, 6, 4, 4]
    images = data.sample_observations_from_factors(np.array([row]), np.random.RandomState(0))
    np.testing.assert_array_equal(images[0], noise().astype(np.float32) / 255)


def test_the_small_release_is_found_too(root):
    folder = root / "Falcor3D_down128/images"
    write(folder, 233_279, noise())
    np.testing.assert_array_equal(Falcor3d().pixels(np.array([233_279]))[0], noise())


def test_images_of_full_size_are_made_smaller(falcor):
    large = np.kron(noise(), np.ones((8, 8, 1), dtype=np.uint8))
    write(falcor, 7, large)
    np.testing.assert_array_equal(Falcor3d().pixels(np.array([7]))[0], noise())


def test_an_image_that_is_missing_is_named(falcor):
    with pytest.raises(errors.InvalidInput, match="000003.png cannot be used: it is not there"):
        Falcor3d().pixels(np.array([3]))
    with pytest.raises(errors.InvalidInput, match="000000.png cannot be used: it is not there"):
        Falcor3d.verify()


class Small(Falcor3d):
    """Six images, all of which are opened."""

    values = {"lighting_x": range(3), "camera_x": range(2)}


@pytest.fixture
def small(root):
    folder = root / "Falcor3D/images"
    for index in range(6):
        write(folder, index, noise())
    return folder


def test_verify(small):
    assert Small.verify() == [
        f"{small}: all 6 images are there",
        f"{small}: 6 of them, evenly spaced, are whole and have the right size",
    ]


def test_verify_opens_images(small):
    cut(small / "000004.png")
    with pytest.raises(errors.InvalidInput, match="000004.png cannot be used: it is not a whole picture"):
        Small.verify()
    write(small, 4, noise(64))
    with pytest.raises(errors.InvalidInput, match="000004.png .* of 128x128 or 1024x1024 pixels, and is of 64x64"):
        Small.verify()


def test_verify_counts_images(small):
    write(small, 6, noise())
    with pytest.raises(errors.InvalidInput, match="images cannot be used: it should have 6 images, and has 7"):
        Small.verify()
    (small / "000002.png").unlink()
    with pytest.raises(errors.InvalidInput, match="000002.png cannot be used: it is not there"):
        Small.verify()


def test_an_empty_folder_is_not_found(falcor):
    (falcor / "233279.png").unlink()
    assert not Falcor3d.is_found()
    with pytest.raises(errors.InvalidInput, match="which cannot be found, or is empty"):
        Falcor3d()


def test_a_folder_that_is_not_full(falcor):
    (falcor / "233279.png").rename(falcor / "000000.png")
    with pytest.raises(errors.InvalidInput, match="should have 233,280 images up to 233279.png"):
        Falcor3d()


def png_that_claims(width, height):
    """A few bytes that say they are a huge picture."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    size = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + size + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


def text(path):
    path.write_bytes(b"<html>")


def cut(path):
    Image.fromarray(noise()).save(path, format="PNG")
    path.write_bytes(path.read_bytes()[:500])


BAD = {
    "another size": (
        lambda path: Image.new("RGB", (64, 64)).save(path),
        "of 128x128 or 1024x1024 pixels, and is",
    ),
    "another format": (lambda path: Image.new("RGB", (128, 128)).save(path, format="BMP"), "not a whole picture"),
    "text": (text, "is not a whole picture of the right kind"),
    "cut short": (cut, "is not a whole picture of the right kind"),
    "a bomb": (lambda path: path.write_bytes(png_that_claims(50_000, 50_000)), "more pixels than is safe"),
    "a small bomb": (lambda path: path.write_bytes(png_that_claims(11_000, 11_000)), "more pixels than is safe"),
    "less than it claims": (lambda path: path.write_bytes(png_that_claims(128, 128)), "not a whole picture"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said(falcor, case):
    make, message = BAD[case]
    make(falcor / "000003.png")
    with pytest.raises(errors.InvalidInput, match=message) as caught:
        Falcor3d().pixels(np.array([3]))
    assert "000003.png" in caught.value.message
