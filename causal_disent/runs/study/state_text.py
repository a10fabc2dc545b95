"""A study as text: its plan, its state, one of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from causal_disent import errors
from causal_disent.report.table import text_table
from causal_disent.runs.study.estimate import costs_of, duration, free_space, kind_of, size
from causal_disent.runs.study.folders import step_of
from causal_disent.runs.study.plan import STATES, Plan, Planned
from causal_disent.text import number_of, shown

#: Runs that are listed one by one unless all are asked for.
MOST_RUNS = 20


def plan_text(plan: Plan, workers: int) -> str:
    """How many tasks there are, what is left of them, and what that takes, judged by those that are done."""
    waiting = Counter(kind_of(planned.run, place) for planned in plan.runs for place in plan.missing(planned))
    steps = Counter(step_of(place) for planned in plan.runs for place in plan.missing(planned))
    costs = costs_of(plan)
    left, space = costs.left(waiting, workers), costs.space(waiting)
    expanded = plan.expanded
    parts = {
        "model": len(expanded.models),
        "data set": len(expanded.datasets),
        "seed": len(plan.study.seeds) if expanded.models else 0,  # type: ignore[arg-type]
        "folder": sum(planned.run.model is None for planned in plan.runs),
    }
    varied = " (each with other values counts)" if any(item.varied for item in expanded.models) else ""
    what = ", ".join(number_of(n, one) + (varied if one == "model" else "") for one, n in parts.items() if n)
    counts = plan.counts()
    lines = [
        f"{number_of(len(plan.runs), 'run')} of {what}",
        f"{number_of(sum(counts.values()), 'task')}: {_counts(counts)}",
    ]
    if waiting:
        to_do = ", ".join(f"{count} x {step}" for step, count in steps.items())
        time = duration(left) if left is not None else "not known before some are done"
        room = size(space) if space is not None else "not known before some are done"
        lines.append(f"to do: {to_do}")
        free = size(free_space(plan.folder))
        lines.append(f"time: {time}, on {number_of(workers, 'worker')}; space: {room}, {free} are free")
    if plan.others:
        lines.append(f"{number_of(plan.others, 'numbered folder')} of no run of this config: left as found")
    return "\n".join(lines)


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[state]:,} {state}" for state in STATES)


def state_text(plan: Plan, *, everything: bool = False) -> str:
    """How many tasks are done, running, failed and waiting; and the runs with some that are not done, or all."""
    counts = {p.run.key: Counter(plan.states(p).values()) for p in plan.runs}
    listed = [p for p in plan.runs if everything or set(counts[p.run.key]) != {"done"}]
    # Those that one would look for come first.
    listed.sort(key=lambda p: (0 if everything else -len(plan.failed(p)), 0 if p.found.leases else 1, p.number))
    told = listed if everything else listed[:MOST_RUNS]
    rows = [
        ["" if p.number < 0 else p.number, p.run.label, *(counts[p.run.key][state] or "" for state in STATES)]
        for p in told
    ]
    parts = [_counts(sum(counts.values(), Counter()))]
    if rows:
        parts.append(text_table(["run", "what", *STATES], rows))
    if len(listed) > len(told):
        parts.append(f"and {len(listed) - len(told)} more runs (--all lists every run)")
    parts += _failures(plan, told)
    return "\n".join(parts)


def _failures(plan: Plan, told: Sequence[Planned]) -> list[str]:
    """Why tasks have failed, each reason once."""
    numbers: dict[str, list[str]] = {}
    for planned in told:
        for place, failure in plan.failed(planned).items():
            reason = f"{shown(place)} failed: {shown(failure['message'])}"
            numbers.setdefault(reason, []).append(str(planned.number))
    return [f"{', '.join(runs)}: {reason}" for reason, runs in numbers.items()]


def run_text(plan: Plan, number: int) -> str:
    """All that is known of one run: what it is, its tasks, and why some have failed."""
    planned = next((one for one in plan.runs if one.number == number), None)
    if planned is None:
        raise errors.unknown("run", number, [one.number for one in plan.runs if one.number >= 0])
    failed = plan.failed(planned)
    folder = plan.folder / str(number)
    tasks = text_table(["task", "state"], [list(one) for one in plan.states(planned).items()])
    parts = [f"run {number}: {shown(planned.run.label)}\nfolder: {shown(folder)}", tasks]
    for place, failure in failed.items():
        tail = "\n".join(f"    {line}" for line in failure["last_lines"])
        parts.append(
            f"{shown(place)} failed {number_of(failure['attempts'], 'time')}, last on {failure['when']} on "
            f"{failure['machine']}: {failure['message']}\nlog: {shown(folder)}/{failure['log']}\n{tail}"
        )
    return "\n\n".join(parts)
