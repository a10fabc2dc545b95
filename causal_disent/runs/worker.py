"""A process that works for a local engine: ``python -m causal_disent.runs.worker DESCRIPTOR PARENT``.

It is started afresh, so that it has its own gin state and its own number of threads, and a program that starts an
engine needs no ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import signal
import sys
import traceback
from multiprocessing.connection import Connection
from types import FrameType

from causal_disent import errors
from causal_disent.orphans import Terminated, end_with


def main(descriptor: int, parent: int) -> None:
    """Do what comes through the connection until it is closed."""
    end_with(parent, at_once=True)
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
        except Terminated:
            raise
        except BaseException as error:  # whatever it is, it is the caller's to judge
            traceback.print_exc()
            answer = (None, errors.described(error))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # there is nothing to clean up
        connection.send(answer)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    # What is being written is removed on the way out.
    raise Terminated(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
