"""``causal-disent study`` and ``causal-disent results``."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from causal_disent.cli.main import main

CONFIG = """
study.folders = '{folder}/old/*/mean'
study.metrics = ['metrics/irs.gin', 'metrics/mig.gin']
study.bindings = ['irs.num_train = 100', 'mig.num_train = 100']
local.workers = 1
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study of two oracles, one of which nobody knows."""
    monkeypatch.setenv("CAUSAL_DISENT_PLUGINS", "")
    for name in ("perfect_oracle", "no_such_oracle"):
        folder = tmp_path / "old" / name / "mean"
        folder.mkdir(parents=True)
        lines = [
            f"representation.name = '{name}'",
            "dataset.name = 'candle_mini'",
            "dataset.factors = ['object', 'color']",
        ]
        (folder / "representation.gin").write_text("\n".join(lines))
    (tmp_path / "s.gin").write_text(CONFIG.format(folder=tmp_path))
    return tmp_path


def run(study, *words):
    return main(["study", *words, "--output_dir", str(study / "out")])


def test_from_the_plan_to_the_table(study, capsys):
    config = str(study / "s.gin")
    assert run(study, config, "--dry_run") == 0
    assert "4 tasks: 0 done, 0 running, 0 failed, 4 waiting" in capsys.readouterr().out
    assert not (study / "out").exists()
    assert run(study, config) == 1
    printed = capsys.readouterr()
    assert "2 done, 2 failed" in printed.out and "perfect_oracle" in printed.out
    assert printed.err.count("Unknown representation 'no_such_oracle'") == 2 and "study retry" in printed.err
    assert run(study, "ls") == 0
    listed = capsys.readouterr().out
    assert "2 done, 0 running, 2 failed, 0 waiting" in listed and "0: metrics/mean/irs failed: Unknown" in listed
    assert run(study, "show", "0") == 0
    assert "metrics/mean/irs failed 1 time, last" in capsys.readouterr().out
    assert run(study, "best", "irs") == 0
    assert "1  perfect_oracle" in capsys.readouterr().out
    assert run(study, "export", str(study / "scores.csv")) == 0
    assert set(pd.read_csv(study / "scores.csv")["metric"]) == {"irs", "mig"}
    file = study / "old/no_such_oracle/mean/representation.gin"
    file.write_text(file.read_text().replace("no_such_oracle", "noise_oracle"))
    assert run(study, config) == 1  # failed ones wait for being asked for
    assert run(study, "retry", "--gin_bindings", "study.sedes = 1") == 2
    assert run(study, "retry", "1") == 1  # those of run 0 are failed as before
    assert "0 failed tasks to be tried again" in capsys.readouterr().out
    assert run(study, "ls") == 0
    assert "2 failed" in capsys.readouterr().out
    assert run(study, "retry", "0", "--workers", "2") == 0
    assert "4 done" in capsys.readouterr().out
    assert (
        main(["results", str(study / "out"), "--published", "aaai_1", "--output", str(study / "t.parquet")]) == 0
    )
    assert "noise_oracle" in capsys.readouterr().out and len(pd.read_parquet(study / "t.parquet")) == 4
    assert main(["results", str(study / "out"), "--metrics", "mig"]) == 0
    printed = capsys.readouterr().out
    assert "discrete_mig" in printed and "IRS" not in printed
    assert main(["results", str(study / "out"), "--metrics", "migs"]) == 2
    assert "Did you mean 'mig'?" in capsys.readouterr().err
    assert main(["study", "ls", str(study / "out"), "--all"]) == 0
    assert "perfect_oracle" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s.gin", "more"], "One config is needed; given besides it: more"),
        (["nowhere.gin"], "There is no config 'nowhere.gin'"),
        (["ls"], "is not a study's folder"),
        (["show"], "`study show` is followed by RUN"),
        (["show", "x"], "A run is named by its number; given: 'x'"),
        (["best"], "`study best` is followed by METRIC"),
        (["best", "mig"], "There are no results below"),
        (["export", "a", "b"], "`study export` is followed by FILE"),
        (["ls", "a", "b"], r"`study ls` is followed by [DIR]"),
        (["{s}", "--gin_bindings", "study.seeds = [1, 1]"], "has a seed twice"),
        (["{s}", "--gin_bindings", "study.sedes = 1"], "'study' has no parameter 'sedes'. Did you mean 'seeds'"),
        (["{s}", "--workers", "0"], "`workers` must be a whole number, at least 1"),
        (["{s}", "--engine", "loca"], "Unknown engine 'loca'. Did you mean 'local'"),
        (["{s}", "--address", "here"], "'local' has no parameter 'address'"),
        (
            ["{s}", "--gin_bindings", "study.bindings = ['irs.num_trian = 1']"],
            "'irs' has no parameter 'num_trian'",
        ),
    ],
)
def test_mistakes_exit_with_2_and_nothing_is_started(study, capsys, words, message):
    given = [word.format(s=study / "s.gin") for word in words]
    for more in ([], ["--dry_run"]):
        assert run(study, *given, *more) == 2
        assert message in capsys.readouterr().err
    assert not (study / "out").exists()


def test_the_folder_is_needed(study, capsys):
    assert main(["study", str(study / "s.gin")]) == 2
    assert "--output_dir is needed" in capsys.readouterr().err


def test_a_changed_config_exits_with_2(study, capsys):
    (study / "old/no_such_oracle/mean/representation.gin").unlink()
    (study / "old/no_such_oracle/mean").rmdir()
    assert run(study, str(study / "s.gin")) == 0
    line = "study.bindings = ['irs.num_train = 200', 'mig.num_train = 100']"
    for more in ([], ["--dry_run"]):
        assert run(study, str(study / "s.gin"), "--gin_bindings", line, *more) == 2
        assert "irs.num_train was 100, is 200" in capsys.readouterr().err


def test_an_interrupt_tells_how_to_go_on(study):
    endless = "study.bindings = ['irs.num_train = 9999999']"
    options = [
        str(study / "s.gin"),
        "--output_dir",
        str(study / "out"),
        "--workers",
        "1",
        "--gin_bindings",
        endless,
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "causal_disent.cli.main", "study", *options],
        stderr=subprocess.PIPE,
        env={**os.environ, "CAUSAL_DISENT_PLUGINS": ""},
        text=True,
    )
    while not list(study.glob("out/*/logs/*")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    again = error.partition("The same command goes on:\n    ")[2]
    assert shlex.split(again) == ["causal-disent", "study", *options]
    assert not list(study.glob("out/*/.*lease*"))


def test_a_study_may_end_with_a_page(study, capsys):
    config = study / "s.gin"
    config.write_text(config.read_text() + "study.report = 'page.html'\n")
    assert run(study, str(config)) == 1  # one oracle is not known
    assert f"  -> {study / 'out/page.html'}" in capsys.readouterr().out
    text = (study / "out/page.html").read_text()
    assert "perfect_oracle" in text and "Unknown representation" in text
    (study / "out/page.html").unlink()
    assert run(study, str(config), "--gin_bindings", "study.report = None") == 1
    assert not (study / "out/page.html").exists()


def test_a_page_that_cannot_be_written_does_not_make_a_study_fail(study, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    config = study / "s.gin"
    config.write_text(
        CONFIG.format(folder=study).replace("*/mean", "perfect*/mean") + "study.report = 'page.html'\n"
    )
    assert run(study, str(config)) == 0
    assert "there is no page: A report needs the package jinja2" in capsys.readouterr().err


def test_the_page_stays_in_the_folder(study, capsys):
    assert run(study, str(study / "s.gin"), "--gin_bindings", "study.report = '../page.html'") == 2
    assert "is the name of a file" in capsys.readouterr().err
