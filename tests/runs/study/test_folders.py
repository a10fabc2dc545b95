"""What folders hold, with and without the index."""

import json
import os
import shutil

import pytest

from causal_disent.runs import study_plan as folders
from causal_disent.runs.study_plan import INDEX, Found, scan


def add(study, number, task, stamp="s"):
    step = folders.step_of(task)
    place = study / str(number) / task / "results" / "json"
    place.mkdir(parents=True)
    (place / f"{step}_config.json").write_text(json.dumps({"study_task.config": f"'{stamp}'"}))


def age(study):
    """Let everything be as old as it would be in life, so that the index takes it."""
    for at, _, _ in os.walk(study):
        os.utime(at, ns=(10**18, 10**18 + int(os.stat(at).st_mtime_ns % 10**9)))


@pytest.fixture
def study(tmp_path):
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "run.json").write_text(json.dumps({"model": f"m{number}"}))
        add(tmp_path, number, "model")
        add(tmp_path, number, "postprocessed/mean")
        add(tmp_path, number, "metrics/mean/mig", f"mig{number}")
    age(tmp_path)
    return tmp_path


def test_what_is_there_is_found(study):
    found = scan(study)
    assert found[1] == Found(
        {"model": "m1"}, {"model": "s", "postprocessed/mean": "s", "metrics/mean/mig": "mig1"}
    )
    assert list(found) == [0, 1, 2]


def unread(monkeypatch):
    """Have every reading of a run's folder fail."""

    def look(*_):
        raise AssertionError("a folder was read that the index knows")

    monkeypatch.setattr(folders, "look", look)


def test_the_second_scan_reads_nothing(study, monkeypatch):
    first = scan(study)
    unread(monkeypatch)
    assert scan(study) == first


@pytest.mark.parametrize("place", ["model", "postprocessed/mean", "metrics/mean/mig"])
def test_what_was_removed_is_missed_in_spite_of_the_index(study, place):
    scan(study)
    shutil.rmtree(study / "1" / place)
    assert place not in scan(study)[1].done and place in scan(study)[2].done


@pytest.mark.parametrize("task", ["postprocessed/sampled", "metrics/mean/irs", "metrics/sampled/mig"])
def test_what_was_added_is_found_in_spite_of_the_index(study, task):
    scan(study)
    add(study, 2, task)
    assert task in scan(study)[2].done


def test_what_changed_a_moment_ago_is_not_put_into_the_index(study):
    add(study, 0, "metrics/mean/irs")
    scan(study)
    assert "0" not in json.loads((study / INDEX).read_text())["runs"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 2}',
        '{"version": 0, "runs": {}}',
        '{"version": 2, "runs": {"0": {}}}',
        "\xff",
        '{"version": 2, "runs": {"0": {"times": [1], "what": {}, "done": {}}}}',
        '{"version": 2, "runs": {"0": {"times": {}, "what": 3, "done": null}}}',
    ],
)
def test_an_index_that_cannot_be_used_is_made_anew(study, text):
    first = scan(study)
    (study / INDEX).write_text(text)
    assert scan(study) == first
    assert len(json.loads((study / INDEX).read_text())["runs"]) == 3


def test_an_index_that_was_edited_is_made_anew(study):
    first = scan(study)
    content = json.loads((study / INDEX).read_text())
    content["runs"]["0"]["done"]["metrics/mean/irs"] = "s"
    (study / INDEX).write_text(json.dumps(content))
    assert scan(study) == first


@pytest.mark.parametrize("times", [{}, {"\0": [1, 1]}, {"": [1]}, {"": 3, "\0": None}])
def test_an_index_that_was_forged_says_nothing(study, times):
    first = scan(study)
    runs = json.loads((study / INDEX).read_text())["runs"]
    for one in runs.values():
        one.update(times=times, done={})
    folders._write_index(study / INDEX, runs)
    assert scan(study) == first


def test_the_index_of_a_copy_that_leaves_something_out_is_made_anew(study, tmp_path_factory):
    scan(study)
    copy = tmp_path_factory.mktemp("copies") / "copy"
    shutil.copytree(study, copy, ignore=shutil.ignore_patterns("mig"))
    for at, _, _ in os.walk(copy):
        shutil.copystat(study / os.path.relpath(at, copy), at)  # as rsync -a does
    assert "metrics/mean/mig" not in scan(copy)[0].done


@pytest.mark.parametrize("name", ["00", "\u0663", "1_0", "9" * 30, "-1"])
def test_a_number_is_written_in_one_way(study, name):
    shutil.copytree(study / "0", study / name)
    assert list(scan(study)) == [0, 1, 2]


def test_half_written_folders_and_others_do_not_count(study):
    (study / "0/metrics/mean/.irs.x.partial").mkdir()
    (study / "notes").mkdir()
    (study / "0/model.partial").mkdir()
    assert list(scan(study)[0].done) == ["model", "postprocessed/mean", "metrics/mean/mig"]


def test_a_folder_without_results_is_told_from_one_with(study):
    (study / "0/metrics/mean/irs").mkdir()
    assert scan(study)[0].done["metrics/mean/irs"] is None


def test_failures_and_leases(study):
    (study / "0/failures/metrics/mean").mkdir(parents=True)
    for metric in ("mig", "irs"):
        (study / f"0/failures/metrics/mean/{metric}.json").write_text('{"message": "no", "attempts": 2}')
    (study / "0/failures/metrics/mean/torn.json").write_text('{"mess')
    (study / "0/failures/metrics/mean/strange.json").write_text('{"message": "no", "attempts": "many"}')
    (study / "0/failures/metrics/mean/other.json").write_text('{"attempts": 1, "last_lines": 3}')
    (study / "0/.train.lease.elsewhere~1~x").touch()
    found = scan(study)[0]
    told = {place: (failure["attempts"], failure["last_lines"]) for place, failure in found.failed.items()}
    places = ("irs", "other", "strange")  # mig is done
    assert told == {f"metrics/mean/{place}": (2 if place == "irs" else 1, []) for place in places}
    assert found.failed["metrics/mean/irs"]["message"] == "no"
    assert found.leases == ["train"]


def test_no_study_is_an_empty_one(tmp_path):
    assert scan(tmp_path / "nowhere") == {}
