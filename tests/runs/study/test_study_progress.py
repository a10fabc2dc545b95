"""What a person sees."""

import io
import sys
from dataclasses import replace

import pytest

from causal_disent import Study
from causal_disent.runs import study as study_progress
from causal_disent.runs.study import Costs, Progress
from causal_disent.runs.study_plan import Found, make_plan
from causal_disent.runs.study_work import DONE, FULL, LATER, Outcome, Work


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def plan(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "old" / name).mkdir(parents=True)
    study = Study(metrics=["metrics/mig.gin", "metrics/irs.gin"], folders=f"{tmp_path}/old/*")
    plan = make_plan(study, tmp_path / "study")
    for number, planned in enumerate(plan.runs):
        planned.number = number
    return plan


def work(plan, number):
    (unit,) = plan.units(plan.runs[number])
    unit.log.parent.mkdir(parents=True, exist_ok=True)
    unit.log.write_text("=== metrics/a/mig\nolder\n=== metrics/a/irs\nstep 20 of 100\n\n")
    return unit


def ended(progress, plan, unit: Work, *states):
    """Note in the plan how tasks ended, as a schedule does, and tell of it."""
    outcomes = [Outcome(task.place, state, 30.0) for task, state in zip(unit.tasks, states, strict=True)]
    found = plan.runs[unit.number].found
    for outcome in outcomes:
        if outcome.state == DONE:
            found.done[outcome.place] = ""
        elif outcome.state not in (FULL, LATER):
            found.failed[outcome.place] = {"attempts": 1}
    progress.ended(unit, outcomes)


def test_a_terminal_has_a_bar_and_a_line_for_each_worker(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    progress = Progress(plan, Costs(), workers=2)
    first = work(plan, 0)
    with first.log.open("a") as log:
        log.write("\x1b[2Jhidden\n")
    progress.look({first: 0.0}, 12.0, set())
    assert "  0: metrics/a/irs, " in terminal.getvalue() and "\x1b[2J" not in terminal.getvalue()
    ended(progress, plan, first, DONE, "ValueError: no\nand more")
    progress._shown = 0.0
    progress.look({}, 13.0, set())
    progress.close()
    shown = terminal.getvalue()
    assert "1 of 4" in shown and "25%" in shown
    assert f"failed  0: metrics/a/irs, {first.label}: ValueError: no\n" in shown and "and more" not in shown
    assert "1 failed, 30 s left" in shown  # two of 30 s, on two workers


def test_elsewhere_there_are_plain_lines(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", plain := io.StringIO())
    monkeypatch.setattr(study_progress, "SAY", 0.0)
    progress = Progress(plan, Costs(), workers=1)
    unit = work(plan, 0)
    progress.look({unit: 0.0}, 12.0, set())
    ended(progress, plan, unit, DONE, DONE)
    ended(progress, plan, work(plan, 1), FULL, LATER)
    progress.close()
    assert plain.getvalue().splitlines() == [
        "[0/4] begins on 1 worker",
        f"[2/4] 0: {unit.label}: metrics/a/mig, metrics/a/irs, 60 s left",
        "1: metrics/b/mig: no space is left; nothing new is begun",
    ]


def test_a_log_tells_of_long_tasks_while_they_run(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", plain := io.StringIO())
    clock = [0.0]
    monkeypatch.setattr(study_progress.time, "monotonic", lambda: clock[0])
    progress = Progress(plan, Costs(), workers=1)
    unit = work(plan, 0)
    for clock[0] in range(200):
        progress.look({unit: 0.0}, clock[0], set())
    lines = plain.getvalue().splitlines()[1:]
    assert lines[0] == "[0/4] 1 at work"
    times = ("10 s", "30 s", "70 s", "2 min", "3 min")
    assert lines[1::2] == [f"    0: metrics/a/irs, {unit.label}, {time}; step 20 of 100" for time in times]


def test_it_says_that_others_are_waited_for(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", plain := io.StringIO())
    clock = [0.0]
    monkeypatch.setattr(study_progress.time, "monotonic", lambda: clock[0])
    progress = Progress(plan, Costs(), workers=1)
    for clock[0] in range(100):
        progress.look({}, clock[0], set())
    assert plain.getvalue().splitlines()[1:] == ["[0/4] waiting for what other processes are at"] * 3


def test_what_others_do_counts(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", plain := io.StringIO())
    monkeypatch.setattr(study_progress, "SAY", 0.0)
    progress = Progress(plan, Costs(), workers=1)
    plan.runs[1].found = Found(done={"metrics/b/mig": "", "metrics/b/irs": "", "metrics/b/of_no_study": ""})
    noticed = {1}
    progress.look({}, 0.0, noticed)
    assert not noticed
    ended(progress, plan, work(plan, 0), DONE, DONE)
    assert plain.getvalue().splitlines()[1].startswith("[4/4] 0: ")


def test_a_failure_that_is_tried_again_is_none(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", plain := io.StringIO())
    monkeypatch.setattr(study_progress, "SAY", 0.0)
    plan = replace(plan, study=replace(plan.study, retries=1))
    progress = Progress(plan, Costs(), workers=1)
    ended(progress, plan, work(plan, 0), "ValueError: no", DONE)
    assert plain.getvalue().splitlines()[2].endswith("metrics/a/irs, 90 s left")  # three of 30 s
