"""What is registered, and the checks that every data set must pass."""

import argparse
import os
import subprocess
import sys

import numpy as np
import pytest
import written_folders as written
from causal_disent_candle import plugin
from causal_disent_candle.candle import Candle

from causal_disent import errors
from causal_disent.cli.main import main
from causal_disent.registry import Register, registry
from causal_disent.testing import parametrize_checks

ENTRIES = {}
plugin.register_datasets(Register("datasets", "causal_disent_candle", lambda e: ENTRIES.__setitem__(e.name, e)))


@pytest.fixture
def registered():
    """The data sets are registered, whether or not the plugin is installed."""
    restores = [registry.replace(entry) for entry in ENTRIES.values()]
    yield
    for restore in restores:
        restore()


def test_the_names():
    assert set(ENTRIES) == {"candle", "candle_v1", "synthetic"}


@pytest.mark.parametrize("name", ENTRIES)
def test_listings_tell_where_data_comes_from(root, name):
    entry = ENTRIES[name]
    assert set(entry.facts) == {"files", "licence", "properties", "published", "size"} and all(
        entry.facts.values()
    )
    assert entry.load().locate() == [(root / name, False)] and not entry.load().is_found()
    for call in (entry.load(), entry.load().verify):
        with pytest.raises(errors.InvalidInput, match="which cannot be found"):
            call()


def test_the_command_is_registered():
    commands = {}
    plugin.register_commands(Register("commands", "candle", lambda entry: commands.__setitem__(entry.name, entry)))
    for name, option in (("render_candle", "--hdri"), ("render_synthetic", "--assets")):
        parser = argparse.ArgumentParser()
        commands[name].load()(parser)
        assert option in parser.format_help()


def test_registering_imports_nothing_heavy():
    code = f"import sys\nsys.path[:0] = {sys.path!r}\nimport causal_disent_candle.plugin\nprint(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"torch", "tensorflow", "bpy", "PIL", "pandas", "networkx"}.isdisjoint(loaded)
    assert "causal_disent_candle.plugin" in loaded


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory):
    """Small folders for all data sets."""
    root = tmp_path_factory.mktemp("root")
    written.write(root / "candle", written.V2, written.some_rows(written.V2, 30))
    written.write(root / "candle_v1", written.V1, written.some_rows(written.V1, 30), nested=True)
    folder = root / "synthetic"
    folder.mkdir()
    for number in range(9):
        kind, color = (("cylinder", "red"), ("cone", "green"), ("cube", "blue"))[number % 3]
        thing = {"object_type": kind, "color": color, "bounds": [[20, 20], [60, 70]]}
        content = {"scene": "plain", "lights": "left", "objects": {"Thing_0": thing}}
        written.write_one(folder, str(number), content, written.pixels([number] * 6, 128, 128))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISENTANGLEMENT_LIB_DATA", str(root))
        yield root


@parametrize_checks("datasets", list(ENTRIES.values()))
def test_every_data_set_passes_the_checks(check):
    check()


def test_verify_tells_what_a_folder_holds(files):
    lines = Candle.verify()
    assert lines[0] == f"{files / 'candle'}: 30 images of 320x240 pixels, each with its JSON"
    assert lines[1] == "rule set other: 30 images show 30 of 21,600 combinations"
    assert lines[2] == "21,570 of 21,600 combinations have no image"


def test_verify_does_not_trust_what_was_read_before(files, tmp_path, monkeypatch):
    folder = written.write(tmp_path / "data", written.V2, written.some_rows(written.V2, 3))
    Candle(folder)
    time = (folder / "4.png").stat().st_mtime_ns
    content = (folder / "4.png").read_bytes()
    (folder / "4.png").write_bytes(bytes(len(content)))
    os.utime(folder / "4.png", ns=(time, time))  # the same size and time, so that the cache holds
    assert len(Candle(folder).factor_table) == 3
    with pytest.raises(errors.InvalidInput, match="4.png cannot be used"):
        Candle.verify(folder)


def test_the_commands(registered, files, capsys):
    assert main(["datasets"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("candle "))
    assert line.split()[1] == "found"
    assert main(["datasets", "verify", "candle"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "candle: incomplete: 30 of 21,600 combinations"
    assert main(["datasets", "verify", "synthetic"]) == 0  # three combinations are all that its rules allow
    assert capsys.readouterr().out.splitlines()[-1] == "synthetic: ok"


def test_a_folder_with_a_number_for_a_name(registered, tmp_path, monkeypatch, capsys):
    written.write(tmp_path / "5", written.V2, written.some_rows(written.V2, 3))
    monkeypatch.chdir(tmp_path)
    assert main(["datasets", "verify", "candle", "--options", "folder=5"]) == 0
    assert "5: 3 images of 320x240 pixels" in capsys.readouterr().out


def test_the_commands_on_a_broken_folder(registered, tmp_path, capsys):
    folder = written.write(tmp_path / "data", written.V2, written.some_rows(written.V2, 3))
    (folder / "4.json").write_text("{}")
    verify = ["datasets", "verify", "candle", "--options", f"folder={folder}"]
    assert main(verify) == 2
    assert "4.json cannot be used" in capsys.readouterr().err
    assert main([*verify, "--skip_broken"]) == 0
    assert f"left out: {folder / '4.json'} cannot be used" in capsys.readouterr().out


def test_options_through_gin(files, registered):
    from causal_disent.config import gin_config
    from causal_disent.runs.dataset import dataset

    with gin_config(bindings=["dataset.name = 'candle'", "candle.size = (24, 32)"]):
        assert dataset().observation_shape == (24, 32, 3)


def test_draws_are_the_images_of_their_factors(files):
    data = Candle()
    factors, images = data.sample(50, np.random.RandomState(3))
    shown = data.observations(data.sample_indices(factors, np.random.RandomState(0)))
    np.testing.assert_array_equal(images, shown)
