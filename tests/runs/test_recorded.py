"""What a saved model's folder records."""

from pathlib import Path

import pytest

from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.runs.representation import decoder_activation, model_folders, recorded_values, sampling_seed


def record(folder, step, text):
    (folder / "results/gin").mkdir(parents=True, exist_ok=True)
    (folder / f"results/gin/{step}.gin").write_text(text)


def test_values_and_references(tmp_path):
    record(tmp_path, "train", "vae.beta = 4.0\nmodel.model = @vae()\nencoder.sizes = [1, 2]\n")
    expected = {"vae.beta": 4.0, "model.model": "@vae()", "encoder.sizes": [1, 2]}
    assert recorded_values(tmp_path, "train") == expected
    assert recorded_values(tmp_path, "postprocess") == {}


@pytest.mark.parametrize(
    ("text", "activation"),
    [("", "logits"), ("reconstruction_loss.activation = 'tanh'\n", "tanh"), ("vae.beta = 1\n", "logits")],
)
def test_the_activation(tmp_path, text, activation):
    record(tmp_path, "train", text)
    assert decoder_activation(tmp_path) == activation


def test_an_unknown_activation(tmp_path):
    record(tmp_path, "train", "reconstruction_loss.activation = 'tan'\n")
    with pytest.raises(UnknownName, match="Did you mean 'tanh'"):
        decoder_activation(tmp_path)


@pytest.mark.parametrize(("text", "seed"), [("", 0), ("postprocess.random_seed = 5\n", 5)])
def test_the_seed(tmp_path, text, seed):
    record(tmp_path, "postprocess", text)
    assert sampling_seed(tmp_path) == seed


def test_a_seed_that_is_none(tmp_path):
    record(tmp_path, "postprocess", "postprocess.random_seed = 'x'\n")
    assert sampling_seed(tmp_path) == 0


def test_a_linked_config_is_refused(tmp_path):
    (tmp_path / "elsewhere.gin").write_text("")
    (tmp_path / "model/results/gin").mkdir(parents=True)
    (tmp_path / "model/results/gin/train.gin").symlink_to(tmp_path / "elsewhere.gin")
    with pytest.raises(InvalidInput, match="symbolic link"):
        recorded_values(tmp_path / "model", "train")


def test_models_beside_and_above(tmp_path):
    root = tmp_path / "study"
    folder = root / "0/postprocessed/mean"
    folder.mkdir(parents=True)
    assert [path for path in model_folders(folder) if root in path.parents] == []
    for near in ("0/model", "0/postprocessed/model", "model"):
        (root / near).mkdir(parents=True)
    expected = [root / "0/postprocessed/model", root / "0/model", root / "model"]
    assert list(model_folders(folder)) == expected
    assert root / "0/model" not in model_folders(root / "0/model")


def test_a_relative_folder(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "mean").mkdir()
    monkeypatch.chdir(tmp_path / "mean")
    assert next(model_folders(Path("."))) == tmp_path / "model"
