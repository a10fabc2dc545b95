"""A process is killed before each of the system calls by which it changes files: old or new, and nothing left."""

import os

import pytest
from test_hostile_parts import Inline

from causal_disent.cli.main import main
from causal_disent.registry import Entry, registry
from causal_disent.runs import study_lease as lease
from causal_disent.runs.results import write_results

#: What changes the file system.
CALLS = ("fsync", "link", "mkdir", "open", "rename", "replace", "rmdir", "symlink", "unlink", "write")
#: Places that are tried of those that a command has; a run has too many for all.
MOST = int(os.environ.get("CAUSAL_DISENT_FUZZ_KILLS", 5))


def run(action, place, count_into=None):
    """Run `action` in a process that ends, as by SIGKILL, before its system call `place`; whether it did."""
    child = os.fork()
    if not child:
        number = 0

        def watched(real):
            def call(*args, **kwargs):
                nonlocal number
                number += 1
                if number > place:
                    os._exit(9)
                return real(*args, **kwargs)

            return call

        try:
            for name in CALLS:
                setattr(os, name, watched(getattr(os, name)))
            action()
            if count_into is not None:
                count_into.write_text(str(number))
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def places(action, file):
    """Some of the places to kill `action` at, the first and the last among them."""
    assert not run(action, 10**9, file)
    last = int(file.read_text())
    return sorted({*range(0, last, max(1, last // MOST)), last - 1})


def hidden(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob(".*") if path.name != ".index.json")


@pytest.fixture
def tree(tmp_path):
    for name in "ab":
        bindings = {
            "evaluation.evaluation_fn": "@uc",
            "dataset.name": "'synthetic_mini'",
            "representation.name": name,
        }
        write_results(tmp_path / "tree" / name, "evaluation", {"UC": 0.5}, "", bindings)
    return tmp_path / "tree"


@pytest.mark.parametrize("name", ["page.html", "table.csv", "table.parquet", "export.csv"])
def test_a_file_is_old_or_new(name, tree, tmp_path, capfd):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    into = tmp_path / "into"
    into.mkdir()
    target = into / name
    words = {
        "page.html": ["report", str(tree), "--output", str(target)],
        "export.csv": ["study", "export", str(target), "--output_dir", str(tree)],
    }.get(name, ["results", str(tree), "--output", str(target)])

    def action():
        main(words)

    action()
    new = target.read_bytes()
    found = places(action, tmp_path / "count")
    for place in found:
        target.write_bytes(b"old")
        assert run(action, place)
        assert target.read_bytes() in (b"old", new)
    action()
    assert target.read_bytes() == new and hidden(into) == [] and len(found) > 2
    capfd.readouterr()


def test_a_study_goes_on_after_a_kill_anywhere(tmp_path, oracle_folder, monkeypatch, request, capfd):
    request.addfinalizer(registry.replace(Entry("engines", "inline", "tests", Inline, "for tests")))
    monkeypatch.setattr(lease, "DEAD_AFTER", 0.2)
    source = oracle_folder("representation.name = 'perfect_oracle'\ndataset.name = 'synthetic_mini'\n")
    (tmp_path / "no.gin").write_text(
        "include 'metrics/uc.gin'\nevaluation.bins = 3\n"
    )  # which these data have not
    (tmp_path / "s.gin").write_text(
        f"study.folders = '{source}'\nstudy.metrics = ['metrics/uc.gin', '{tmp_path}/no.gin']\n"
        "study.bindings = ['uc.num_train = 30']\nstudy.engine = 'inline'\n"
    )

    def action():
        main(["study", str(tmp_path / "s.gin"), "--output_dir", str(tmp_path / "out")])

    place, done = 0, True
    while done:  # each time it comes further, and goes on from where it was
        done = run(action, place)
        place += 5
        result = tmp_path / "out/0/metrics/model/uc"
        assert not result.exists() or (result / "results/aggregate/evaluation.json").stat().st_size > 0
    assert place > 30
    capfd.readouterr()
    action()
    assert "1 done, 1 failed" in capfd.readouterr().out
    assert hidden(tmp_path / "out") == []
