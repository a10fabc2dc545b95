"""A study from other folders, moved, copied, and beside what does not belong to it."""

import json
import shutil

import pytest

from causal_disent import Study
from causal_disent.cli.main import main
from causal_disent.runs import study_lease as lease
from causal_disent.runs import study_work as numbers
from causal_disent.runs.study import read_study, state_text
from causal_disent.runs.study_plan import make_plan


@pytest.fixture
def here(trial, monkeypatch):
    """A study that was run by names that are right in one folder alone."""
    monkeypatch.chdir(trial.folder)
    trial.representations("perfect_oracle", "noise_oracle")
    trial.metric("spread")
    trial.relative = Study(folders="old/*/mean", metrics=["spread.gin"])
    assert trial.run(trial.relative, workers=1).counts == {"done": 2}
    return trial


def done(study, folder):
    """How many tasks of a study need not be done."""
    return make_plan(read_study(study)[0], folder).counts()["done"]


def test_what_tells_of_it_works_in_every_folder(here, monkeypatch, capsys):
    monkeypatch.chdir("/")
    for words in (["ls"], ["show", "0"], ["retry"]):
        assert main(["study", *words, "--output_dir", str(here.output)]) == 0
    assert "2 done, 0 running, 0 failed, 0 waiting" in capsys.readouterr().out
    monkeypatch.chdir(here.output)
    assert main(["study", "ls"]) == 0


def test_a_folder_is_the_same_however_it_is_named(here):
    absolute = Study(folders=f"{here.folder}/old/*/mean", metrics=[f"{here.folder}/spread.gin"])
    assert done(absolute, here.output) == 2 and done(here.relative, here.folder / "old/../study") == 2


def test_a_folder_is_the_same_when_the_study_is_moved(here):
    shutil.move(here.output, here.folder / "a")
    shutil.move(here.folder / "a", here.folder / "old/deeper")
    assert done(here.relative, here.folder / "old/deeper") == 2


def test_a_folder_is_the_same_when_it_is_moved_with_the_study(here, monkeypatch, tmp_path_factory):
    # As another machine sees it that has the shared file system elsewhere.
    other = tmp_path_factory.mktemp("other") / "mount"
    shutil.move(here.folder, other)
    monkeypatch.chdir(other)
    assert done(here.relative, other / "study") == 2


def test_a_folder_is_known_by_the_name_that_earlier_versions_wrote(here):
    for number, name in enumerate(("noise_oracle", "perfect_oracle")):
        (here.output / str(number) / "run.json").write_text(json.dumps({"folder": f"old/{name}/mean"}))
    assert done(here.relative, here.output) == 2


def test_a_copy_of_a_run_changes_nothing(here, capsys):
    before = here.run(here.relative, workers=1).table
    shutil.copytree(here.output / "0", here.output / "7")
    ended = here.run(here.relative, workers=1)
    assert ended.counts == {"done": 2}
    assert [one.number for one in make_plan(read_study(here.relative)[0], here.output).runs] == [0, 1]
    assert ended.table.equals(before)
    for words in (["best", "spread"], ["export", "scores.csv"]):
        assert main(["study", *words, "--output_dir", str(here.output)]) == 0
        assert "study/7/metrics" in capsys.readouterr().err


def test_the_time_that_a_metric_took_is_no_score_of_it(here):
    assert set(here.run(here.relative, workers=1).table["score"]) == {"spread"}


def test_it_says_that_it_waits_for_numbers(here, monkeypatch, capsys):
    monkeypatch.setattr(lease, "DEAD_AFTER", 0.5)
    monkeypatch.setattr(numbers, "PATIENCE", 0.1)
    here.representations("mixed_oracle")
    (here.output / ".numbers.lease.another-machine~1~abcdef12").touch()
    assert here.run(here.relative, workers=1).counts == {"done": 3}
    assert capsys.readouterr().err.count("waiting: another process of this study") == 1


def test_a_reason_of_failures_is_told_once(here):
    study = Study(folders="old/*/mean", metrics=[here.metric("flaky", "flaky.file = '/nowhere/at/all'")])
    assert here.run(study, workers=1).counts == {"failed": 2}
    lines = state_text(make_plan(read_study(study)[0], here.output)).splitlines()
    assert [line.split(" failed")[0] for line in lines if "nowhere" in line] == ["0, 1: metrics/mean/flaky"]
