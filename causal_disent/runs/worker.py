"""A process that works for a local engine: ``python -m causal_disent.runs.worker DESCRIPTOR PARENT``.

It is started afresh, so that it has its own gin state and its own number of threads, and a program that starts an
engine needs no ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from types import FrameType

#: Linux' number for `prctl`: have a signal when the parent dies.
SET_PARENT_DEATH_SIGNAL = 1


def main(descriptor: int, parent: int) -> None:
    """Do what comes through the connection until it is closed."""
    _end_with(parent)
    connection = Connection(descriptor)
    sys.path[:] = connection.recv()
    while True:
        try:
            function, work = connection.recv()
        except EOFError:
            return
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            answer = (function(work), "")
        except Exception as error:  # whatever it is, it is the caller's to judge
            traceback.print_exc()
            answer = (None, f"{type(error).__name__}: {error}")
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # there is nothing to clean up
        connection.send(answer)


def _end_with(parent: int) -> None:
    """Have this process end when its parent has ended, however that ended."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    # What is being written is removed on the way out.
    raise SystemExit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
