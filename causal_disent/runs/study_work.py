"""What a task does: the one place that says how models are trained, representations made, metrics measured."""

from __future__ import annotations

import errno
import faulthandler
import itertools
import json
import os
import re
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from causal_disent import errors
from causal_disent.config import gin_config, query
from causal_disent.files import append_to, inside, new_file, regular, remove
from causal_disent.processes import Terminated
from causal_disent.protocols import Finished
from causal_disent.registry import part, registry
from causal_disent.runs.evaluate import CodeTables, check_with_gin, evaluate
from causal_disent.runs.postprocess import postprocess as make_representation
from causal_disent.runs.representation import AS_FOUND, training_backend
from causal_disent.runs.study_lease import Owner
from causal_disent.runs.study_plan import (
    FAILURES,
    LOGS,
    MODEL,
    RUN_FILE,
    WAY,
    Plan,
    Planned,
    Run,
    Task,
    Work,
    is_leased,
    is_run_number,
    keys_of,
    look,
    read_failure,
    read_what,
)
from causal_disent.runs.train import train as train_model
from causal_disent.text import say


@part("study_task")
def study_task(config: str = "") -> str:
    """What was bound for a task of a study, as a short text; being called, it becomes part of the saved config."""
    return config


def train(target: Path, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Train a model into the folder `target`; an unfinished training with the same bindings is taken up."""
    with registry.using(training_backend(None).name), gin_config(files, bindings):
        study_task()
        # An unfinished training with other settings is replaced: `target` itself is not there.
        train_model(target, overwrite=True, with_labels=query("model.model_seed") is not None)


def postprocess(source: Path, target: Path, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Make a representation of the model in `source`."""
    with gin_config(files, bindings):
        study_task()
        make_representation(source, target)


def measure(
    source: Path, target: Path, files: Sequence[str], bindings: Sequence[str], code_tables: CodeTables
) -> None:
    """Measure the representation in `source`; no image is encoded twice for the same `code_tables`."""
    with gin_config(files, bindings):
        study_task()
        evaluate(source, target, code_tables=code_tables)


def check(step: str, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Raise what a step of a study would raise for its config alone, whatever it is given."""
    if step == "evaluate":
        check_with_gin(files, bindings, AS_FOUND)
        return
    with gin_config(files, bindings):
        registry.function("parts", {"train": "model", "dataset": "dataset"}.get(step, step))()


#: Lines of the log that are kept with a failure.
MOST_LINES = 40


def record_failure(folder: Path, place: str, message: str, attempts: int, log: Path) -> dict[str, Any]:
    """Write down how a task failed.

    Args:
        folder: of the run.
        place: the task.
        message: why.
        attempts: how often it has failed by now.
        log: of its unit of work; the last lines that the task printed are kept.

    Returns:
        What was written.
    """
    failure = {
        "message": message,
        "attempts": attempts,
        "when": time.strftime("%Y-%m-%d %H:%M:%S"),
        "machine": socket.gethostname(),
        "log": str(log.relative_to(folder)),
        "last_lines": printed(log, place)[1][-MOST_LINES:],
    }
    with new_file(_file(folder, place)) as file:
        file.write_text(json.dumps(failure, indent=2) + "\n", encoding="utf-8")
    return read_failure(failure)


def forget_failure(folder: Path, place: str) -> None:
    """Remove what was written down of a task."""
    _file(folder, place).unlink(missing_ok=True)


def _file(folder: Path, place: str) -> Path:
    return inside(folder, f"{FAILURES}/{place}.json")


#: How a task ended, besides having failed: well; another process is writing it; there is no space left.
DONE, LATER, FULL = "done", "later", "full"
NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
#: What precedes a task in the log of its unit.
BEGINS = "=== "
#: Seconds that a task has for ending by itself once its time is over.
GRACE = 5.0


@dataclass(frozen=True)
class Outcome:
    """How a task ended: `DONE`, `LATER`, `FULL`, or why it failed; after how many seconds."""

    place: str
    state: str
    seconds: float = 0.0


class _OutOfTime(BaseException):
    """The time of a task is over; no `Exception`, so that nothing on its way takes it for its own."""


def perform(work: Work) -> list[Outcome]:
    """Do the tasks of a unit that are not done; one that fails does not keep the others from being tried."""
    code_tables: dict = {}
    outcomes = []
    with _printing_to(work.log):
        for task in work.tasks:
            say(f"{BEGINS}{task.place}")
            started = time.perf_counter()
            state = _attempt(task, work, code_tables)
            outcomes.append(Outcome(task.place, state, time.perf_counter() - started))
            if state != DONE and work.step == "train":
                break  # the representations are made of the model
    return outcomes


def _attempt(task: Task, work: Work, code_tables: dict) -> str:
    """How a task ended."""
    try:
        target = inside(Path(work.folder), task.place)
        if target.exists():
            return DONE
        with _within(work.time_limit):
            if task.place == MODEL:
                train(target, task.files, task.bindings)
            elif work.step == "train":
                postprocess(Path(task.source), target, task.files, task.bindings)
            else:
                measure(Path(task.source), target, task.files, task.bindings, code_tables)
        return DONE
    except _OutOfTime:
        return f"It took more than its {work.time_limit:g} seconds."
    except errors.OutputExists:
        return DONE  # by another, who thought that this process was dead
    except errors.InUse:
        return LATER
    except Terminated:
        raise
    except BaseException as error:  # of a stranger's model or metric: anything may come out of it
        cause = error.failure if isinstance(error, errors.MetricFailed) else error
        traceback.print_exception(cause)
        # Gin raises copies of errors without their number.
        numbers = {getattr(one, "errno", None) for one in (cause, cause.__context__)}
        return FULL if numbers & NO_SPACE else _said(cause)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _said(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "There was not enough memory."
    message = errors.text_of(error)
    return message if isinstance(error, errors.CausalDisentError) else f"{type(error).__name__}: {message}"


@contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """Raise `_OutOfTime` after that many seconds; if nothing comes of it, end the process."""
    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    # Compiled code that never returns to Python is ended by a watch that needs no Python; it prints where it was.
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise _OutOfTime


@contextmanager
def _printing_to(log: Path) -> Iterator[None]:
    """Have all that this process prints, compiled code included, at the end of a file."""
    file = append_to(log.parent.parent, f"{LOGS}/{log.name}")
    sys.stdout.flush()
    sys.stderr.flush()
    before = os.dup(1), os.dup(2)
    try:
        os.dup2(file, 1)
        os.dup2(file, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, descriptor in enumerate(before, 1):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(file)


def printed(log: Path, place: str = "", most: int = 2**20) -> tuple[str, list[str]]:
    """The last of the tasks that a log tells of, or the one at `place`, and what it printed.

    Of a long log, the last `most` bytes are read; the task is empty if it did not begin there.
    """
    try:
        with regular(log).open("rb") as file:
            file.seek(max(0, log.stat().st_size - most))
            text = file.read(most).decode("utf-8", "replace")
    except (OSError, errors.InvalidInput):
        return "", []
    _, begun, after = text.rpartition(f"{BEGINS}{place}\n" if place else BEGINS)
    task, lines = (place, after) if place else after.split("\n", 1) if begun and "\n" in after else ("", after)
    return task if begun else "", lines.partition(BEGINS)[0].splitlines()


def problems(checks: list[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> str:
    """The first message of what would fail whatever it is given: step, configs and bindings of each; or empty."""
    for step, files, bindings in checks:
        try:
            check(step, files, bindings)
        except Terminated:
            raise
        except BaseException as error:  # a plugin's: anything may come out of it
            message = re.sub(r"^--gin_bindings(, line \d+)?: ", "", _said(error))
            named = any(message.startswith(file) for file in files)
            return message if named else f"{', '.join(files) or step}: {message}"
    return ""


#: The lease of the one who gives numbers.
NUMBERS = ".numbers.lease"
#: Seconds between two tries to get it, and until it is said that others have it.
PAUSE, PATIENCE = 0.2, 3.0


def give_numbers(study: Path, runs: Sequence[Run], known: dict[str, int], owner: Owner) -> dict[str, int]:
    """The number of each run, by its key; those that have none get the next free ones.

    Args:
        study: its folder.
        runs: all that the study has now.
        known: key of a run -> the number that its folder has; others may have given more since.
        owner: this process.
    """
    numbers = dict(known)
    missing = [run for run in runs if run.key not in numbers]
    if not missing:
        return numbers
    _wait_for(study / NUMBERS, owner)
    try:
        taken = {int(name) for name in os.listdir(study) if is_run_number(name)}
        for number in sorted(taken - set(numbers.values())):
            what = read_what(study / str(number))
            if what is not None:
                for key in keys_of(what, study):
                    numbers.setdefault(key, number)
        free = (number for number in itertools.count() if number not in taken)
        for run in missing:
            if run.key not in numbers:
                numbers[run.key] = next(free)
                _make(study, numbers[run.key], run)
        os.sync()  # once for all: a number must not be forgotten when the power fails
    finally:
        owner.release(study / NUMBERS)
    return numbers


def _wait_for(place: Path, owner: Owner) -> None:
    since, told = time.monotonic(), False
    while not owner.take(place):
        if not told and time.monotonic() - since >= PATIENCE:
            say(
                "waiting: another process of this study is giving numbers to runs, or was when it ended",
                error=True,
            )
            told = True
        time.sleep(PAUSE)


def _make(study: Path, number: int, run: Run) -> None:
    """The folder of a run, whole at once."""
    temporary = study / f".{number}.partial"
    remove(temporary)  # of one that died
    temporary.mkdir()
    way = {WAY: os.path.relpath(run.folder, study)} if run.model is None else {}
    (temporary / RUN_FILE).write_text(json.dumps({**run.what, **way}, indent=2) + "\n", encoding="utf-8")
    temporary.rename(study / str(number))


#: Seconds between two looks at what others are doing.
LOOK_EVERY = 2.0


class Schedule(Iterator[Work | None]):
    """The units of work of a plan, each with its lease; give every end to `finished`.

    Runs that were begun come first, so that results appear early. None stands for waiting: for a model, or for
    what other processes have leases of.

    Args:
        plan: with a number for each run.
        owner: who takes the leases.
        clock: seconds that never go back.
    """

    def __init__(self, plan: Plan, owner: Owner, clock: Callable[[], float] = time.monotonic) -> None:
        self.plan = plan
        #: Units of work that are being done, with the time since when.
        self.in_flight: dict[Work, float] = {}
        #: Whether there is no space left, or nothing can be written any more: then nothing new is begun.
        self.full = False
        #: Numbers of runs that others have worked on, since the last look at this set; empty it.
        self.noticed: set[int] = set()
        self._owner = owner
        self._clock = clock
        self._queue = deque(planned for planned in plan.runs if plan.missing(planned))
        self._by_number = {planned.number: planned for planned in plan.runs}
        self._elsewhere: dict[int, Planned] = {}
        self._looked = clock()

    def __next__(self) -> Work | None:
        if self._elsewhere and self._clock() - self._looked >= LOOK_EVERY:
            self._looked = self._clock()
            self._look_elsewhere()
        while self._queue and not self.full:
            planned = self._queue.popleft()
            work = self._begin(planned)
            if work is not None:
                self._queue.appendleft(planned)  # it may have more
                self.in_flight[work] = self._clock()
                return work
        if self.in_flight or (self._elsewhere and not self.full):
            return None
        raise StopIteration

    def _look_elsewhere(self) -> None:
        """Take up the runs that others have left; if there is nothing else, those of others that may be dead."""
        nothing_else = not self._queue
        for number, planned in list(self._elsewhere.items()):
            if nothing_else or not is_leased(self.plan.folder / str(number)):
                self._look(planned)
                self._queue.append(self._elsewhere.pop(number))

    def _look(self, planned: Planned) -> None:
        planned.found = look(str(self.plan.folder / str(planned.number)))
        self.noticed.add(planned.number)

    def _begin(self, planned: Planned) -> Work | None:
        """A unit of a run that can be done now, with its lease."""
        mine = {work.unit for work in self.in_flight if work.number == planned.number}
        for work in self.plan.units(planned):
            if work.unit in mine:
                continue
            if not self._owner.take(work.lease):
                self._elsewhere[planned.number] = planned
                continue
            self._look(planned)  # others may have done it since the plan was made
            now = next((one for one in self.plan.units(planned) if one.unit == work.unit), None)
            if now is not None:
                return now
            self._owner.release(work.lease)
        return None

    def finished(self, done: Finished) -> list[Outcome]:
        """How the tasks of a unit ended; it is given back, and what follows from it is put in the queue."""
        work: Work = done.work
        planned = self._by_number[work.number]
        told = isinstance(done.result, list) and all(isinstance(one, Outcome) for one in done.result)
        failure = done.failure or ("" if told else "the engine has lost what came of it")
        outcomes = list(self._of_the_dead(work, failure)) if failure else done.result
        for outcome in outcomes:
            self._note(planned, work, outcome)
        self.give_back(work)
        if any(outcome.state == LATER for outcome in outcomes):
            self._elsewhere[planned.number] = planned
        else:
            self._queue.appendleft(planned)
        return outcomes

    def _note(self, planned: Planned, work: Work, outcome: Outcome) -> None:
        if outcome.state == DONE:
            planned.found.done[outcome.place] = ""
            if planned.found.failed.pop(outcome.place, None):
                forget_failure(Path(work.folder), outcome.place)
        elif outcome.state == FULL:
            self.full = True
        elif outcome.state != LATER:
            attempts = planned.found.failed.get(outcome.place, {"attempts": 0})["attempts"] + 1
            try:
                planned.found.failed[outcome.place] = record_failure(
                    Path(work.folder), outcome.place, outcome.state, attempts, work.log
                )
            except (OSError, errors.InvalidInput):  # nor could a result be written
                self.full = True

    def _of_the_dead(self, work: Work, failure: str) -> Iterator[Outcome]:
        """What is to be made of a unit whose process ended: the task that it was at has failed."""
        begun, lines = printed(work.log)
        if work.time_limit and any(line.startswith("Timeout (") for line in lines):  # said by the watch
            failure = f"it took more than its {work.time_limit:g} seconds and did not end by itself"
        for task in work.tasks:
            if Path(work.folder, task.place).exists():
                yield Outcome(task.place, DONE)
            elif task.place == begun or begun not in {one.place for one in work.tasks}:
                yield Outcome(task.place, f"{failure[:1].upper()}{failure[1:]}.")
                return

    def now(self) -> float:
        """The time, as `in_flight` has it."""
        return self._clock()

    def give_back(self, work: Work) -> None:
        """Release a unit's lease."""
        self.in_flight.pop(work, None)
        self._owner.release(work.lease)
