"""Progress on the standard error, only for work that takes more than two seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterable, Sequence
from time import monotonic
from typing import Any

__all__ = ["steps", "track"]

#: Seconds before anything is shown.
DELAY = 2.0
#: Seconds between looks at what is at work.
TICK = 1.0


def track(iterable: Iterable[Any], label: str, *, total: int | None = None, unit: str = "it") -> Iterable[Any]:
    """`iterable`, with a bar on the standard error of a terminal."""
    from tqdm import tqdm

    # disable=None switches the bar off where the output is not a terminal.
    return tqdm(iterable, desc=label, total=total, unit=unit, delay=DELAY, disable=None, leave=False)


def steps(names: Sequence[str], label: str) -> Generator[str, None, None]:
    """Each of `names`, while it is at work: for a few steps of very different lengths.

    A terminal shows the step and the seconds in one line, which vanishes at the end; elsewhere there is one plain
    line for each step that takes a while. Whoever may be interrupted closes it (`contextlib.closing`).
    """
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
