"""What a plugin gives fails when it is called: engines, trackers, metrics, data sets. Nothing else does."""

import pytest

from causal_disent.cli.main import main
from causal_disent.config import gin_config
from causal_disent.protocols import Finished
from causal_disent.registry import Entry, registry
from causal_disent.runs.results import write_results
from causal_disent.training.trackers import Trackers


class Mute(Exception):
    """Its text raises what ends a program."""

    def __str__(self):
        raise SystemExit(0)


RAISED = [SystemExit(0), Mute(), ValueError("\x1b[2J\nforged: 1")]


@pytest.fixture
def known(request):
    """Makes something of a plugin known for the time of a test."""

    def register(kind, name, target, **facts):
        request.addfinalizer(registry.replace(Entry(kind, name, "a_plugin", target, "", facts)))

    return register


def printed(capsys):
    said = capsys.readouterr()
    for text in said:
        assert all(character.isprintable() or character == "\n" for character in text)
        assert not any(line.startswith(("forged", "Traceback")) for line in text.splitlines())
        assert "should not have happened" not in text
    return said


class Inline:
    """An engine that does the work in this process."""

    workers = 1

    def run(self, function, work):
        for piece in work:
            yield None if piece is None else Finished(piece, function(piece))


def engine(**parts):
    return type("Made", (Inline,), parts)


def raises(error):
    def fail(*given):
        raise error

    return fail


ENGINES = {
    **{f"made: {type(error).__name__}": raises(error) for error in RAISED},
    **{f"run: {type(error).__name__}": engine(run=raises(error)) for error in RAISED},
    "workers: none": engine(workers=None),
    "workers: no whole number": engine(workers=0.5),
    "workers: raises": engine(workers=property(raises(SystemExit(0)))),
    "no engine": lambda: 5,
    "run: no generator": engine(run=lambda self, function, work: 5),
    "run: text": engine(run=lambda self, function, work: iter("text")),
    "run: nothing": engine(run=lambda self, function, work: iter(())),
    "run: of others": engine(run=lambda self, function, work: iter([Finished("others")])),
    "run: twice": engine(
        run=lambda self, function, work: (Finished(one, function(one)) for piece in work for one in [piece] * 2)
    ),
    "run: lost": engine(run=lambda self, function, work: (Finished(piece, 7) for piece in work)),
    "run: no text": engine(run=lambda self, function, work: (Finished(piece, None, 5) for piece in work)),
}


@pytest.fixture
def study(oracle_folder, tmp_path):
    (tmp_path / "s.gin").write_text(
        f"study.folders = '{oracle_folder()}'\n"
        "study.metrics = ['metrics/uc.gin']\nstudy.bindings = ['uc.num_train = 30']\n"
    )
    return ["study", str(tmp_path / "s.gin"), "--output_dir", str(tmp_path / "out")]


@pytest.mark.parametrize("what", ENGINES)
def test_an_engine_fails(what, study, known, capsys):
    known("engines", "made", ENGINES[what])
    code = main([*study, "--engine", "made"])
    said = printed(capsys)
    assert code in (1, 2) and said.err.strip(), (code, said)
    if "raises" in what or ":" not in what or "made" in what:
        assert "The engine 'made' of the plugin a_plugin cannot be used" in said.err
    known("engines", "made", Inline)  # and nothing of it stays
    assert main([*study[:2], "--engine", "made", "--output_dir", f"{study[3]}2"]) == 0


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("where", ["__init__", "add_scalar", "close"])
def test_a_tracker_fails(error, where, known, tmp_path, capsys):
    parts = {
        "__init__": lambda self, folder, first_step: None,
        "add_scalar": lambda self, *given: None,
        "close": lambda self: None,
    }
    known("trackers", "made", type("Made", (), {**parts, where: raises(error)}), always=True)
    with gin_config([], []):
        trackers = Trackers(tmp_path, 0, tensorboard=False)
    trackers.add({"loss": 1.0}, 1)
    trackers.add({"loss": 0.5}, 2)
    trackers.close()
    assert (tmp_path / "curves/curves.csv").read_text().splitlines()[1:] == ["1,loss,1.0", "2,loss,0.5"]
    assert printed(capsys).err.count("made") == 1


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("where", ["made", "factor_table", "factor_names", "graph"])
def test_a_data_set_fails_in_a_report(error, where, known, tmp_path, capsys):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    broken = type("Data", (), {} if where == "made" else {where: property(raises(error))})
    known("datasets", "made", raises(error) if where == "made" else broken)
    for run in "ab":
        bindings = {"evaluation.evaluation_fn": "@uc", "dataset.name": "'made'", "representation.name": f"'{run}'"}
        write_results(tmp_path / "tree" / run, "evaluation", {"UC": 0.5}, "", bindings)
    assert main(["report", str(tmp_path / "tree"), "--output", str(tmp_path / "page.html")]) == 0
    printed(capsys)
    assert "Which model is best?" in (tmp_path / "page.html").read_text()


METRICS = """
from causal_disent.hookspecs import hookimpl

class Mute(Exception):
    def __str__(self):
        raise SystemExit(0)

def failing(error):
    def metric(ground_truth_data, representation_function, random_state, artifact_dir=None):
        raise error
    return metric

def nice(ground_truth_data, representation_function, random_state, artifact_dir=None):
    return {"score": 1.0}

@hookimpl
def register_metrics(register):
    register("ends", failing(SystemExit(0)), summary="")
    register("mute", failing(Mute()), summary="")
    register("nice", nice, summary="")
"""


def test_metrics_of_a_study_fail_alone(site, oracle_folder, tmp_path):
    site.add("metrics", METRICS)
    configs = []
    for name in ("ends", "mute", "nice"):
        configs.append(str(tmp_path / f"{name}.gin"))
        (tmp_path / f"{name}.gin").write_text(f"evaluation.evaluation_fn = @{name}\nevaluation.random_seed = 0\n")
    (tmp_path / "s.gin").write_text(f"study.folders = '{oracle_folder()}'\nstudy.metrics = {configs}\n")
    done = site.run(
        "causal_disent.cli.main", "study", str(tmp_path / "s.gin"), "--output_dir", str(tmp_path / "out"),
        CAUSAL_DISENT_PLUGINS="metrics",
    )  # fmt: skip
    assert done.returncode == 1 and "1 done, 2 failed" in done.stdout, (done.stdout, done.stderr)
    assert "SystemExit" in done.stderr and "metrics/model/mute" in done.stderr
    assert "Traceback" not in done.stderr
