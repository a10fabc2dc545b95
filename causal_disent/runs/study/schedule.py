"""Which unit of work comes next, and what follows from how it ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from causal_disent import errors
from causal_disent.protocols import Finished
from causal_disent.runs.study import failures
from causal_disent.runs.study.folders import leased, look
from causal_disent.runs.study.lease import Owner
from causal_disent.runs.study.plan import Plan, Planned
from causal_disent.runs.study.work import DONE, FULL, LATER, Outcome, Work, printed

#: Seconds between two looks at what others are doing.
PAUSE = 2.0


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
        if self._elsewhere and self._clock() - self._looked >= PAUSE:
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
            if nothing_else or not leased(self.plan.folder / str(number)):
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
                failures.forget(Path(work.folder), outcome.place)
        elif outcome.state == FULL:
            self.full = True
        elif outcome.state != LATER:
            attempts = planned.found.failed.get(outcome.place, {"attempts": 0})["attempts"] + 1
            try:
                planned.found.failed[outcome.place] = failures.record(
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
