"""Processes that work for another end when that one has ended, however it ended."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

#: Linux' number for `prctl`: have a signal when the parent dies.
SET_PARENT_DEATH_SIGNAL = 1
#: Seconds between two looks at whether the parent is there.
LOOK_EVERY = 1.0

_watched: set[int] = set()


class Terminated(SystemExit):
    """The system has asked this process to end, which is told from a ``SystemExit`` of what it calls."""


def end_with(parent: int, *, at_once: bool = False) -> None:
    """Have this process end when `parent`, which started it, is no longer its parent.

    Args:
        parent: the number of a process; of this one itself nothing is done.
        at_once: also have the system end it, where it can. It does so already when the thread ends that started
            this process, so that this is for those whom the main thread starts.
    """
    if parent == os.getpid() or parent in _watched:
        return
    _watched.add(parent)
    if at_once and sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os._exit(1)
