"""A unit of work, and doing it: one process trains a model and makes its representations, or measures one of them.

All metrics of a representation are one unit, so that it is read once and each of its images is encoded once.
"""

from __future__ import annotations

import errno
import faulthandler
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from causal_disent import errors
from causal_disent.files import append_to, inside, regular
from causal_disent.orphans import Terminated
from causal_disent.runs.study import steps
from causal_disent.runs.study.folders import LOGS, MODEL, lease_of
from causal_disent.text import say

#: How a task ended, besides having failed: well; another process is writing it; there is no space left.
DONE, LATER, FULL = "done", "later", "full"
NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
#: What precedes a task in the log of its unit.
BEGINS = "=== "
#: Seconds that a task has for ending by itself once its time is over.
GRACE = 5.0


@dataclass(frozen=True)
class Task:
    """One folder to make.

    Attributes:
        place: below the folder of the run, such as ``metrics/mean/mig``.
        files: configs.
        bindings: what follows them.
        source: the folder that it is made of; empty for a model.
    """

    place: str
    files: tuple[str, ...]
    bindings: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True)
class Work:
    """Tasks of one run that one process does one after the other.

    Attributes:
        number: of the run.
        folder: of the run.
        unit: its name in the run: ``train``, or ``evaluate_mean``.
        label: what the run is, for people.
        tasks: in order.
        time_limit: seconds for each task; None for any number.
    """

    number: int
    folder: str
    unit: str
    label: str
    tasks: tuple[Task, ...]
    time_limit: float | None = None

    @property
    def step(self) -> str:
        """``train`` or ``evaluate``."""
        return self.unit.partition("_")[0]

    @property
    def log(self) -> Path:
        """Where all that is printed goes."""
        return Path(self.folder, LOGS, f"{self.unit}.log")

    @property
    def lease(self) -> Path:
        """The place of the lease of this unit."""
        return lease_of(self.folder, self.unit)


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
                steps.train(target, task.files, task.bindings)
            elif work.step == "train":
                steps.postprocess(Path(task.source), target, task.files, task.bindings)
            else:
                steps.measure(Path(task.source), target, task.files, task.bindings, code_tables)
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
            steps.check(step, files, bindings)
        except Terminated:
            raise
        except BaseException as error:  # a plugin's: anything may come out of it
            message = re.sub(r"^--gin_bindings(, line \d+)?: ", "", _said(error))
            named = any(message.startswith(file) for file in files)
            return message if named else f"{', '.join(files) or step}: {message}"
    return ""
