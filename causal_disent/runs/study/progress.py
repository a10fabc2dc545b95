"""What a person sees of a study that runs: a bar and a line for each worker; plain lines off a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from itertools import chain, islice, repeat
from typing import Any

from causal_disent.runs.study.estimate import Costs, duration, kind_of
from causal_disent.runs.study.plan import Plan
from causal_disent.runs.study.work import DONE, FULL, LATER, Outcome, Work, printed
from causal_disent.text import number_of, printable, say, shown

#: Seconds between two looks at the logs, and between two plain lines about what has ended.
LOOK, SAY = 1.0, 1.0
#: Seconds without a plain line until there are some about what runs; they double from the first to the longest.
FIRST, LONGEST = 10.0, 60.0
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
            self._pause = min(2 * self._pause, LONGEST)
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
