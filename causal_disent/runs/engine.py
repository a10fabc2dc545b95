"""Work for an engine, taken as there is room for it."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_at_least, is_number, is_whole
from causal_disent.processes import Terminated, end_with, environment, usable_cores
from causal_disent.protocols import Engine, Finished
from causal_disent.registry import Entry, told_if_slow
from causal_disent.text import shown, shown_value


class Feed:
    """The work that `causal_disent.protocols.Engine.run` is given.

    Attributes:
        over: whether all has been taken.

    Example:
        >>> feed = Feed([1, 2, None, 3])
        >>> list(feed.take(1)), list(feed.take(5)), feed.over, list(feed.take(5)), feed.over
        ([1], [2], False, [3], True)
    """

    def __init__(self, work: Iterable[Any | None]) -> None:
        self._work = iter(work)
        self.over = False

    def take(self, room: int) -> Iterator[Any]:
        """Up to `room` pieces; fewer at the end, and where None says that no other can begin now."""
        for _ in range(room):
            try:
                piece = next(self._work)
            except StopIteration:
                self.over = True
                return
            if piece is None:
                return
            yield piece


#: Seconds between two looks at the workers, and those that a worker has for ending by itself.
TICK, GRACE = 0.2, 5.0
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def num_bytes(name: str, value: float | str | None) -> int | None:
    """A number of bytes, perhaps with its unit.

    Example:
        >>> num_bytes("memory", "1.5 GB"), num_bytes("memory", 2e9), num_bytes("memory", None)
        (1500000000, 2000000000, None)
    """
    if value is None:
        return None
    number = str(value).upper().rstrip("KMGIB ")
    unit = str(value).upper().removeprefix(number).strip()
    try:
        found = int(float(number) * UNITS[unit])
    except (ValueError, KeyError, OverflowError):
        found = 0
    if found < 1 or not (isinstance(value, str) or is_number(value)):
        raise errors.InvalidInput(
            f"`{name}` is a number of bytes, or text such as '4 GB'; given: {shown_value(value)}."
        )
    return found


class LocalEngine:
    """Runs work in processes of its own on this machine; each is used for many pieces.

    A process ends with the engine, or when the process that started it ends, however that ends.

    Args:
        workers: how many processes; by default one for each core that this process may use.
        threads: how many threads numpy, torch and scikit-learn may have in each.
        memory: how much each may use, such as ``"4 GB"``; one that uses more is killed (on Linux).

    Example:
        >>> sorted(done.result for done in LocalEngine(workers=1).run(abs, [-3, 4]) if done)
        [3, 4]
    """

    def __init__(self, workers: int | None = None, threads: int = 1, memory: float | str | None = None) -> None:
        cores = usable_cores()
        check_at_least(1, workers=cores if workers is None else workers, threads=threads)
        self.workers = workers or cores
        self._threads = threads
        self._memory = num_bytes("memory", memory)
        #: Processes that have nothing to do: they have imported much, and wait for the next run.
        self._idle: list[Worker] = []
        weakref.finalize(self, end, self._idle)

    def run(
        self, function: Callable[[Any], Any], work: Iterable[Any | None]
    ) -> Generator[Finished | None, None, None]:
        """As `causal_disent.protocols.Engine.run` says."""
        feed = Feed(work)
        busy: list[Worker] = []
        try:
            while True:
                for piece in feed.take(self.workers - len(busy)):
                    busy.append(self._idle.pop() if self._idle else Worker(self._threads))
                    busy[-1].begin(function, piece)
                if feed.over and not busy:
                    return
                finished = self._finished(busy)
                yield from finished
                if not finished:
                    yield None
        finally:
            end(busy)

    def _finished(self, busy: list[Worker]) -> list[Finished]:
        """What has finished within a moment; its workers are idle then, or gone."""
        if not busy:
            time.sleep(TICK)
            return []
        ready = wait([worker.connection for worker in busy], timeout=TICK)
        found = []
        for worker in list(busy):
            if worker.connection in ready:
                found.append(worker.finished())
            elif self._memory is not None and (used := worker.memory()) > self._memory:
                found.append(worker.killed(f"it used {used:,} bytes of memory; {self._memory:,} are allowed"))
            else:
                continue
            busy.remove(worker)
            if worker.alive:
                self._idle.append(worker)
        return found


class Worker:
    """A process that does pieces of work, one at a time; `begin` gives it one, `finished` waits for it.

    Args:
        threads: how many threads numpy, torch and scikit-learn may have in it.
    """

    work: Any = None
    alive = True

    def __init__(self, threads: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "causal_disent.runs.engine", str(theirs.fileno()), str(os.getpid())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **environment(threads)},
                start_new_session=True,  # Ctrl-C is for the process that decides
            )
        self.connection = Connection(ours.detach())
        self.connection.send(sys.path)

    def begin(self, function: Callable[[Any], Any], work: Any) -> None:
        """Hand over a piece; `function` must be importable."""
        self.work = work
        with suppress(BrokenPipeError, ConnectionResetError):  # it died while it was idle; `finished` says how
            self.connection.send((function, work))

    def finished(self) -> Finished:
        """What it has answered, or how it ended without an answer."""
        try:
            result, failure = self.connection.recv()
        except (EOFError, ConnectionResetError, pickle.UnpicklingError):
            return self.killed("")
        return Finished(self.work, result, failure)

    def killed(self, reason: str) -> Finished:
        """What is to be said of work whose process is not to go on, or has ended for a reason unknown."""
        self.alive = False
        if reason:
            self.process.kill()
        code = self.process.wait()
        return Finished(self.work, failure=reason or _ending(code))

    def memory(self) -> int:
        """Bytes of memory that the process uses now; 0 where the system does not say."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * os.sysconf("SC_PAGESIZE")


def _ending(code: int) -> str:
    """How a process ended."""
    if code >= 0:
        return f"its process ended with code {code}"
    name = signal.Signals(-code).name
    hint = ", as the system does when memory runs out" if -code == signal.SIGKILL else ""
    return f"its process was ended by {name}{hint}"


def end(workers: list[Worker]) -> None:
    """End processes on request, so that they remove what they have half written, but none later than `GRACE`."""
    for worker in workers:
        worker.connection.close()
        worker.process.terminate()
    deadline = time.monotonic() + GRACE
    for worker in workers:
        try:
            worker.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()


#: What says that an engine has nothing more to tell.
OVER = object()


class ForeignEngine:
    """Calls an engine in isolation: whatever it raises or yields by mistake is one message with its name.

    Args:
        entry: of the engine.
        engine: the engine.
    """

    def __init__(self, entry: Entry, engine: Engine) -> None:
        self._entry, self._engine = entry, engine

    @property
    def workers(self) -> int:
        """How many pieces it runs at a time."""
        with self._entry.isolated():
            found = self._engine.workers
            if not is_whole(found) or found < 1:
                raise TypeError(f"its `workers` is {shown_value(found)}, and no whole number from 1")
        return int(found)

    def run(
        self, function: Callable[[Any], Any], work: Iterable[Any | None]
    ) -> Generator[Finished | None, None, None]:
        """As `causal_disent.protocols.Engine.run` says."""
        pieces: list[Any] = []
        with self._entry.isolated():
            running = iter(self._engine.run(function, _noted(work, pieces)))
        try:
            while True:
                with self._entry.isolated(), told_if_slow(f"the engine {self._entry.name}"):
                    done: Any = next(running, OVER)
                    if done is not None and done is not OVER:
                        _check(done, pieces)
                if done is OVER:
                    return
                yield done
        finally:
            with suppress(errors.BrokenPlugin), self._entry.isolated():
                running.close()


def _noted(work: Iterable[Any | None], pieces: list[Any]) -> Iterator[Any | None]:
    """The pieces, each noted when it is handed out."""
    for piece in work:
        if piece is not None:
            pieces.append(piece)
        yield piece


def _check(done: Any, pieces: list[Any]) -> None:
    """Raise unless `done` tells of a piece that was handed out and not told of before."""
    if not isinstance(done, Finished) or not isinstance(done.failure, str):
        raise TypeError(f"it yields {shown_value(done)}, which is neither None nor a Finished")
    if done.work not in pieces:
        raise ValueError(f"it tells of {shown(done.work)}, which it was not given, or for the second time")
    pieces.remove(done.work)


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
