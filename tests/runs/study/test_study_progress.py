"""What a person sees."""

import io
import sys

import pytest

from causal_disent import Study
from causal_disent.runs.study.estimate import Costs
from causal_disent.runs.study.plan import make_plan
from causal_disent.runs.study.progress import Progress
from causal_disent.runs.study.work import DONE, Outcome, Work


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


def ended(progress, unit: Work, *states):
    progress.ended(
        unit, [Outcome(task.place, state, 30.0) for task, state in zip(unit.tasks, states, strict=True)]
    )


def test_a_terminal_has_a_bar_and_a_line_for_each_worker(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    progress = Progress(plan, Costs(), workers=2)
    first = work(plan, 0)
    progress.look({first: 0.0}, now=12.0)
    assert "  0: metrics/a/irs, " in terminal.getvalue()
    ended(progress, first, DONE, "ValueError: no\nand more")
    progress._shown = 0.0
    progress.look({}, now=13.0)
    progress.close()
    shown = terminal.getvalue()
    assert "1 of 4" in shown and "25%" in shown
    assert f"failed  0: metrics/a/irs, {first.label}: ValueError: no\n" in shown and "and more" not in shown
    assert "1 failed, 45 s left" in shown  # three of 30 s, on two workers


def test_elsewhere_there_are_plain_lines(plan, monkeypatch):
    monkeypatch.setattr(sys, "stderr", plain := io.StringIO())
    progress = Progress(plan, Costs(), workers=1)
    unit = work(plan, 0)
    progress.look({unit: 0.0}, now=12.0)
    ended(progress, unit, DONE, DONE)
    ended(progress, work(plan, 1), "full", "later")
    progress.close()
    assert plain.getvalue().splitlines() == [
        f"[2/4] 0: {unit.label}: metrics/a/mig, metrics/a/irs, 60 s left",
        "1: metrics/b/mig: no space is left; nothing new is begun",
    ]
