"""Commands that tell of a study or a tree of results, given one that a stranger has spoiled."""

import os
import signal
from html.parser import HTMLParser

import numpy as np
import pytest
from trees import SECRET, make_tree, spoil

from causal_disent import errors
from causal_disent.cli import _run
from causal_disent.cli.main import main

#: ``make fuzz`` asks for many.
TREES, SEED = (
    int(os.environ.get(f"CAUSAL_DISENT_FUZZ_{name}", given)) for name, given in (("TREES", 12), ("SEED", 0))
)
#: Seconds after which a command counts as one that waits for ever.
PATIENCE = 300


class Hangs(BaseException):
    """A command waits for something."""


class Page(HTMLParser):
    """What a browser would run, load or send because of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if (
            tag in ("iframe", "object", "embed", "link", "base", "form")
            or any(name.startswith("on") for name in given)
            or not (given.get("src") or "data:").startswith("data:")
        ):
            self.found.append((tag, attributes))


@pytest.fixture
def faults(monkeypatch):
    """What has gone wrong within a command, without a message in words for it."""
    found, told = [], _run._told

    def note(error):
        if not isinstance(error, (errors.CausalDisentError, OSError)):
            found.append(repr(error)[:300])
        return told(error)

    monkeypatch.setattr(_run, "_told", note)
    return found


def hang(signum, frame):
    raise Hangs


def test_trees(tmp_path, monkeypatch, capsys, faults):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGALRM, hang)
    for number in range(TREES):
        place = tmp_path / str(number)
        study = make_tree(place)
        done = spoil(study, np.random.RandomState([SEED, number]))
        outside = {path.name: path.read_bytes() for path in (place / "outside").iterdir()}
        own = ["--output_dir", str(study)]
        for words in (
            ["results", str(study), "--output", str(place / "table.csv")],
            ["results", str(study), "--output", str(place / "table.parquet")],
            ["report", str(study), "--output", str(place / "page.html")],
            ["study", "ls", str(study), "--all"],
            ["study", "show", "0", *own],
            ["study", "best", "uc", *own],
            ["study", "export", str(place / "export.csv"), *own],
            ["study", str(study / "study.gin"), "--dry_run", *own],
            ["study", "retry", "--dry_run", *own],
        ):
            what = (SEED, number, done, words)
            signal.alarm(PATIENCE)
            try:
                code = main(words)
            finally:
                signal.alarm(0)
            said = capsys.readouterr()
            assert not faults, (what, faults)
            assert code == 0 or (code == 2 and said.err.strip()), (what, code)
            for text in said:
                assert all(character.isprintable() or character == "\n" for character in text), (what, text)
                assert not any(line.startswith("forged") for line in text.splitlines()), (what, text)
                assert SECRET not in text and "Traceback" not in text, (what, text)
        for file in place.glob("*.*"):
            assert SECRET.encode() not in file.read_bytes(), (what, file)
        if (place / "page.html").exists():
            assert not Page((place / "page.html").read_text()).found, what
        assert {path.name: path.read_bytes() for path in (place / "outside").iterdir()} == outside, what
    signal.signal(signal.SIGALRM, before)
