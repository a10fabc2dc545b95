"""Reading the published folders of Pendulum and Flow, whole, partial and damaged."""

import os
import pickle
import shutil

import numpy as np
import pytest
from causal_disent_crl import mechanism_data
from causal_disent_crl.flow import Flow
from causal_disent_crl.pendulum import Pendulum
from PIL import Image

from causal_disent import errors

SETS = {"pendulum": Pendulum, "flow": Flow}


@pytest.fixture
def folder(samples, tmp_path):
    """A copy of the samples of Pendulum that may be damaged."""
    return shutil.copytree(samples / "pendulum", tmp_path / "pendulum")


@pytest.mark.parametrize("name", SETS)
def test_labels_are_those_of_the_names(samples, name):
    data = SETS[name](samples / name, labels="published")
    for row, file in enumerate(data.draws.names):
        assert data.factor_values([row])[0].tolist() == [float(part) for part in file[2:-4].split("_")]
    exact = SETS[name](samples / name)
    np.testing.assert_array_equal(
        np.floor(exact.factor_values(np.arange(len(data.draws.names)))), data.draws.values // 1
    )


@pytest.mark.parametrize("name", SETS)
def test_splits_are_the_folders(samples, name):
    for split in ("train", "test"):
        data = SETS[name](samples / name, split=split)
        assert sorted(data.draws.names) == sorted(file.name for file in (samples / name / split).iterdir())


def test_indices_mean_the_same_drawn_and_read(samples):
    drawn, read = Pendulum(), Pendulum(samples / "pendulum")
    assert drawn.value_names == read.value_names
    rows = [drawn.draws.names.tolist().index(name) for name in read.draws.names]
    np.testing.assert_array_equal(drawn.observations(rows), read.observations(np.arange(4)))
    assert (drawn.factor_table.loc[rows].to_numpy() == read.factor_table.to_numpy()).all()


def test_of_colliding_draws_the_last_was_read(samples):
    data = Flow(samples / "flow", split="train")
    whole = Flow().draws
    for name, value in zip(data.draws.names, data.draws.values, strict=True):
        rows = np.flatnonzero((whole.names == name) & (whole.splits == "train"))
        assert len(rows) == 2  # these samples were chosen for it
        np.testing.assert_array_equal(value, whole.values[rows[-1]])
        first = Flow.draw(whole.values[rows[:1]], np.array([0.01])).astype(int)
        read = data.source.pixels[data.draws.names.tolist().index(name)].astype(int)
        last = Flow.draw(whole.values[rows[-1:]], np.array([0.01])).astype(int)
        assert np.abs(last - read).sum() < np.abs(first - read).sum()


def test_verify(samples, tmp_path):
    lines = Pendulum.verify(samples / "pendulum")
    assert lines[0].endswith("pendulum: 4 images of 96x96 pixels") and lines[1].startswith("4 are pixel for pixel")
    assert lines[2] == "incomplete: 4 of 7,308 images"
    assert Flow.verify(samples / "flow")[2] == "incomplete: 7 of 6,874 images"
    assert "folder=" in Pendulum.verify()[0]


def broken_name(folder):
    (folder / "train/a_1_2.png").write_bytes(b"")
    return "train/a_1_2.png cannot be used: a file should be called a_<angle>_<light>_<length>_<position>.png"


def other_numbers(folder):
    shutil.copy(folder / "test/a_-29_63_3_3.png", folder / "test/a_-29_63_3_4.png")
    return "test/a_-29_63_3_4.png cannot be used: the mechanism makes no image of this name for 'test'"


def other_split(folder):
    shutil.move(folder / "test/a_-29_63_3_3.png", folder / "train")
    return "train/a_-29_63_3_3.png cannot be used: .* for 'train'; it belongs to 'test'"


def cut_short(folder):
    path = folder / "train/a_-30_144_11_13.png"
    path.write_bytes(path.read_bytes()[:300])
    return "train/a_-30_144_11_13.png cannot be used"


def empty(folder):
    (folder / "train/a_-30_144_11_13.png").write_bytes(b"")
    return "train/a_-30_144_11_13.png cannot be used"


def wrong_size(folder):
    Image.new("RGBA", (64, 64)).save(folder / "train/a_-30_144_11_13.png")
    return r"train/a_-30_144_11_13.png cannot be used: it has the shape \(64, 64, 3\)"


def a_link(folder):
    path = folder / "train/a_-30_144_11_13.png"
    path.rename(folder / "elsewhere")
    path.symlink_to(folder / "elsewhere")
    return "train/a_-30_144_11_13.png cannot be used: it is no regular file"


def no_split(folder):
    shutil.rmtree(folder / "test")
    return "pendulum cannot be used: it has no folder 'test', which split='all' needs"


def no_images(folder):
    for path in folder.glob("*/*.png"):
        path.unlink()
    return "pendulum cannot be used: it has no images a_<angle>"


@pytest.mark.parametrize(
    "damage",
    [broken_name, other_numbers, other_split, cut_short, empty, wrong_size, a_link, no_split, no_images],
    ids=lambda damage: damage.__name__,
)
def test_a_damaged_folder_is_an_error_that_names_the_file(folder, tmp_path, damage):
    message = damage(folder)
    cache = tmp_path / "kept"
    with pytest.raises(errors.InvalidInput, match=message):
        Pendulum(folder, cache=cache)
    assert not cache.exists() or not list(cache.iterdir())


def test_other_files_are_left_alone(folder):
    (folder / "train/notes.txt").write_text("mine")
    (folder / "validation").mkdir()
    (folder / "train/._a_-31_107_5_8.png").write_bytes(b"what macOS leaves beside a file")
    assert len(Pendulum(folder).factor_table) == 4


def test_a_part_of_the_files_is_enough(folder):
    (folder / "train/a_-30_144_11_13.png").unlink()
    shutil.rmtree(folder / "test")
    assert Pendulum(folder, split="train").draws.names.tolist() == ["a_-31_107_5_8.png"]


def test_a_file_that_changes_is_read_again(folder, tmp_path):
    cache = tmp_path / "kept"
    before = Pendulum(folder, cache=cache).observations([0])
    assert len(list(cache.iterdir())) == 1
    Pendulum(folder, cache=cache)
    assert len(list(cache.iterdir())) == 1
    file = folder / "train" / Pendulum(folder, split="train").draws.names[0]
    Image.new("RGBA", (96, 96), "red").save(file)
    os.utime(file, ns=(1, 1))
    after = Pendulum(folder, cache=cache, split="train").observations([0])
    assert (after[0, ..., 1] == 0).all() and before.min() >= 0


def test_several_threads_read_what_one_does(samples, monkeypatch):
    paths = sorted((samples / "pendulum").glob("*/*.png")) * 5
    images = []
    for chunk in (1, 100):
        monkeypatch.setattr(mechanism_data, "FILES_READ", chunk)
        images.append(np.empty((len(paths), 64, 64, 3), dtype=np.uint8))
        mechanism_data.read_files(paths, 96, images[-1])
    np.testing.assert_array_equal(*images)


def test_a_copy_in_another_process_maps_the_file_again(samples):
    data = Pendulum(samples / "pendulum")
    data.observations([0])
    text = pickle.dumps(data)
    assert len(text) < 2_000_000  # the images alone have more in a whole folder; none is in it
    np.testing.assert_array_equal(pickle.loads(text).observations([1]), data.observations([1]))
