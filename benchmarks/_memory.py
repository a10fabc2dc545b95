"""Peak memory of this process and those that it started, by the share of each page that is theirs (Linux)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

INTERVAL = 0.25


class PeakMemory:
    """Looks at the memory in a thread of its own while a function runs; remembers the most it has seen."""

    def __init__(self) -> None:
        self.megabytes = 0.0

    def during(self, function: Callable[[], Any]) -> Any:
        """What `function` returns."""
        over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(over,), daemon=True)
        watcher.start()
        try:
            return function()
        finally:
            over.set()
            watcher.join()

    def _watch(self, over: threading.Event) -> None:
        while True:
            self.megabytes = max(self.megabytes, held_megabytes())
            if over.wait(INTERVAL):
                return


def held_megabytes() -> float:
    """What this process and its children hold now."""
    return sum(_share(process) for process in _family(Path("/proc/self")))


def _family(process: Path) -> list[Path]:
    """A process and all that descend from it."""
    children = []
    for task in process.glob("task/*/children"):
        children += [Path("/proc") / number for number in task.read_text().split()]
    return [process, *(one for child in children if child.exists() for one in _family(child))]


def _share(process: Path) -> float:
    """Megabytes, a page that several use counted in parts."""
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
