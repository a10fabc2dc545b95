"""How far long work is, on the standard error: a bar on a terminal, and a line now and then in a log."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from causal_disent.text import say

if TYPE_CHECKING:
    import numpy as np

#: Seconds before anything is shown on a terminal.
DELAY = 2.0
#: Seconds between looks at what is at work.
TICK = 1.0
#: Seconds of work before the first line of a log, and between two lines at the most; the pauses double until then.
FIRST, LONGEST = 10.0, 60.0


_SHOWN: ContextVar[bool] = ContextVar("whether progress is shown", default=True)


@contextmanager
def progress_shown(shown: bool) -> Iterator[None]:
    """A block in which progress is shown, or is not."""
    token = _SHOWN.set(shown)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def progress_is_shown() -> bool:
    """Whether this is not in a block that shows no progress."""
    return _SHOWN.get()


def track(
    iterable: Iterable[Any],
    label: str,
    *,
    total: int | None = None,
    unit: str = "it",
    note: Callable[[], str] | None = None,
) -> Iterable[Any]:
    """`iterable`, with a bar or lines on the standard error if it takes more than some seconds.

    Args:
        iterable: what the work goes through.
        label: what is done, such as ``training``.
        total: how many there are, if `iterable` does not tell.
        unit: what each of them is, in the singular.
        note: gives more to show, such as the loss; asked after an item is done, now and then.
    """
    if not _SHOWN.get():
        return iterable
    if total is None and isinstance(iterable, Sized):
        total = len(iterable)
    if not (sys.stderr.isatty() or in_notebook()):
        return _in_lines(iterable, label, total, unit, note)
    from tqdm import tqdm

    bar = tqdm(iterable, desc=label, total=total, unit=unit, delay=DELAY, leave=False)
    return bar if note is None else _noted(bar, note)


def in_batches(items: np.ndarray, size: int, label: str) -> Iterator[np.ndarray]:
    """`items` in pieces of `size`, with progress as `track` shows it."""
    for start in track(range(0, len(items), size), label, unit="batch"):
        yield items[start : start + size]


def _noted(bar: Any, note: Callable[[], str]) -> Iterator[Any]:
    due = monotonic()
    for item in bar:
        yield item
        if monotonic() >= due:  # not each time: it may have to wait for a device
            bar.set_postfix_str(note(), refresh=False)
            due = monotonic() + TICK


def _in_lines(
    iterable: Iterable[Any], label: str, total: int | None, unit: str, note: Callable[[], str] | None
) -> Iterator[Any]:
    started = monotonic()
    pause, due = FIRST, started + FIRST
    for done, item in enumerate(iterable, start=1):
        yield item
        now = monotonic()
        if now >= due:
            shown = [f"{label}: {unit} {done:,}{f' of {total:,}' if total else ''}", *([note()] if note else [])]
            if total:
                shown.append(f"{timedelta(seconds=round((now - started) / done * (total - done)))} left")
            say(", ".join(shown), error=True)
            pause = min(2 * pause, LONGEST)
            due = now + pause


def steps(
    names: Sequence[str], label: str, *, weights: Sequence[float] = (), until: float = inf
) -> Generator[str, None, None]:
    """Each of `names`, while it is at work: for a few steps of very different lengths.

    A terminal or a notebook shows the step and the seconds in one line, which vanishes at the end; elsewhere there
    is a plain line for each step that takes a while. Whoever may be interrupted closes it (`contextlib.closing`).

    Args:
        names: of the steps.
        label: what is done.
        weights: about how long each takes, in any unit; the time that is left in all is shown then.
        until: when it ends at the latest, by `time.monotonic`.
    """
    if not _SHOWN.get():
        yield from names
        return
    at_work = _AtWork(names, label, weights, until)
    teller = threading.Thread(target=at_work.tell, daemon=True)
    teller.start()
    try:
        for number, name in enumerate(names):
            at_work.number, at_work.since = number, monotonic()
            yield name
    finally:
        at_work.over.set()
        teller.join()


class _AtWork:
    """The step that is at work, and what is said of it."""

    def __init__(self, names: Sequence[str], label: str, weights: Sequence[float], until: float) -> None:
        self._names, self._label, self._weights, self._until = names, label, weights, until
        self._start = self.since = monotonic()
        self.number = 0
        self.over = threading.Event()

    def tell(self) -> None:
        told, out = -1, sys.stderr
        moving = out.isatty() or in_notebook()
        # A notebook goes back to the start of a line, and erases nothing.
        erase = "\x1b[K" if out.isatty() else " " * 20
        wait = DELAY
        while not self.over.wait(wait):
            number, wait = self.number, TICK
            line = f"{self._label}: {self._names[number]} ({number + 1} of {len(self._names)})"
            if moving:
                out.write(f"\r{line}, {monotonic() - self._start:.0f} s{self._left(number)}{erase}")
            elif number != told:
                out.write(f"{line}{self._left(number)}\n")
            out.flush()
            told = number
        if moving and told >= 0:
            out.write(f"\r{erase}" if out.isatty() else f"\r{' ' * 100}\r")
            out.flush()

    def _left(self, number: int) -> str:
        """The time that is left in all, as far as it can be told."""
        now, left = monotonic(), inf
        if self._weights and number:
            pace = (self.since - self._start) / sum(self._weights[:number])
            here = pace * self._weights[number] - (now - self.since)
            if here > 0:  # else it takes longer than the others let expect
                left = here + pace * sum(self._weights[number + 1 :])
        if self._until <= now + left < inf or self._until < inf == left:
            return f", at most {timedelta(seconds=round(max(self._until - now, 0)))} left"
        return f", about {timedelta(seconds=round(left))} left" if left < inf else ""


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this: its output can go back to the start of a line, as a terminal's."""
    shell = sys.modules.get("IPython")
    return bool(shell and getattr(shell.get_ipython(), "kernel", None))
