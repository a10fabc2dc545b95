"""How long the rest of a study will take, and how much space, judged by the tasks that are done."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.checks import checked, is_finite_number
from causal_disent.config import gin_config, is_bound, literal_bindings, parameters_of, query
from causal_disent.files import check_place, inside, read_bounded, regular, sweep, write_text
from causal_disent.plugins import BUILTIN
from causal_disent.protocols import Engine, Finished
from causal_disent.registry import registry
from causal_disent.report.table import text_table
from causal_disent.runs.engine import ForeignEngine
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study_lease import Owner
from causal_disent.runs.study_plan import (
    MODEL,
    STATES,
    Plan,
    Planned,
    Run,
    Study,
    lease_of,
    look,
    make_plan,
    step_of,
    study,
)
from causal_disent.runs.study_work import (
    DONE,
    FULL,
    LATER,
    Outcome,
    Schedule,
    Work,
    give_numbers,
    perform,
    printed,
    problems,
)
from causal_disent.text import number_of, printable, say, shown

if TYPE_CHECKING:
    import pandas as pd


#: Tasks of one kind that are looked at.
MOST_LOOKED_AT = 10
#: Seconds that a task can have taken: a hundred years.
LONGEST = 100 * 365 * 86_400
UNITS = ("bytes", "KB", "MB", "GB", "TB")


def kind_of(run: Run, place: str) -> str:
    """What tasks are compared by: the step, then the model that is trained, the representation, or the metric."""
    return f"{step_of(place)} {run.model.name if place == MODEL and run.model else place.rpartition('/')[2]}"


@dataclass
class Costs:
    """Seconds and bytes of the tasks that were looked at, by their kind."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bytes: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def left(self, kinds: Counter[str], workers: int) -> float | None:
        """Seconds that so many tasks of each kind take that many workers; None if nothing is known of a step."""
        total = _total(self.seconds, kinds)
        return None if total is None else total / max(workers, 1)

    def space(self, kinds: Counter[str]) -> float | None:
        """Bytes that so many tasks of each kind take; None if nothing is known of a step."""
        return _total(self.bytes, kinds)


def _total(costs: dict[str, list[float]], kinds: Counter[str]) -> float | None:
    """What so many tasks of each kind cost; a kind that none is known of, as the others of its step."""
    latest = {kind: values[-MOST_LOOKED_AT:] for kind, values in costs.items() if values}
    means = {kind: sum(values) / len(values) for kind, values in latest.items()}
    total = 0.0
    for kind, count in kinds.items():
        alike = [mean for other, mean in means.items() if other.split()[0] == kind.split()[0]]
        if not alike:
            return None
        total += count * means.get(kind, sum(alike) / len(alike))
    return total


def costs_of(plan: Plan) -> Costs:
    """What some tasks of each kind have taken."""
    costs = Costs()
    for planned in plan.runs:
        folder = plan.folder / str(planned.number)
        for place in planned.found.done:
            kind = kind_of(planned.run, place)
            if len(costs.seconds[kind]) < MOST_LOOKED_AT:
                costs.seconds[kind].append(_seconds(folder, place))
                costs.bytes[kind].append(_bytes(folder / place))
    return costs


def _seconds(folder: Path, place: str) -> float:
    try:
        file = inside(folder, f"{place}/{RESULTS}/json/{step_of(place)}_results.json")
        seconds: Any = parse_object(read_bounded(file, MOST_BYTES)).get("elapsed_time")
    except errors.InvalidInput:
        return 0.0
    return float(seconds) if is_finite_number(seconds) and 0 <= seconds < LONGEST else 0.0


def _bytes(folder: Path) -> int:
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(folder) for name in names)


def free_space(folder: Path) -> int:
    """Bytes that are free where `folder` is, or will be."""
    return shutil.disk_usage(next(one for one in (folder, *folder.absolute().parents) if one.exists())).free


def duration(seconds: float) -> str:
    """A time for people.

    Example:
        >>> duration(8.2), duration(312), duration(7_300), duration(200_000)
        ('8 s', '5 min', '2 h 2 min', '2 d 8 h')
    """
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    if seconds < 100:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"


def size(num_bytes: float) -> str:
    """A number of bytes for people.

    Example:
        >>> size(812), size(5_400_000)
        ('812 bytes', '5.4 MB')
    """
    power = min(max(len(str(int(num_bytes))) - 1, 0) // 3, len(UNITS) - 1)
    return f"{num_bytes / 1000**power:.{min(power, 1)}f} {UNITS[power]}"


#: Seconds between two looks at the logs, and between two plain lines about what has ended.
LOOK, SAY = 1.0, 1.0
#: Seconds without a plain line until there are some about what runs; they double from the first to the longest.
FIRST, LONGEST_PAUSE = 10.0, 60.0
#: Lines for workers that fit below the bar, and in a log; bytes of a worker's log that are looked at.
MOST_LINES, MOST_PLAIN, TAIL = 16, 4, 4096
#: What is said if there is nothing to do here, and not all is done.
WAITING = "waiting for what other processes are at"
#: Characters of a line.
MOST_TEXT = 1000


class Progress:
    """Shows how a study gets on, on the standard error.

    Args:
        plan: the plan, each run with its number; what changes in it is counted when a run is told of.
        costs: what tasks have taken so far.
        workers: how many tasks run at a time.
    """

    def __init__(self, plan: Plan, costs: Costs, workers: int) -> None:
        counts = plan.counts()
        self._plan, self._costs, self._workers = plan, costs, workers
        self._total, self._done, self._failed = sum(counts.values()), counts["done"], counts["failed"]
        self._runs = {planned.number: planned for planned in plan.runs}
        self._missing = {number: missing for number, one in self._runs.items() if (missing := plan.missing(one))}
        self._waiting = Counter(
            kind_of(self._runs[number].run, place) for number, places in self._missing.items() for place in places
        )
        self._shown = self._said = 0.0
        self._pause = FIRST
        self._bars: list[Any] = []
        if sys.stderr.isatty():
            from tqdm import tqdm

            shape = "{desc} {percentage:3.0f}% {bar} {n_fmt} of {total_fmt}{postfix}"
            self._bars = [tqdm(total=self._total, initial=self._done, desc="study", bar_format=shape)]
            self._bars += [
                tqdm(bar_format="{desc}", position=place + 1, leave=False)
                for place in range(min(workers, MOST_LINES))
            ]
        elif self._missing:
            self._say(f"{self._so_far()} begins on {number_of(workers, 'worker')}{self._rest()}")

    def look(self, in_flight: Mapping[Work, float], now: float, noticed: set[int]) -> None:
        """Show what each worker is at, as its log tells.

        Args:
            in_flight: what is being done, with the time since when.
            now: the time.
            noticed: numbers of runs that others may have worked on; it is emptied.
        """
        while noticed:
            self._count(noticed.pop())
        if self._bars and time.monotonic() - self._shown >= LOOK:
            self._shown = time.monotonic()
            lines = _lines(in_flight, now, len(self._bars) - 1) or [WAITING]
            for bar, text in zip(self._bars[1:], chain(lines, repeat("")), strict=False):
                bar.set_description_str(f"  {text}"[: max(20, (self._bars[0].ncols or bar.ncols or 115) - 1)])
            self._bars[0].set_postfix_str(self._rest().removeprefix(", "))
        elif not self._bars and time.monotonic() - self._said >= self._pause:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._say(f"{self._so_far()} {f'{len(in_flight)} at work{self._rest()}' if in_flight else WAITING}")
            for text in _lines(in_flight, now, MOST_PLAIN):
                self._say(f"    {text}")

    def ended(self, work: Work, outcomes: list[Outcome]) -> None:
        """Count what has ended and is noted in the plan; a failure is told at once."""
        run = self._runs[work.number].run
        for outcome in outcomes:
            if outcome.state == DONE:
                self._costs.seconds[kind_of(run, outcome.place)].append(outcome.seconds)
            elif outcome.state == FULL:
                self._say(f"{work.number}: {outcome.place}: no space is left; nothing new is begun")
            elif outcome.state != LATER:
                told = f"{outcome.place}, {work.label}: {outcome.state.partition(chr(10))[0]}"
                self._say(f"failed  {work.number}: {shown(told, MOST_TEXT)}")
        self._count(work.number)
        if not self._bars and time.monotonic() - self._said >= SAY:
            places = ", ".join(outcome.place for outcome in outcomes if outcome.state == DONE)
            if places:
                self._say(f"{self._so_far()} {work.number}: {shown(work.label)}: {places}{self._rest()}")

    def _count(self, number: int) -> None:
        """Count what is not missing any more of a run."""
        planned, failed = self._runs[number], self._plan.failed(self._runs[number])
        still = self._plan.missing(planned)
        gone = set(self._missing.pop(number, ())).difference(still)
        self._waiting.subtract(kind_of(planned.run, place) for place in gone)
        self._done += len(gone & set(planned.found.done))
        self._failed += len(gone & set(failed))
        if still:
            self._missing[number] = still
        if self._bars:
            self._bars[0].update(self._done - self._bars[0].n)

    def _so_far(self) -> str:
        return f"[{self._done}/{self._total}]"

    def _rest(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        left = self._costs.left(+self._waiting, self._workers)
        return failed + (f", {duration(left)} left" if left else "")

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        if self._bars:
            self._bars[0].write(printable(text), file=sys.stderr)
        else:
            say(text, error=True)

    def close(self) -> None:
        """Leave the bar as it is, without the lines of the workers."""
        for bar in reversed(self._bars):
            bar.close()


def _lines(in_flight: Mapping[Work, float], now: float, most: int) -> list[str]:
    """A line for each of the first workers: the run, the task, since when, and what it printed last."""
    found = []
    for work, since in islice(in_flight.items(), most):
        task, lines = printed(work.log, most=TAIL)
        last = next((f"; {line.strip()}" for line in reversed(lines) if line.strip()), "")
        found.append(
            shown(f"{work.number}: {task or work.unit}, {work.label}, {duration(now - since)}{last}", MOST_TEXT)
        )
    return found


#: Runs that are listed one by one unless all are asked for.
MOST_LISTED = 20


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
    told = listed if everything else listed[:MOST_LISTED]
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


#: The settings of a study, kept in its folder for the commands that tell of it.
STUDY_FILE = "study.gin"
#: What is said of an engine that ends too early.
NO_ANSWER = "The engine has ended without an answer."


@dataclass(frozen=True)
class Ended:
    """How a study ended.

    Attributes:
        folder: of the study.
        counts: how many tasks are ``done``, ``failed``, ``running`` (elsewhere) and ``waiting``.
        full: whether it stopped because nothing could be written any more.
    """

    folder: Path
    counts: Counter[str]
    full: bool = False

    @property
    def table(self) -> pd.DataFrame:
        """Every headline score, one a row, as `causal_disent.runs.study_table.results_table` gives them."""
        from causal_disent.runs.study_table import results_table

        return results_table(self.folder)


@checked
def read_study(
    config: str | Path | Study, gin_bindings: Sequence[str] = (), engine: str | None = None
) -> tuple[Study, Engine]:
    """The study that a config binds, and the engine that it or the caller names, with its options.

    The settings have both, so that they are kept with the study, and `study retry` runs as the study did.
    """
    lines = config.as_config().splitlines() if isinstance(config, Study) and gin_bindings else []
    with gin_config([] if isinstance(config, Study) else [config], [*lines, *gin_bindings]):
        bound = config if isinstance(config, Study) and not gin_bindings else study()
        settings = bound.located()
        entry = registry.get("engines", engine or settings.engine)
        options = dict(settings.options) if entry.name == settings.engine else {}
        with entry.isolated():
            given = {name: f"{entry.in_config}.{name}" for name in parameters_of(entry)}
            options |= {name: query(parameter) for name, parameter in given.items() if is_bound(parameter)}
            settings = replace(settings, engine=entry.name, options=options)
            chosen: Engine = registry.function("engines", entry.name)(**options)
    return settings, chosen if entry.owner == BUILTIN else ForeignEngine(entry, chosen)


def kept_study(folder: Path) -> Study:
    """The study that a folder is of, by the settings that are kept there; a stranger's may hold literals alone."""
    file = folder / STUDY_FILE
    if not file.is_file():
        raise errors.InvalidInput(f"{folder} is not a study's folder: it has no {STUDY_FILE}.")
    values = {name.removeprefix("study."): value for name, value in literal_bindings(file).items()}
    try:
        return Study(**values)
    except TypeError as error:
        raise errors.ConfigError(f"{file} does not hold the settings of a study: {error}.") from None


@checked
def run_study(
    config: str | Path | Study,
    output_dir: str | Path,
    *,
    gin_bindings: Sequence[str] = (),
    engine: str | Engine | None = None,
) -> Ended:
    """Do all of a study that is not done yet.

    Args:
        config: a config that binds ``study.*``, or a `Study`.
        output_dir: the folder of the study. Several processes, also of several machines, may share it.
        gin_bindings: lines that follow the config, such as ``"study.seeds = 3"``.
        engine: what runs the tasks, or its name; by default the one that the study names.

    Returns:
        `Ended`; its ``table`` holds the scores. Tasks that fail do not raise: ``counts["failed"]``.

    Raises:
        causal_disent.errors.CausalDisentError: before anything is started, if the config is wrong, or differs from
            the one that a task was done with.
    """
    named = engine if isinstance(engine, str) else None
    settings, chosen = read_study(config, gin_bindings, named)
    runner: Engine = chosen if engine is None or isinstance(engine, str) else engine
    folder = Path(output_dir)
    check_place(folder)
    plan = make_plan(settings, folder)
    plan.check_unchanged()
    check_configs(plan, runner)
    folder.mkdir(parents=True, exist_ok=True)
    _keep(settings, folder / STUDY_FILE)
    with Owner(folder) as owner:
        _tidy(plan, owner)
        numbers = {planned.run.key: planned.number for planned in plan.runs if planned.number >= 0}
        numbers = give_numbers(folder, [planned.run for planned in plan.runs], numbers, owner)
        for planned in plan.runs:
            planned.number = numbers[planned.run.key]
        full = _run(plan, owner, runner)
    for planned in plan.runs:
        if set(plan.states(planned).values()) != {"done"}:
            planned.found = look(str(folder / str(planned.number)))
    return Ended(folder, plan.counts(), full)


def _tidy(plan: Plan, owner: Owner) -> None:
    """Give back the leases of processes that have ended, and remove what they left half-written."""
    sweep(plan.folder)
    for planned in plan.runs:
        folder = plan.folder / str(planned.number)
        for unit in planned.found.left:
            place = lease_of(folder, unit)
            if owner.take(place):
                sweep(folder, "**/.*.lock")
                owner.release(place)


def _run(plan: Plan, owner: Owner, engine: Engine) -> bool:
    """Do what is missing; whether it ended for lack of space."""
    schedule = Schedule(plan, owner)
    progress = Progress(plan, costs_of(plan), engine.workers)
    try:
        with closing(engine.run(perform, schedule)) as running:
            for done in running:
                if done is not None:
                    progress.ended(done.work, schedule.finished(done))
                progress.look(schedule.in_flight, schedule.now(), schedule.noticed)
    finally:
        progress.close()
        for work in list(schedule.in_flight):
            schedule.give_back(work)
    return schedule.full


def check_configs(plan: Plan, engine: Engine) -> None:
    """Raise what is wrong with the configs of the tasks to come, found where they would run."""
    checks = plan.checks()
    if not checks:
        return
    with closing(engine.run(problems, [checks])) as running:
        done = next((done for done in running if done is not None), Finished(checks, failure=NO_ANSWER))
    if done.failure or done.result:
        raise errors.ConfigError(done.failure or str(done.result))


def _keep(settings: Study, file: Path) -> None:
    text = settings.as_config()
    if not file.is_file() or read_bounded(regular(file), MOST_BYTES) != text.encode():
        write_text(file, text)
