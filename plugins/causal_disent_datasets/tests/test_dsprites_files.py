"""dSprites and its relatives. Numbers called frozen were drawn by disentanglement_lib's own classes."""

import zipfile

import fake_files
import numpy as np
import pytest
from causal_disent_datasets.dsprites import (
    ColorDsprites,
    DspritesFull,
    DspritesNoshape,
    NoisyDsprites,
    ScreamDsprites,
    SpriteFile,
)
from PIL import Image

from causal_disent import errors
from causal_disent.data.view import view
from causal_disent.protocols import is_finite

TOTAL = 737_280
FACTORS = [[0, 3, 39, 21, 23], [1, 3, 9, 18, 6], [0, 3, 19, 4, 24]]
#: Class -> factors, indices of the images, and the next draw, all from `RandomState(0)`; frozen.
FROZEN = {
    DspritesFull: (FACTORS, [163511, 378438, 142488], 170584),
    DspritesNoshape: ([[4, 3, 9, 18], [5, 3, 19, 4], [0, 39, 21, 23]], [658738, 208484, 40631], 839052),
}
#: Class -> the third image's pixel (25, 30), in the sprite, and (40, 50), outside, and the next draw; frozen.
FROZEN_DECORATED = {
    ColorDsprites: ([0.535518, 0.543565, 0.510109], [0, 0, 0], 430835),
    NoisyDsprites: ([1, 1, 1], [0.372103, 0.748366, 0.453405], 50229),
    ScreamDsprites: ([0.141030, 0.547472, 0.180643], [0.737401, 0.330960, 0.697789], 942179),
}


def sprite_images(indices):
    """A square, and the index in bits above it."""
    images = np.zeros((len(indices), 64, 64), dtype=np.uint8)
    images[:, 20:30, 20:40] = 1
    images[:, 3, 5:25] = fake_files.bits(indices)
    return images


@pytest.fixture
def files(root):
    """The file of dSprites, empty but for the images that the tests ask for, and a picture."""
    path = root / fake_files.DSPRITES
    place = fake_files.sparse_npz(path, "imgs", (TOTAL, 64, 64))
    for _, indices, _ in FROZEN.values():
        fake_files.write_images(path, *place, indices, sprite_images(indices))
    write_picture(root, (np.arange(100 * 120 * 3) % 251).reshape(100, 120, 3))
    return root


def write_picture(root, pixels):
    (root / "scream").mkdir(exist_ok=True)
    # Pillow goes by the content; a JPEG would not keep the numbers.
    Image.fromarray(pixels.astype(np.uint8)).save(root / "scream/scream.jpg", format="PNG")


@pytest.mark.parametrize("data_class", FROZEN)
def test_draws_are_those_of_disentanglement_lib(files, data_class):
    factors, indices, after = FROZEN[data_class]
    random_state = np.random.RandomState(0)
    drawn, images = data_class().sample(3, random_state)
    assert drawn.tolist() == factors
    np.testing.assert_array_equal(images[..., 0], sprite_images(indices))
    assert images.dtype == np.float32
    assert random_state.randint(10**6) == after


@pytest.mark.parametrize("data_class", FROZEN_DECORATED)
def test_what_is_added_is_drawn_as_in_disentanglement_lib(files, data_class):
    inside, outside, after = FROZEN_DECORATED[data_class]
    random_state = np.random.RandomState(0)
    data = data_class()
    factors, images = data.sample(3, random_state)
    assert factors.tolist() == FACTORS
    np.testing.assert_allclose(images[2, 25, 30], inside, atol=1e-6)
    np.testing.assert_allclose(images[2, 40, 50], outside, atol=1e-6)
    assert random_state.randint(10**6) == after
    assert images.dtype == np.float32 and not is_finite(data)


def test_confounding(files):
    # square 2*13*11*11, ellipse 2*13*10*10, heart 2*14*11*11
    data = view(DspritesFull(), confounding="dsprites_confounded")
    assert len(data.factor_table) == 9134 and data.factor_names == ("shape", "scale", "orientation", "x", "y")
    decorated = view(ColorDsprites(), confounding="dsprites_confounded")
    factors = decorated.sample_factors(50, np.random.RandomState(0))
    assert (factors[:, 1] // 2 == factors[:, 0]).all()


def test_the_pickled_metadata_is_not_touched(root, monkeypatch):
    path = root / fake_files.DSPRITES
    fake_files.sparse_npz(path, "imgs", (TOTAL, 64, 64))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("metadata.npy", fake_files.npy_bytes(np.array({}, dtype=object), allow_pickle=True))
    opened = []
    really_open = zipfile.ZipFile.open
    monkeypatch.setattr(
        zipfile.ZipFile, "open", lambda self, name, *rest: opened.append(name) or really_open(self, name, *rest)
    )
    DspritesFull().sample(2, np.random.RandomState(0))
    assert [entry.filename for entry in opened] == ["imgs.npy"]


def test_labels_out_of_order_are_found(root):
    rows = np.stack(np.unravel_index(np.arange(TOTAL), (1, 3, 6, 40, 32, 32)), axis=1)
    fake_files.sparse_npz(root / fake_files.DSPRITES, "imgs", (TOTAL, 64, 64))
    data = SpriteFile()
    np.savez(root / fake_files.DSPRITES, latents_classes=rows)
    assert "in the order of the factors" in data.check_labels()
    np.savez(root / fake_files.DSPRITES, latents_classes=rows[::-1].copy())
    with pytest.raises(errors.InvalidInput, match="its images are in another order"):
        data.check_labels()


def test_a_picture_that_is_too_small(files):
    write_picture(files, np.zeros((64, 100, 3)))
    with pytest.raises(errors.InvalidInput, match="scream.jpg cannot be used: .* more than 64 pixels"):
        ScreamDsprites()


def test_a_picture_that_is_no_picture(files):
    (files / "scream/scream.jpg").write_bytes(b"<html>")
    with pytest.raises(errors.InvalidInput, match="scream.jpg cannot be used: it is not a whole picture"):
        ScreamDsprites()


@pytest.mark.parametrize("limit", [100 * 120 - 1, 100 * 120 // 2 - 1])
def test_a_picture_that_unpacks_to_too_much(files, monkeypatch, limit):
    # Pillow warns above the limit, and raises above twice the limit.
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
    with pytest.raises(errors.InvalidInput, match="it unpacks to more pixels than is safe"):
        ScreamDsprites()
