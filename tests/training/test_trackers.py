"""What follows a training: the file of curves, trackio, and trackers that fail."""

import sqlite3
import subprocess
import sys

import pytest

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.registry import Entry, registry
from causal_disent.training.trackers import CurvesFile, Trackers, clear_tracked, copy_tracked


@pytest.fixture
def known(request):
    """Makes a tracker known for the time of a test."""

    def register(name, target, **facts):
        request.addfinalizer(registry.replace(Entry("trackers", name, "test", target, "", facts)))

    return register


def following(folder, names, first_step=0, **options):
    with gin_config([], [f"tracking.trackers = {names!r}"]):
        return Trackers(folder, first_step, **options)


def lines(folder):
    return (folder / "curves/curves.csv").read_text().splitlines()


def test_terms_are_written_at_once(tmp_path):
    trackers = following(tmp_path, ["curves"])
    trackers.add({"loss": 2.5, "kl_loss": 0.1}, 50)
    assert lines(tmp_path) == ["step,term,value", "50,loss,2.5", "50,kl_loss,0.1"]
    trackers.close()


def test_what_comes_after_the_checkpoint_is_dropped_when_a_run_goes_on(tmp_path):
    before = following(tmp_path, ["curves"])
    for step in (50, 100, 150):
        before.add({"loss": step / 10}, step)
    before.close()
    with (tmp_path / "curves/curves.csv").open("a") as file:
        file.write("200,lo")  # torn by a kill
    after = following(tmp_path, ["curves"], first_step=100)
    after.add({"loss": 0.5}, 150)
    after.close()
    assert lines(tmp_path) == ["step,term,value", "50,loss,5.0", "100,loss,10.0", "150,loss,0.5"]


def test_the_curves_follow_unasked(tmp_path):
    with gin_config([], []):
        trackers = Trackers(tmp_path, 0, tensorboard=False)
    trackers.add({"loss": 1.0}, 1)
    trackers.close()
    assert [place.name for place in tmp_path.iterdir()] == ["curves"]


def test_a_tracker_that_fails_does_not_stop_the_training(tmp_path, known, capsys):
    class Failing:
        def __init__(self, folder, first_step):
            pass

        def add_scalar(self, name, value, step):
            raise RuntimeError("the server is gone")

        def close(self):
            raise RuntimeError("gone for good")

    class Stuck(Failing):
        def add_scalar(self, name, value, step):
            pass

    known("failing", Failing)
    known("stuck", Stuck)
    trackers = following(tmp_path, ["failing", "stuck", "curves"])
    for step in (1, 2):
        trackers.add({"loss": 1.0}, step)
    trackers.close()
    said = capsys.readouterr().err
    assert said.count("the tracker failing failed and is left out: RuntimeError: the server is gone") == 1
    assert "the tracker stuck could not be ended: RuntimeError: gone for good" in said
    assert len(lines(tmp_path)) == 3


def test_what_is_asked_for_must_be_there(tmp_path, known):
    def missing(folder, first_step):
        raise ModuleNotFoundError("No module named 'far_away'")

    known("missing", missing, package="far-away", always=True)
    with pytest.raises(errors.InvalidInput, match="The tracker 'missing' needs the package far-away: pip install"):
        following(tmp_path, ["missing"])
    with gin_config([], []):
        Trackers(tmp_path, 0, tensorboard=False).close()  # not asked for


@pytest.mark.parametrize(
    ("names", "message"), [(["curvs"], "curves"), ("curves", "must be a list of texts.*given: 'curves'")]
)
def test_mistakes_are_named(tmp_path, names, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        following(tmp_path, names)


def test_what_trackers_wrote_goes_along_and_is_removed(tmp_path):
    partial, target = tmp_path / "m.partial", tmp_path / "m"
    following(partial, ["curves"]).close()
    (partial / "another").mkdir()
    target.mkdir()
    copy_tracked(partial, target)
    clear_tracked(partial)
    assert [place.name for place in target.iterdir()] == ["curves"]
    assert [place.name for place in partial.iterdir()] == ["another"]


def test_a_stranger_s_curves_are_not_read_without_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr("causal_disent.training.trackers.MOST_BYTES", 10)
    (tmp_path / "curves.csv").write_text("50,loss,1.0\n" * 3)
    with pytest.raises(errors.InvalidInput, match="10 are the most"):
        CurvesFile(tmp_path)


RUN = """
import sys
from pathlib import Path
from causal_disent.training.trackers import TrackioRun

for first, steps in ((0, (50, 100)), (100, (150,))):
    run = TrackioRun(Path(sys.argv[1]) / "0" / "model.partial" / "trackio", first, project="trial")
    for step in steps:
        run.add_scalar("loss", 1 / step, step)
        run.add_scalar("kl_loss", 2 / step, step)
    run.close()
"""


def test_trackio_keeps_the_run_here(tmp_path, monkeypatch):
    pytest.importorskip("trackio", reason="pip install 'causal-disent[trackio]'")
    # In a process of its own, which reads where trackio's files are, without a way to the network.
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "kept"))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(tmp_path / "kept/trial.db") as database:
        rows = database.execute("select run_name, step, metrics from metrics order by step").fetchall()
    assert {name for name, *_ in rows} == {f"{tmp_path.name}/0/model"}
    assert [step for _, step, _ in rows] == [50, 100, 150] and "kl_loss" in str(rows[0][2])
