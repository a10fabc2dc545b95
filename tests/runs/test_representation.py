"""Folders that a backend reads."""

import json

import numpy as np
import pytest

from causal_disent import errors, get_dataset, get_representation
from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.registry import Entry, registry
from causal_disent.runs.representation import Reading, load_folder, load_model


class Oracles:
    """A real backend: reads folders with a file that says which oracle, and where a decoder is."""

    suffix = "oracle"

    def __init__(self, trust=False):
        self.trust = trust

    def recognises(self, folder):
        return (folder / f"model.{self.suffix}").is_file()

    def read(self, folder, data, *, model_dir):
        name = (folder / f"model.{self.suffix}").read_text()
        if name == "foreign":
            raise errors.NotForThisBackend(f"{folder} is of another kind.")
        model = get_representation(name, data)
        model.folders = {"encoder": folder, "decoder": model_dir or folder}
        return model


class Eager(Oracles):
    """Comes first, recognises the same folders, reads the foreign ones only."""

    def read(self, folder, data, *, model_dir):
        if (folder / "model.oracle").read_text() != "foreign":
            raise errors.NotForThisBackend("Only the foreign ones.")
        return get_representation("noise_oracle", data)


@pytest.fixture
def backends():
    entries = [
        Entry("backends", "oracles", "tests", Oracles, "", {"rank": 2}),
        Entry("backends", "eager", "tests", Eager, "", {"rank": 1}),
    ]
    restore = [registry.replace(entry) for entry in entries]
    yield
    for put_back in restore:
        put_back()


@pytest.fixture
def folder(tmp_path):
    def make(text, name="input"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.oracle").write_text(text)
        return tmp_path / name

    return make


@pytest.fixture(scope="module")
def data():
    return get_dataset("candle_mini")


def test_the_first_backend_that_can_reads(backends, folder, data):
    model, recorded = load_model(folder("perfect_oracle"), data)
    assert recorded["backend"] == "oracles"
    assert model(data.observations(np.arange(3))).shape == (3, 6)
    _, recorded = load_model(folder("foreign", "other"), data)
    assert recorded["backend"] == "eager"


def test_the_named_backend_reads_or_says_why_not(backends, folder, data):
    with pytest.raises(errors.InvalidInput, match="of another kind"):
        load_model(folder("foreign"), data, Reading(backend="oracles"))
    with pytest.raises(errors.UnknownName, match="Did you mean 'oracles'"):
        load_model(folder("perfect_oracle", "other"), data, Reading(backend="oracle"))


def test_a_folder_that_nobody_recognises(backends, tmp_path, data):
    with pytest.raises(errors.InvalidInput, match="none of the backends .*eager, oracles.* recognises it"):
        load_model(tmp_path, data)


def test_one_of_several_folders(backends, folder, data):
    assert load_folder(folder("perfect_oracle"), data)(data.observations(np.arange(2))).shape == (2, 6)


def test_the_command_records_backend_and_folders(backends, folder, tmp_path, capsys):
    decoder = folder("perfect_oracle", "decoder")
    arguments = {
        "input_dir": folder("perfect_oracle"),
        "output_dir": tmp_path / "out",
        "model_dir": decoder,
        "gin_config": "metrics/irs.gin",
    }
    flags = [f"--{name}={value}" for name, value in arguments.items()]
    bindings = ["--gin_bindings=irs.num_train = 100", "--gin_bindings=dataset.name = 'candle_mini'"]
    assert main([*flags, *bindings]) == 0, capsys.readouterr().err
    scores = json.loads((tmp_path / "out/results/json/evaluation_results.json").read_text())
    assert scores["backend"] == "oracles" and scores["folder_of_decoder"] == str(decoder)
    assert main([*flags, *bindings, "--overwrite", f"--model_dir={tmp_path}/nowhere"]) == 2
    assert "nowhere given by --model_dir does not exist" in capsys.readouterr().err


def record_training(source, config):
    """Leave the config of a training in a model's folder."""
    (source / "results/gin").mkdir(parents=True)
    (source / "results/gin/train.gin").write_text(config)


def test_the_data_set_that_training_recorded(backends, folder, tmp_path, capsys):
    source = folder("perfect_oracle")
    record_training(
        source,
        "dataset.name = 'candle_mini'\ndataset.confounding = 'candle_color'\ncandle_mini.scenes = 3\n"
        "model.model = @vae()\n",
    )
    flags = [f"--input_dir={source}", f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/irs.gin"]
    assert main([*flags, "--gin_bindings=irs.num_train = 100"]) == 0, capsys.readouterr().err
    config = json.loads((tmp_path / "out/results/json/evaluation_config.json").read_text())
    assert config["dataset.confounding"] == "'candle_color'"


class DecoderBeside(Oracles):
    """Finds the decoder in a folder beside."""

    def read(self, folder, data, *, model_dir):
        return super().read(folder, data, model_dir=folder.parent / "beside")


def test_the_folder_of_a_decoder_that_was_found_is_never_replaced(folder, tmp_path, capsys):
    source, beside = folder("perfect_oracle"), folder("perfect_oracle", "beside")
    restore = registry.replace(Entry("backends", "oracles", "tests", DecoderBeside, "", {"rank": 2}))
    flags = ["--gin_config=metrics/irs.gin", "--gin_bindings=dataset.name = 'candle_mini'", "--overwrite"]
    try:
        assert main([f"--input_dir={source}", f"--output_dir={beside}", *flags]) == 2
    finally:
        restore()
    assert "would be lost" in capsys.readouterr().err and (beside / "model.oracle").is_file()


def test_none_wins_over_what_was_recorded(backends, folder, tmp_path, capsys):
    source = folder("perfect_oracle")
    record_training(
        source,
        "dataset.name = 'candle_mini'\ndataset.confounding = 'candle_color'\n"
        "dataset.factors = ['object', 'color']\n",
    )
    flags = [f"--input_dir={source}", "--gin_config=metrics/irs.gin", "--gin_bindings=irs.num_train = 100"]
    for key in ("factors", "confounding"):
        out = tmp_path / key
        assert main([*flags, f"--output_dir={out}", f"--gin_bindings=dataset.{key} = None"]) == 0
        config = json.loads((out / "results/json/evaluation_config.json").read_text())
        assert [name for name in ("factors", "confounding") if config[f"dataset.{name}"] == "None"] == [key]


def test_a_decoder_for_a_registered_model_is_refused(backends, folder, oracle_folder, tmp_path, capsys):
    flags = [f"--input_dir={oracle_folder()}", f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/uc.gin"]
    assert main([*flags, f"--model_dir={folder('perfect_oracle')}"]) == 2
    shown = capsys.readouterr().err
    assert "representation.gin names a registered representation" in shown and "leave --model_dir out" in shown
