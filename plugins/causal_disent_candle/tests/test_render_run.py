"""A run from the assets to the folder; the worker is a process of its own that draws plain pictures."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from causal_disent_candle.candle import Candle
from causal_disent_candle.render import run
from causal_disent_candle.render.assets import CANDLE
from causal_disent_candle.render.run import Settings, render
from PIL import Image

from causal_disent import errors
from causal_disent.data.folder_data import FolderDataset

FAKE = Path(__file__).with_name("fake_blender.py")
SETTINGS = Settings((32, 24), samples=1, seed=0)
LIMIT = 12


@pytest.fixture(autouse=True)
def _fake_blender(monkeypatch):
    monkeypatch.setattr(run, "find_blender", lambda environment: [sys.executable, str(FAKE)])


@pytest.fixture
def output(tmp_path):
    return tmp_path / "images"


def go(output, **options):
    return render(CANDLE, output, options.pop("settings", SETTINGS), **{"limit": LIMIT, **options})


def indices(output, suffix):
    return sorted(int(path.stem) for path in output.glob(f"*{suffix}") if path.stem.isdecimal())


def begun(output):
    return [int(line) for line in (output / ".render" / "begun").read_text().split()]


@pytest.mark.parametrize("num_workers", [1, 2])
def test_every_image_has_its_json(output, num_workers):
    assert go(output, num_workers=num_workers) == LIMIT
    images = indices(output, ".png")
    assert len(images) == LIMIT and images == indices(output, ".json") == sorted(begun(output))
    assert Image.open(output / f"{images[0]}.png").size == (32, 24)
    assert not list(output.glob("*.partial"))


def test_the_json_is_that_of_candles_second_version(output):
    go(output, settings=Settings((32, 24), rules=("never scene='moonlit grass'",)))
    names = list(CANDLE.factors)
    for index in indices(output, ".json"):
        content = json.loads((output / f"{index}.json").read_text())
        # The index by hand: the place of each label, the rotation fastest.
        ((key, thing),) = content["objects"].items()
        sizes = {1.5: "small", 2: "medium", 2.5: "large"}
        labels = [content["scene"], content["lights"], thing["object_type"], thing["color"]]
        labels += [sizes[thing["size"]], str(thing["rotation"])]
        places = [CANDLE.factors[name].index(label) for name, label in zip(names, labels, strict=True)]
        assert np.ravel_multi_index(places, [len(CANDLE.factors[name]) for name in names]) == index
        assert set(content) == {"scene", "lights", "objects"}
        assert set(thing) == {"object_type", "color", "size", "rotation", "bounds"}
        assert key == thing["object_type"].capitalize() + "_0"


def test_the_table_makes_a_data_set(output):
    go(output)
    with (output / "table.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [int(row["file"][:-4]) for row in rows] == indices(output, ".png")
    # Factors with one value in this draw would be no factors: twelve images show at least two of each here.
    data = FolderDataset(output)
    assert set(data.factor_names) == set(CANDLE.factors)
    assert data.observation_shape == (24, 32, 3)


@pytest.mark.parametrize("misbehaviour", ["FAKE_KILL", "FAKE_CRASH"])
def test_a_dead_worker_is_reported_and_the_next_run_goes_on(output, monkeypatch, misbehaviour):
    go(output, limit=4)
    first = {path: path.stat().st_mtime_ns for path in output.glob("*.png")}
    plan = run.make_plan(CANDLE.factors, limit=LIMIT)
    victim = [index for index in plan.indices if not (output / f"{index}.json").exists()][3]
    monkeypatch.setenv(misbehaviour, str(victim))
    with pytest.raises(
        errors.InvalidInput, match="A Blender process ended with .*The same command goes on"
    ) as caught:
        go(output)
    said = "something of its own" if misbehaviour == "FAKE_KILL" else "Segmentation fault of a kind"
    assert said in caught.value.message
    assert not (output / f"{victim}.json").exists()
    assert len(indices(output, ".json")) == 4 + 3
    monkeypatch.delenv(misbehaviour)
    assert go(output) == LIMIT
    assert indices(output, ".json") == indices(output, ".png") == plan.indices.tolist()
    assert not list(output.glob(".*.partial"))
    assert {path: path.stat().st_mtime_ns for path in first} == first
    assert sorted(begun(output)) == sorted([*plan.indices.tolist(), victim])


def test_a_faulty_asset_is_the_users_to_mend(output, monkeypatch):
    plan = run.make_plan(CANDLE.factors, limit=LIMIT)
    monkeypatch.setenv("FAKE_ERROR", str(plan.indices[2]))
    with pytest.raises(errors.InvalidInput, match="^The recipe cube.py failed$"):
        go(output, num_workers=2)
    with (output / "table.csv").open() as stream:
        assert len(stream.readlines()) == 1 + len(indices(output, ".json"))


def test_a_worker_that_gives_up_is_noticed(output, monkeypatch):
    plan = run.make_plan(CANDLE.factors, limit=LIMIT)
    monkeypatch.setenv("FAKE_QUIT", str(plan.indices[-2]))
    with pytest.raises(errors.InvalidInput, match=f"2 images are missing in .*, such as {plan.indices[-2]}.png"):
        go(output)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_when_the_command_is_killed_its_worker_ends_and_the_next_run_goes_on(output, monkeypatch):
    monkeypatch.setenv("FAKE_SLEEP", "0.1")
    script = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "from causal_disent_candle.render import run\n"
        "from causal_disent_candle.render.assets import CANDLE\n"
        "run.find_blender = lambda environment: [sys.executable, sys.argv[3]]\n"
        "from pathlib import Path\n"
        f"run.render(CANDLE, Path(sys.argv[4]), run.Settings((32, 24), samples=1), limit={LIMIT})\n"
    )
    plugins = Path(__file__).parents[2]
    folders = [str(plugins / "causal_disent_candle"), str(plugins / "causal_disent_datasets")]
    process = subprocess.Popen([sys.executable, "-c", script, *folders, str(FAKE), str(output)])
    deadline = time.monotonic() + 60
    while not (output.is_dir() and len(indices(output, ".json")) >= 2):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    # The worker finds nobody to talk to after its next image.
    time.sleep(1.0)
    there = len(begun(output))
    time.sleep(0.5)
    assert len(begun(output)) == there < LIMIT
    monkeypatch.delenv("FAKE_SLEEP")
    assert go(output) == LIMIT
    assert len(indices(output, ".json")) == len(indices(output, ".png")) == LIMIT


def test_what_is_complete_starts_no_worker(output, monkeypatch):
    go(output)
    before = begun(output)
    assert go(output) == LIMIT
    assert begun(output) == before


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (Settings((64, 48), samples=1), r"was begun with size \[32, 24\]; now it is \[64, 48\]"),
        (Settings((32, 24), samples=2), "was begun with samples 1; now it is 2"),
        (Settings((32, 24), samples=1, seed=5), "was begun with seed 0; now it is 5"),
        (Settings((32, 24), samples=1, rules=("candle_released",)), "was begun with rules"),
    ],
)
def test_a_folder_holds_images_of_one_kind(output, changed, message):
    go(output, limit=1)
    with pytest.raises(errors.InvalidInput, match=message):
        go(output, settings=changed)


def test_other_assets_are_another_folder(output, tmp_path):
    go(output, limit=1)
    (tmp_path / "more" / "objects").mkdir(parents=True)
    (tmp_path / "more" / "objects" / "arch.py").write_text("")
    with pytest.raises(errors.InvalidInput, match="was begun with assets"):
        go(output, overlays=[tmp_path / "more"])


def test_folders_of_others_are_left_alone(output, tmp_path):
    output.mkdir()
    (output / "thesis.txt").write_text("done")
    with pytest.raises(errors.InvalidInput, match="holds files that this command did not write"):
        go(output)
    with pytest.raises(errors.InvalidInput, match="is a file; name a folder"):
        go(output / "thesis.txt")


def test_a_damaged_settings_file_is_named(output):
    go(output, limit=1)
    (output / ".render" / "settings.json").write_text("{")
    with pytest.raises(errors.InvalidInput, match=r"settings\.json is damaged"):
        go(output, limit=1)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_two_runs_do_not_share_a_folder(output):
    import fcntl

    go(output, limit=1)
    with (output / ".render" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(errors.InvalidInput, match="Another run renders into"):
            go(output, limit=2)
    assert go(output, limit=2) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "name", "images"), [(("candle_released",), "candle_released", 12_546)])
def test_candle_reads_the_whole_folder_and_knows_its_rules(output, tmp_path, rules, name, images):
    assert render(CANDLE, output, Settings((32, 24), rules=rules), num_workers=2) == images
    data = Candle(folder=output, cache=tmp_path / "cache")
    assert len(data.factor_table) == images
    assert data.rule_set.name == name and data.rule_set.is_complete
