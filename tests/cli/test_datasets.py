"""``causal-disent datasets``: the list, ``show`` and ``verify``."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from causal_disent import __version__, errors
from causal_disent.cli._arguments import read_options
from causal_disent.cli.main import main
from causal_disent.data.candle_mini import CandleMini
from causal_disent.registry import Entry, registry


class Files:
    """A data set of files, which are alternatives."""

    there = ()

    def __init__(self, folder=None, size=64):
        pass

    @classmethod
    def locate(cls):
        return [(Path("data") / name, name in cls.there) for name in ("a.npz", "b.h5")]

    @classmethod
    def is_found(cls):
        return bool(cls.there)

    @classmethod
    def verify(cls, skip_broken=False, folder=None):
        if not skip_broken:
            raise errors.InvalidInput("data/a.npz cannot be used: it is cut short.")
        return [f"data/b.h5 in {folder}: sha256 as published", "480 images"]


DETAILS = {
    "files": "a.npz or b.h5",
    "licence": "CC BY 4.0; the pictures are in the public domain",
    "published": "https://example.org/data; " + "and elsewhere " * 20,
    "size": "26 MB; 3 GB once unpacked",
}


@pytest.fixture
def files(monkeypatch):
    """A function that registers the data set with some of its files."""
    restore = registry.replace(Entry("datasets", "files", "tests", Files, "two factors, 10 images", DETAILS))
    yield lambda *names: monkeypatch.setattr(Files, "there", names)
    restore()


def run(capsys, *arguments):
    code = main(["datasets", *arguments])
    return code, capsys.readouterr()


def line_of(out, name):
    return next(line for line in out.splitlines() if line.split()[:1] == [name])


def test_the_list_tells_what_is_found(capsys, files):
    for there, state in (((), "missing"), (("b.h5",), "found"), (("a.npz", "b.h5"), "found")):
        files(*there)
        code, shown = run(capsys)
        assert code == 0
        assert " ".join(line_of(shown.out, "files").split()) == f"files {state} CC BY 4.0 two factors, 10 images"
        assert line_of(shown.out, "candle_mini").split()[1] == "none"


def test_without_is_found_all_files_are_needed(capsys, files, monkeypatch):
    monkeypatch.delattr(Files, "is_found")
    files("b.h5")
    assert line_of(run(capsys)[1].out, "files").split()[1] == "missing"
    files("a.npz", "b.h5")
    assert line_of(run(capsys)[1].out, "files").split()[1] == "found"


def test_show(capsys, files):
    files("b.h5")
    code, shown = run(capsys, "show", "files", "candle_mini")
    assert code == 0
    first, second = shown.out.split("\n\n")
    lines = first.splitlines()
    assert lines[0] == "files, a data set of the plugin tests"
    assert lines[1:4] == [
        "    two factors, 10 images",
        "    files        found",
        "    licence      CC BY 4.0; the pictures are in the public domain",
    ]
    assert "    size         26 MB; 3 GB once unpacked" in lines
    assert lines[-6:] == [
        f"    looks for    {Path.cwd() / 'data' / 'a.npz'} (missing)",
        f"                 {Path.cwd() / 'data' / 'b.h5'} (found)",
        "    module       test_datasets",
        "    parameters   files.folder = None",
        "                 files.size = 64",
        "    to use it    dataset.name = 'files'",
    ]
    assert max(map(len, lines[:-6])) <= 100 and " ".join(first.split()).count("elsewhere") == 20
    assert second.splitlines()[0] == f"candle_mini, a data set of the plugin builtin {__version__}"
    assert "    parameters   candle_mini.scenes = 3" in second.splitlines()
    assert run(capsys, "files", "candle_mini")[1].out == shown.out


def test_show_all(capsys):
    out = run(capsys, "show")[1].out
    for entry in registry.entries("datasets"):
        assert f"{entry.name}, a data set of the plugin {entry.owner} " in out


def test_verify_names_what_is_wrong(capsys, files):
    code, shown = run(capsys, "verify", "files")
    assert code == 2 and shown.err == "error: data/a.npz cannot be used: it is cut short.\n" and shown.out == ""


def test_verify_prints_what_was_checked(capsys, files):
    code, shown = run(capsys, "verify", "files", "--skip_broken", "--options", "folder=/data")
    assert code == 0
    assert shown.out.splitlines() == ["data/b.h5 in /data: sha256 as published", "480 images", "files: ok"]


def test_what_is_incomplete_is_not_called_ok(capsys, files, monkeypatch):
    monkeypatch.setattr(
        Files, "verify", classmethod(lambda cls: ["10 images", "incomplete: 10 of 12 combinations"])
    )
    code, shown = run(capsys, "verify", "files")
    assert code == 0
    assert shown.out.splitlines() == ["10 images", "files: incomplete: 10 of 12 combinations"]


def test_verify_without_files(capsys):
    code, shown = run(capsys, "verify", "candle_mini")
    assert code == 0 and shown.out == "candle_mini is made by a program; there are no files to check.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "candle_min"], "Unknown data set 'candle_min'. Did you mean 'candle_mini'?"),
        (["show", "candle_min"], "Unknown data set 'candle_min'. Did you mean 'candle_mini'?"),
        (["verify", "files", "--options", "folders=3"], "has no parameter 'folders'. Did you mean 'folder'?"),
    ],
)
def test_wrong_calls_exit_with_2(capsys, files, arguments, message):
    code, shown = run(capsys, *arguments)
    assert code == 2 and message in shown.err


def test_skip_broken_where_there_is_no_such_thing(capsys, files, monkeypatch):
    monkeypatch.setattr(Files, "verify", classmethod(lambda cls: []))
    code, shown = run(capsys, "verify", "files", "--skip_broken")
    assert code == 2 and "'files' has no parameter 'skip_broken'" in shown.err


def test_options_are_literals_or_text():
    assert read_options("candle_mini", CandleMini, ["scenes=16"]) == {"scenes": 16}
    assert read_options("candle_mini", CandleMini, ["scenes=many"]) == {"scenes": "many"}
    assert read_options("candle_mini", CandleMini, ["scenes=(1, 2)"]) == {"scenes": (1, 2)}


def test_data_sets_are_compared_and_drawn(tmp_path, capsys):
    path = tmp_path / "samples.png"
    names = ["candle_mini", "synthetic_mini", "identity_data"]
    assert main(["datasets", *names, "--compare", "--samples", str(path)]) == 0
    out = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert rows["candle_mini"][1:3] == ["6", "4,050"] and "no images" in " ".join(rows["identity_data"] + [out])
    with Image.open(path) as picture:
        pixels = np.asarray(picture)
    assert (
        pixels.shape[0] > 2 * 128
        and pixels.shape[1] > 8 * 128
        and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100
    )
    assert main(["datasets", "--compare", "--json", "candle_mini"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["confounders"] is True


@pytest.mark.parametrize("words", [["--samples", "x.txt", "candle_mini"], ["--samples", "x.png", "identity_data"]])
def test_samples_that_cannot_be_drawn(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["datasets", *words]) == 2
    assert "--output" not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
