"""What a long piece of work says of itself."""

import io
import sys
import threading

import pytest

from causal_disent import progress
from causal_disent.progress import steps, track


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


@pytest.mark.parametrize(
    ("until", "left"), [(progress.inf, ", about 0:00:40 left"), (35.0, ", at most 0:00:20 left")]
)
def test_the_time_that_is_left_in_all(monkeypatch, until, left):
    """One step of weight 1 took 10 seconds; the second of weight 2 has been at work for 5; one of 3 is to come."""
    monkeypatch.setattr(progress, "monotonic", lambda: 0.0)
    at_work = progress._AtWork(["a", "b", "c"], "score", [1, 2, 2.5], until)
    assert at_work._left(0) == (", at most 0:00:35 left" if until < progress.inf else "")
    at_work.number, at_work.since = 1, 10.0
    monkeypatch.setattr(progress, "monotonic", lambda: 15.0)
    assert at_work._left(1) == left


def test_a_notebook_shows_one_line(monkeypatch):
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    written = told(monkeypatch, terminal=False)
    assert "\rscore: slow (2 of 2), 0 s" in written and "\n" not in written and "\x1b" not in written


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


class Clock:
    """A clock that goes on by so many seconds at each look."""

    def __init__(self, *seconds):
        self.now, self.seconds = 0.0, iter(seconds)

    def __call__(self):
        now, self.now = self.now, self.now + next(self.seconds, 0)
        return now


def logged(monkeypatch, items, *seconds, **options):
    """The lines of a log while each of `items` takes so many seconds."""
    monkeypatch.setattr(sys, "stderr", output := Output(terminal=False))
    monkeypatch.setattr(progress, "monotonic", Clock(*seconds))
    assert list(track(items, "training", unit="step", **options)) == list(items)
    return output.getvalue().splitlines()


def test_a_log_gets_a_line_now_and_then(monkeypatch):
    """After 10 seconds, then after 20, 40, 60 and 60 more."""
    lines = logged(monkeypatch, range(240), *[1] * 240)
    assert [line.split(",")[0] for line in lines] == [
        f"training: step {done} of 240" for done in (10, 30, 70, 130, 190)
    ]
    assert lines[0] == "training: step 10 of 240, 0:03:50 left" and lines[-1].endswith("0:00:50 left")


def test_what_takes_long_may_have_a_note(monkeypatch):
    lines = logged(monkeypatch, [1, 2, 3], 3600, 7200, 0, note=lambda: "loss 12.5")
    assert lines == [
        "training: step 1 of 3, loss 12.5, 2:00:00 left",
        "training: step 2 of 3, loss 12.5, 1:30:00 left",
    ]


def test_work_of_unknown_length(monkeypatch):
    monkeypatch.setattr(sys, "stderr", output := Output(terminal=False))
    monkeypatch.setattr(progress, "monotonic", Clock(11, 0))
    assert list(track(iter("ab"), "reading", unit="chunk")) == ["a", "b"]
    assert output.getvalue() == "reading: chunk 1\n"


def test_short_work_leaves_a_log_alone(monkeypatch):
    assert logged(monkeypatch, range(100), note=lambda: pytest.fail("nobody asked")) == []


def test_a_terminal_shows_the_note(monkeypatch):
    monkeypatch.setattr(sys, "stderr", output := Output(terminal=True))
    monkeypatch.setattr(progress, "DELAY", 0)
    for _ in track(range(3), "training", note=lambda: "loss 12.5"):
        threading.Event().wait(0.15)
    assert "training" in output.getvalue() and "loss 12.5" in output.getvalue()
