"""How far long work is, on the standard error: a bar on a terminal, and a line now and then in a log."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
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
    if not sys.stderr.isatty():
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


def steps(names: Sequence[str], label: str) -> Generator[str, None, None]:
    """Each of `names`, while it is at work: for a few steps of very different lengths.

    A terminal shows the step and the seconds in one line, which vanishes at the end; elsewhere there is one plain
    line for each step that takes a while. Whoever may be interrupted closes it (`contextlib.closing`).
    """
    if not _SHOWN.get():
        yield from names
        return
    at_work = [0]
    stop = threading.Event()
    teller = threading.Thread(target=_tell, args=(names, label, at_work, stop), daemon=True)
    teller.start()
    try:
        for at_work[0], name in enumerate(names):
            yield name
    finally:
        stop.set()
        teller.join()


def _tell(names: Sequence[str], label: str, at_work: Sequence[int], stop: threading.Event) -> None:
    start, told, out = monotonic(), -1, sys.stderr
    moving = out.isatty()
    wait = DELAY
    while not stop.wait(wait):
        number, wait = at_work[0], TICK
        line = f"{label}: {names[number]} ({number + 1} of {len(names)})"
        if moving:
            out.write(f"\r{line}, {monotonic() - start:.0f} s\x1b[K")
        elif number != told:
            out.write(f"{line}\n")
        out.flush()
        told = number
    if moving and told >= 0:
        out.write("\r\x1b[K")
        out.flush()
