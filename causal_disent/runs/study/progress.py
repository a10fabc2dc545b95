"""What a person sees of a study that runs: a bar and a line for each worker; plain lines off a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from causal_disent.runs.study.estimate import Costs, duration, kind_of
from causal_disent.runs.study.plan import Plan
from causal_disent.runs.study.work import DONE, FULL, LATER, Outcome, Work, printed
from causal_disent.text import printable, say, shown

#: Seconds between two looks at the logs, and between two plain lines.
LOOK, SAY = 1.0, 1.0
#: Lines for workers that fit below the bar, and bytes of a log that are looked at.
MOST_LINES, TAIL = 16, 4096
#: Characters of a line.
LONGEST = 1000


class Progress:
    """Shows how a study gets on, on the standard error.

    Args:
        plan: the plan.
        costs: what tasks have taken so far.
        workers: how many tasks run at a time.
    """

    def __init__(self, plan: Plan, costs: Costs, workers: int) -> None:
        counts = plan.counts()
        self._total = sum(counts.values())
        self._done, self._failed = counts["done"], counts["failed"]
        self._costs, self._workers = costs, workers
        self._waiting = Counter(
            kind_of(planned.run, place) for planned in plan.runs for place in plan.missing(planned)
        )
        self._runs = {planned.number: planned.run for planned in plan.runs}
        self._shown = self._said = 0.0
        self._bars: list[Any] = []
        if sys.stderr.isatty():
            from tqdm import tqdm

            shape = "{desc} {percentage:3.0f}% {bar} {n_fmt} of {total_fmt}{postfix}"
            self._bars = [tqdm(total=self._total, initial=self._done, desc="study", bar_format=shape)]
            self._bars += [
                tqdm(bar_format="{desc}", position=place + 1, leave=False)
                for place in range(min(workers, MOST_LINES))
            ]

    def look(self, in_flight: Mapping[Work, float], now: float) -> None:
        """Show what each worker is at, as its log tells; `in_flight` has the time since when."""
        if not self._bars or time.monotonic() - self._shown < LOOK:
            return
        self._shown = time.monotonic()
        works = list(in_flight.items())[: len(self._bars) - 1]
        for bar, (work, since) in zip(self._bars[1:], works, strict=False):
            task, lines = printed(work.log, most=TAIL)
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            text = f"  {work.number}: {task or work.unit}, {work.label}, {duration(now - since)}  {last}"
            bar.set_description_str(shown(text, LONGEST)[: max(20, (self._bars[0].ncols or bar.ncols or 115) - 1)])
        for bar in self._bars[1 + len(works) :]:
            bar.set_description_str("")
        self._bars[0].set_postfix_str(self._rest().removeprefix(", "))

    def ended(self, work: Work, outcomes: list[Outcome]) -> None:
        """Count what has ended; a failure is told at once."""
        run = self._runs[work.number]
        for outcome in outcomes:
            kind = kind_of(run, outcome.place)
            if outcome.state == DONE:
                self._done += 1
                self._waiting[kind] -= 1
                self._costs.seconds[kind].append(outcome.seconds)
                if self._bars:
                    self._bars[0].update()
            elif outcome.state == FULL:
                self._say(f"{work.number}: {outcome.place}: no space is left; nothing new is begun")
            elif outcome.state != LATER:
                self._failed += 1
                told = f"{outcome.place}, {work.label}: {outcome.state.partition(chr(10))[0]}"
                self._say(f"failed  {work.number}: {shown(told, LONGEST)}")
        if not self._bars and time.monotonic() - self._said >= SAY:
            places = ", ".join(outcome.place for outcome in outcomes if outcome.state == DONE)
            if places:
                self._say(
                    f"[{self._done}/{self._total}] {work.number}: {shown(work.label)}: {places}{self._rest()}"
                )

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
