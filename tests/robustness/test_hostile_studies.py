"""A study that goes on in a folder of a stranger: nothing outside is written, and nothing is waited for."""

import shutil
import signal

import pytest
from test_hostile_parts import Inline
from trees import NAME, put

from causal_disent.cli.main import main
from causal_disent.registry import Entry, registry
from causal_disent.runs import study_lease as lease
from causal_disent.runs.study import Progress, costs_of, read_study
from causal_disent.runs.study_plan import make_plan
from causal_disent.runs.study_work import Outcome, Work

PLACES = [
    "0/logs", "0/logs/evaluate_model.log", "0/metrics", "0/metrics/model", "0/metrics/model/uc", "0/failures",
    "0/.evaluate_model.lease.0", "0/run.json", "0", ".owners", ".numbers.lease.0", ".index.json", "study.gin",
    ".0.partial", "page.html",
]  # fmt: skip
KINDS = {"pipe": 0, "loop": 2, "link to a file": 3, "link to a folder": 4, "folder": 5}


class Waits(BaseException):
    """A command waits for something."""


def wait(signum, frame):
    raise Waits


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder of a study that was done, and its config."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "model").mkdir()
    (folder / "model/representation.gin").write_text(
        "representation.name = 'perfect_oracle'\ndataset.name = 'synthetic_mini'\n"
    )
    (folder / "s.gin").write_text(
        f"study.folders = '{folder}/model'\nstudy.metrics = ['metrics/uc.gin']\n"
        "study.bindings = ['uc.num_train = 30']\nstudy.engine = 'inline'\n"
    )
    restore = registry.replace(Entry("engines", "inline", "tests", Inline, "for tests"))
    assert main(["study", str(folder / "s.gin"), "--output_dir", str(folder / "out")]) == 0
    yield folder
    restore()


@pytest.fixture
def limited():
    """Whatever waits for minutes fails."""
    before = signal.signal(signal.SIGALRM, wait)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_a_study_goes_on(place, kind, done, tmp_path, monkeypatch, capsys, limited):
    monkeypatch.setattr(lease, "DEAD_AFTER", 0.2)
    study, outside = tmp_path / "out", tmp_path / "outside"
    shutil.copytree(done / "out", study)
    outside.mkdir()
    (outside / "secret").write_text("secret")
    if "run.json" not in place and place != "0":
        shutil.rmtree(study / "0/metrics")  # so that there is something to do
    (study / place).parent.mkdir(parents=True, exist_ok=True)
    put(study / place, KINDS[kind], outside)
    code = main(["study", str(done / "s.gin"), "--output_dir", str(study)])
    said = capsys.readouterr()
    assert "should not have happened" not in said.err
    assert code == 0 or (code in (1, 2) and said.err.strip()), said
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "secret"
    if code == 0:
        assert main(["study", "export", str(tmp_path / "t.csv"), "--output_dir", str(study)]) == 0


@pytest.mark.parametrize("on_terminal", [True, False])
def test_logs_steer_no_terminal(on_terminal, done, tmp_path, monkeypatch, capsys):
    """The last line of a log stands beside the bar, or in a line of its own."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: on_terminal, raising=False)
    monkeypatch.setattr("causal_disent.runs.study.FIRST", 0.0)
    plan = make_plan(read_study(done / "s.gin")[0], tmp_path)
    plan.runs[0].number = 0
    progress = Progress(plan, costs_of(plan), 1)
    work = Work(0, str(tmp_path), "evaluate_x", f"label {NAME}", ())
    work.log.parent.mkdir()
    work.log.write_text(f"=== metrics/x/uc\nlast {NAME}\x1b]0;title\x07")
    progress.look({work: 0.0}, 3.0, set())
    progress.ended(work, [Outcome("metrics/model/uc", f"it failed: {NAME}")])
    progress.close()
    said = capsys.readouterr().err
    assert "failed  0" in said and "metrics/x/uc" in said
    assert "\x1b[2J" not in said and "\x1b]0" not in said and "\x9b" not in said
    assert not any(line.startswith("forged") for line in said.replace("\r", "\n").splitlines())
