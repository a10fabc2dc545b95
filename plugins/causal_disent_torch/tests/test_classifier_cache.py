import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch import classifier
from causal_disent_torch.classifier import (
    DESCRIPTION,
    MOST_IMAGES,
    WEIGHTS,
    cache_folder,
    conv_classifier,
    fingerprint,
)
from causal_disent_torch.classifier_training import Settings
from safetensors.torch import load_file, save_file
from squares import QUICK, EndlessSquares, squares

from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.view import view

# A few steps teach nothing.
pytestmark = pytest.mark.filterwarnings("ignore:The classifier's accuracy")
FAST = {**QUICK, "num_steps": 6}
SETTINGS = Settings((8, 8, 16), 6, 32, 0.01, 0.1, 100, 0)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSAL_DISENT_CLASSIFIERS", str(tmp_path / "classifiers"))
    return tmp_path / "classifiers"


def probabilities(classifier):
    return np.concatenate(classifier.predict_proba(squares().observations(np.arange(30))), axis=1)


@pytest.fixture
def no_training(monkeypatch):
    def refuse(*args):
        raise AssertionError("trained again")

    return lambda: monkeypatch.setattr(classifier, "train", refuse)


def test_it_is_trained_once(folder, no_training):
    first = conv_classifier(squares(), **FAST)
    (kept,) = folder.iterdir()
    assert {file.name for file in kept.iterdir()} == {WEIGHTS, DESCRIPTION}
    description = json.loads((kept / DESCRIPTION).read_text())
    assert description["accuracy"] == first.accuracy and description["factors"] == ["place", "shade"]
    no_training()
    again = conv_classifier(squares(), **FAST)
    np.testing.assert_array_equal(probabilities(first), probabilities(again))
    assert again.accuracy == first.accuracy
    with pytest.raises(AssertionError, match="trained again"):
        conv_classifier(squares(), **FAST, seed=1)


def test_where_it_is_kept(tmp_path, monkeypatch):
    assert cache_folder(tmp_path / "chosen") == tmp_path / "chosen"
    assert cache_folder(None) == tmp_path / "classifiers"
    monkeypatch.delenv("CAUSAL_DISENT_CLASSIFIERS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder(None) == tmp_path / "xdg" / "causal_disent" / "classifiers"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder(None) == Path.home() / ".cache" / "causal_disent" / "classifiers"


def changed_squares(pixel=None, factor=None):
    data = squares()
    pixels = np.rint(data.observations(np.arange(240)) * 255).astype(np.uint8)
    factors = np.stack([data.factor_table[name].cat.codes.to_numpy() for name in data.factor_names], axis=1)
    if pixel is not None:
        pixels[pixel, 3, 3] ^= 255
    if factor is not None:
        factors[factor, 1] = (factors[factor, 1] + 1) % 3
    return ArrayDataset(pixels, factors.astype(int), factor_names=["place", "shade"])


def test_equal_data_have_one_fingerprint():
    names = {fingerprint(data, SETTINGS) for data in (squares(), squares(), changed_squares())}
    assert len(names) == 1 and all(len(name) == 32 for name in names)
    assert fingerprint(EndlessSquares(), SETTINGS) == fingerprint(EndlessSquares(), SETTINGS)


def test_what_changes_the_fingerprint():
    data = squares()
    others = [
        (changed_squares(pixel=0), SETTINGS),
        (changed_squares(pixel=239), SETTINGS),
        (changed_squares(pixel=118), SETTINGS),
        (changed_squares(factor=100), SETTINGS),
        (squares(seed=1), SETTINGS),
        (view(data, factors=["shade"]), SETTINGS),
        (view(data, confounding="never place=0 shade=1"), SETTINGS),
        (view(data, confounding="correlate place shade 0.2"), SETTINGS),
        (view(data, confounding="correlate place shade 0.3"), SETTINGS),
        (EndlessSquares(), SETTINGS),
        *((data, replace(SETTINGS, **{name: value})) for name, value in (("seed", 1), ("num_steps", 7))),
        *((data, replace(SETTINGS, **{name: value})) for name, value in (("held_out", 0.2), ("batch_size", 8))),
    ]
    names = [fingerprint(other, settings) for other, settings in [(data, SETTINGS), *others]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("total", [1, 2, MOST_IMAGES - 1, MOST_IMAGES])
def test_every_image_counts_where_there_are_not_too_many(total, monkeypatch):
    data = ArrayDataset(np.zeros((total, 2, 2, 1), np.uint8), np.arange(total)[:, None] % 2)
    seen = []
    observations = data.observations
    monkeypatch.setattr(data, "observations", lambda rows: seen.extend(rows) or observations(rows))
    fingerprint(data, SETTINGS)
    assert sorted(seen) == list(range(total))


def test_a_larger_data_set_is_looked_at_in_many_places(monkeypatch):
    total = 3 * MOST_IMAGES
    data = ArrayDataset(np.zeros((total, 2, 2, 1), np.uint8), np.arange(total)[:, None] % 2)
    seen = []
    observations = data.observations
    monkeypatch.setattr(data, "observations", lambda rows: seen.extend(rows) or observations(rows))
    fingerprint(data, SETTINGS)
    assert len(set(seen)) == len(seen) == MOST_IMAGES and np.diff(seen).max() <= 4


def test_confounding_of_drawn_data_counts():
    data = view(ArrayDatasetLike(), confounding="correlate factor_0 factor_1 0.2")
    other = view(ArrayDatasetLike(), confounding="correlate factor_0 factor_1 0.4")
    assert fingerprint(data, SETTINGS) != fingerprint(other, SETTINGS)


class ArrayDatasetLike(EndlessSquares):
    """Draws that a view can confound."""

    factor_names = ("factor_0", "factor_1")


class Bomb:
    """What a pickle can do."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return Path.touch, (self.target,)


def write_pickle(kept):
    (kept / WEIGHTS).write_bytes(pickle.dumps(Bomb(kept.parents[1] / "executed")))


def cut_off(kept):
    content = (kept / WEIGHTS).read_bytes()
    (kept / WEIGHTS).write_bytes(content[: len(content) // 2])


def reshape(kept):
    weights = load_file(kept / WEIGHTS)
    weights["output.bias"] = torch.zeros(3)
    save_file(weights, kept / WEIGHTS)


def retype(kept):
    weights = load_file(kept / WEIGHTS)
    weights["output.bias"] = weights["output.bias"].double()
    save_file(weights, kept / WEIGHTS)


def not_a_number(kept):
    weights = load_file(kept / WEIGHTS)
    weights["output.bias"][0] = torch.nan
    save_file(weights, kept / WEIGHTS)


def drop_tensor(kept):
    weights = load_file(kept / WEIGHTS)
    del weights["output.bias"]
    save_file(weights, kept / WEIGHTS)


def describe(text):
    return lambda kept: (kept / DESCRIPTION).write_text(text)


def empty(kept):
    for file in kept.iterdir():
        file.unlink()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut_off, "cut off"),
        (write_pickle, "is a pickle"),
        (reshape, "has shape"),
        (retype, "finite numbers of type torch.float32"),
        (not_a_number, "must be finite"),
        (drop_tensor, "missing are output.bias"),
        (empty, "No such file"),
        (describe("{"), "Expecting"),
        (describe("[1, 2]"), "accuracy between 0 and 1"),
        (describe('{"accuracy": [0.5]}'), "accuracy between 0 and 1 for each of 2 factors"),
        (describe('{"accuracy": [0.5, "1"]}'), "accuracy between 0 and 1"),
        (describe('{"accuracy": [0.5, 7]}'), "accuracy between 0 and 1"),
        (describe('{"accuracy": [0.5, NaN]}'), "accuracy between 0 and 1"),
        (describe(" " * 70_000), "more than 65,536 bytes"),
    ],
)
def test_a_damaged_one_is_trained_again(folder, damage, reason, no_training):
    before = conv_classifier(squares(), **FAST)
    (kept,) = folder.iterdir()
    damage(kept)
    with pytest.warns(UserWarning, match=f"cannot be used and is trained again: .*{reason}"):
        after = conv_classifier(squares(), **FAST)
    np.testing.assert_array_equal(probabilities(before), probabilities(after))
    assert not (folder.parent / "executed").exists()
    no_training()
    conv_classifier(squares(), **FAST)  # the folder is whole again


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="cannot be kept in .*CAUSAL_DISENT_CLASSIFIERS"):
        classifier = conv_classifier(squares(), **FAST, cache_dir=tmp_path / "file" / "inside")
    assert len(classifier.accuracy) == 2


def test_a_file_in_the_place_of_the_folder(folder):
    before = conv_classifier(squares(), **FAST)
    (kept,) = folder.iterdir()
    shutil.rmtree(kept)
    kept.write_text("")
    with pytest.warns(UserWarning, match="cannot be kept in"):
        after = conv_classifier(squares(), **FAST)
    np.testing.assert_array_equal(probabilities(before), probabilities(after))
    assert kept.read_text() == ""


def test_a_training_that_fails_leaves_nothing(folder, monkeypatch):
    monkeypatch.setattr(classifier, "accuracy_of", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        conv_classifier(squares(), **FAST)
    assert not folder.exists()
