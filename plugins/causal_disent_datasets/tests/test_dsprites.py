"""dSprites, read from files and drawn by formula."""

import os
import zipfile
from pathlib import Path

import fake_files
import numpy as np
import pytest
from causal_disent_datasets.dsprites import (
    ColorDsprites,
    DspritesFull,
    DspritesNoshape,
    DspritesRegenerated,
    NoisyDsprites,
    ScreamDsprites,
    SpriteFile,
    draw_sprites,
)
from hypothesis import given
from hypothesis import strategies as st
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


#: Frames of the animation that is published with dSprites, (n, 64, 64), which are not part of the project.
REAL_FRAMES = (
    Path(os.environ.get("CAUSAL_DISENT_SHARED", Path(__file__).parents[4] / "shared")) / "data/dsprites_frames.npz"
)
WINDOW = 40

factor_rows = st.tuples(*(st.integers(0, size - 1) for size in (3, 6, 40, 32, 32)))


def draw(*row):
    return draw_sprites(np.array([row]))[0]


def centroids(images):
    """(n, 2): column and row, in pixels from the top left corner."""
    places = np.arange(images.shape[-1]) + 0.5
    area = images.sum(axis=(1, 2))
    return np.stack([(images.sum(axis=axis) @ places) / area for axis in (1, 2)], axis=1)


@given(factor_rows)
def test_a_sprite_is_inside_the_image_and_half_a_turn_is_a_full_turn_away(row):
    image = draw(*row)
    assert 25 <= image.sum() <= 410
    assert not image[[0, -1]].any() and not image[:, [0, -1]].any()
    shape, scale, _, x, y = row
    np.testing.assert_array_equal(draw(shape, scale, 0, x, y), draw(shape, scale, 39, x, y))


@given(factor_rows)
def test_the_place_of_squares_and_ellipses_is_their_centre(row):
    shape, scale, orientation, x, y = row
    column, line = centroids(draw(shape % 2, scale, orientation, x, y)[None])[0]
    assert abs(column - (16 + 32 * x / 31)) < 0.7 and abs(line - (16 + 32 * y / 31)) < 0.7


def test_areas_grow_with_the_scale():
    for shape, unit in ((0, 4 * 9.6**2), (1, np.pi * 12.75 * 7.25)):
        for scale in range(6):
            areas = [draw(shape, scale, orientation, 3, 5).sum() for orientation in range(39)]
            assert np.mean(areas) == pytest.approx(unit * (0.5 + 0.1 * scale) ** 2, rel=0.02)


def test_orientations_turn_to_the_left():
    # The long side of an ellipse lies flat, then its right end rises.
    image = draw(1, 5, 4, 16, 16)
    rows, columns = np.nonzero(image)
    assert rows[columns.argmax()] < 32 < rows[columns.argmin()]


def test_the_heart_stands_upright():
    image = draw(2, 5, 0, 16, 16)
    np.testing.assert_array_equal(np.diff(np.flatnonzero(image.any(axis=1))), 1)
    widths = image.sum(axis=1)
    assert widths[widths > 0][-1] <= 2 < widths[widths > 0][0]


def test_the_data_set_is_like_dsprites():
    data = DspritesRegenerated()
    factors, images = data.sample(3, np.random.RandomState(0))
    # Frozen: the draws of disentanglement_lib's class for dSprites.
    assert factors.tolist() == [[0, 3, 39, 21, 23], [1, 3, 9, 18, 6], [0, 3, 19, 4, 24]]
    np.testing.assert_array_equal(images[..., 0], draw_sprites(factors))
    assert set(np.unique(images)) == {0, 1} and images.dtype == np.float32
    assert len(view(data, confounding="dsprites_confounded").factor_table) == 9134


class BestMatch:
    """Finds the drawn sprite that overlaps most with a frame.

    Every shape, scale and orientation is drawn once and laid centroid on centroid; the best few are then drawn
    at the places that fit.
    """

    def __init__(self, candidates=8):
        grids = np.meshgrid(np.arange(3), np.arange(6), np.arange(39), indexing="ij")
        self.poses = np.stack(grids, axis=-1).reshape(-1, 3)
        place = np.zeros((len(self.poses), 2), dtype=int)
        drawn = draw_sprites(np.concatenate([self.poses, place], axis=1))
        self.offsets = centroids(drawn) - 16
        self.windows = centred(drawn).reshape(len(drawn), -1).astype(np.float32)
        self.candidates = candidates

    def overlaps(self, frames):
        """Intersection over union with the best sprite, for each frame."""
        windows = centred(frames).reshape(len(frames), -1).astype(np.float32)
        shared = windows @ self.windows.T
        areas = np.add.outer(windows.sum(axis=1), self.windows.sum(axis=1))
        best = np.argsort(-shared / (areas - shared), axis=1)[:, : self.candidates]
        return [self._overlap(*pair) for pair in zip(frames, best, strict=True)]

    def _overlap(self, frame, candidates):
        middle = (centroids(frame[None]) - self.offsets[candidates] - 16) * 31 / 32
        steps = np.stack(np.meshgrid((-1, 0, 1), (-1, 0, 1)), axis=-1).reshape(-1, 2)
        places = np.clip(np.rint(middle)[:, None] + steps, 0, 31)
        poses = np.broadcast_to(self.poses[candidates][:, None], (*places.shape[:2], 3))
        drawn = draw_sprites(np.concatenate([poses, places], axis=2).reshape(-1, 5).astype(int))
        return ((drawn & frame).sum(axis=(1, 2)) / (drawn | frame).sum(axis=(1, 2))).max()


def centred(images):
    """Windows around the centroids."""
    padded = np.pad(images, ((0, 0), (WINDOW // 2,) * 2, (WINDOW // 2,) * 2))
    corners = np.rint(centroids(images)).astype(int)
    return np.stack([image[y : y + WINDOW, x : x + WINDOW] for image, (x, y) in zip(padded, corners, strict=True)])


@pytest.mark.skipif(
    not REAL_FRAMES.exists(), reason="the environment variable CAUSAL_DISENT_SHARED names no folder with it"
)
def test_real_sprites_are_met():
    with np.load(REAL_FRAMES, allow_pickle=False) as file:
        frames = np.unique(file["frames"].astype(bool), axis=0)
    overlaps = BestMatch().overlaps(frames)
    assert len(frames) == 254
    assert np.mean(overlaps) >= 0.995 and np.min(overlaps) >= 0.97


def test_the_search_finds_what_was_drawn():
    rows = np.array([[0, 2, 7, 3, 30], [1, 0, 13, 0, 0], [2, 5, 38, 31, 17]])
    assert BestMatch().overlaps(draw_sprites(rows)) == [1, 1, 1]


def test_the_search_can_fail():
    frame = np.zeros((1, 64, 64), dtype=bool)
    frame[0, 10:20, 10:50] = True
    assert BestMatch().overlaps(frame)[0] < 0.8
