"""What a long piece of work says of itself."""

import io
import sys
import threading

import pytest

from causal_disent import progress
from causal_disent.progress import steps


class Output(io.StringIO):
    """A standard error that is a terminal, or is none."""

    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal


def told(monkeypatch, terminal):
    """What is written while two steps are at work, the second until it has been told of."""
    monkeypatch.setattr(progress, "DELAY", 0.001)
    monkeypatch.setattr(progress, "TICK", 0.001)
    monkeypatch.setattr(sys, "stderr", output := Output(terminal))
    for name in steps(["quick", "slow"], "score"):
        for _ in range(60_000):
            if name == "quick" or "slow" in output.getvalue():
                break
            threading.Event().wait(0.001)
    return output.getvalue()


def test_plain_lines_where_there_is_no_terminal(monkeypatch):
    lines = told(monkeypatch, terminal=False).splitlines()
    assert lines in (["score: slow (2 of 2)"], ["score: quick (1 of 2)", "score: slow (2 of 2)"])


def test_a_line_that_vanishes_on_a_terminal(monkeypatch):
    written = told(monkeypatch, terminal=True)
    assert "\rscore: slow (2 of 2), 0 s\x1b[K" in written
    assert written.endswith("\r\x1b[K") and "\n" not in written


def test_short_work_says_nothing(capsys):
    threads = threading.active_count()
    assert list(steps(["a", "b"], "score")) == ["a", "b"]
    assert capsys.readouterr().err == "" and threading.active_count() == threads


@pytest.mark.parametrize("end", ["close", "throw"])
def test_work_that_is_broken_off_ends_its_telling(end):
    threads = threading.active_count()
    working = steps(["a", "b"], "score")
    next(working)
    if end == "close":
        working.close()
    else:
        with pytest.raises(KeyboardInterrupt):
            working.throw(KeyboardInterrupt)
    assert threading.active_count() == threads
