"""``causal-disent score``."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from causal_disent import score
from causal_disent.cli.main import main

FACTORS = np.indices((3, 3, 12)).reshape(3, -1).T[:, :2]
CODES = FACTORS + 0.1 * np.random.RandomState(0).normal(size=FACTORS.shape)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("codes.npy", CODES)
    np.savez("both.npz", codes=CODES, factors=FACTORS)
    pd.DataFrame(FACTORS, columns=["hue", "size"]).to_csv("factors.csv", index=False)
    pd.DataFrame(FACTORS, columns=["hue", "size"]).to_parquet("factors.parquet")
    return tmp_path


def printed(capsys, *arguments):
    assert main(["score", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("factors", ["factors.csv", "factors.parquet"])
@pytest.mark.parametrize("codes", ["codes.npy", "both.npz:codes"])
def test_files_of_all_kinds(files, capsys, codes, factors):
    out = printed(capsys, codes, factors, "--metrics", "mig", "irs")
    named = pd.DataFrame(FACTORS, columns=["hue", "size"])
    assert out == f"{score(CODES, named, ['mig', 'irs'])}\n"
    assert "2 factors: hue, size" in out


def test_json(files, capsys):
    said = json.loads(printed(capsys, "codes.npy", "factors.csv", "--metrics", "mig,irs", "--seed", "3", "--json"))
    assert said["points"] == len(CODES) and said["codes"] == ["code_0", "code_1"]
    assert said["factors"] == {"hue": None, "size": None}
    assert said["scores"] == score(CODES, FACTORS, ["mig", "irs"], 3).table["score"].to_dict()


def test_files_that_are_written(files, capsys):
    names = [f"out/scores.{ending}" for ending in ("csv", "json", "html", "png")]
    printed(capsys, "codes.npy", "factors.csv", "--metrics", "mig", "irs", "--output", *names)
    table = pd.read_csv("out/scores.csv", index_col="metric")
    expected = score(CODES, FACTORS, ["mig", "irs"])
    assert table["score"].to_dict() == pytest.approx(expected.table["score"].to_dict())
    with open("out/scores.json") as file:
        assert json.load(file)["scores"] == pytest.approx(expected.table["score"].to_dict())
    assert "mig" in (files / "out/scores.html").read_text()
    with Image.open("out/scores.png") as picture:
        assert picture.width > 500


def test_the_seed_and_the_options_reach_the_metrics(files, capsys):
    angles = np.column_stack([FACTORS[:, 0], np.random.RandomState(1).rand(len(FACTORS))])
    np.save("angles.npy", angles)
    options = ["--metrics", "dci", "--bins", "3", "--seed", "7", "--fast", "--json"]
    said = json.loads(printed(capsys, "codes.npy", "angles.npy", *options))
    assert said["scores"]["dci"] == score(CODES, angles, "dci", 7, bins=3, fast=True).results["dci"].score
    assert said["remarks"]["dci"].startswith("by histogram boosting")  # numbers are predicted as they are
    said = json.loads(printed(capsys, "codes.npy", "angles.npy", "--metrics", "factor_vae_score", *options[2:]))
    assert said["remarks"]["factor_vae_score"].startswith("factor_1 in 3 equally filled bins")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["codes.npy", "missing.csv"], "missing.csv cannot be used: it is not there"),
        (["codes.npy", "both.npz"], "both.npz cannot be used: it has 2 arrays; say which"),
        (["codes.npy", "factors.csv", "--metrics", "migg"], "Did you mean 'mig'"),
        (["codes.npy", "factors.csv", "--output", "a.pdf"], "end in .csv, .json, .html, .png, .svg; given: a.pdf"),
        (["codes.npy", "factors.csv", "--seed", "-1"], "--seed must be a whole number"),
        (["codes.npy", "factors.csv", "--bins", "1"], "`bins` must be a whole number, at least 2"),
    ],
)
def test_mistakes(files, capsys, arguments, message):
    assert main(["score", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_written_after_a_mistake(files, capsys):
    assert main(["score", "codes.npy", "missing.csv", "--output", "scores.html"]) == 2
    assert not (files / "scores.html").exists()


def test_the_command_as_people_type_it(files):
    command = [
        sys.executable,
        "-m",
        "causal_disent.cli.main",
        "score",
        "codes.npy",
        "factors.csv",
        "--metrics",
        "mig",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert any(line.startswith("mig ") for line in done.stdout.splitlines()) and not done.stderr
