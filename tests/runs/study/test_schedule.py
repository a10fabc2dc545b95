"""What comes next, where others are at work as well."""

import pytest

from causal_disent import Study
from causal_disent.runs.study_lease import DEAD_AFTER, Owner
from causal_disent.runs.study_plan import make_plan
from causal_disent.runs.study_work import LOOK_EVERY as PAUSE
from causal_disent.runs.study_work import Schedule


@pytest.fixture
def plan(tmp_path):
    for number, name in enumerate("abc"):
        (tmp_path / "old" / name).mkdir(parents=True)
        (tmp_path / "study" / str(number)).mkdir(parents=True)
    plan = make_plan(Study(metrics=["metrics/mig.gin"], folders=f"{tmp_path}/old/*"), tmp_path / "study")
    for number, planned in enumerate(plan.runs):
        planned.number = number
    return plan


def leases(plan):
    return [work.lease for planned in plan.runs for work in plan.units(planned)]


def test_what_others_have_done_is_noticed_while_there_is_other_work(plan):
    now = [0.0]
    with Owner(plan.folder) as mine, Owner(plan.folder) as other:
        first = leases(plan)[0]
        assert other.take(first)
        schedule = Schedule(plan, mine, clock=lambda: now[0])
        assert next(schedule).number == 1 and schedule.noticed == {1}
        now[0] = PAUSE
        assert next(schedule).number == 2 and schedule.noticed == {1, 2}  # the other is still at run 0
        (plan.folder / "0" / "metrics" / "a" / "mig").mkdir(parents=True)
        other.release(first)
        now[0] = 2 * PAUSE
        assert next(schedule) is None and 0 in schedule.noticed
        assert "metrics/a/mig" in plan.runs[0].found.done


def test_work_of_one_who_is_dead_is_taken_over_when_nothing_else_is_left(plan):
    now = [0.0]
    clock = lambda: now[0]  # noqa: E731
    with Owner(plan.folder, clock) as mine:
        # Of another machine: that its process is gone cannot be seen, but it is not heard of any more.
        (plan.folder / "0" / f"{leases(plan)[0].name}.elsewhere~1~ab").touch()
        schedule = Schedule(plan, mine, clock)
        assert [next(schedule).number for _ in range(2)] == [1, 2]
        for now[0] in range(0, int(DEAD_AFTER), int(PAUSE)):
            assert next(schedule) is None
        now[0] = DEAD_AFTER + PAUSE
        assert next(schedule).number == 0
