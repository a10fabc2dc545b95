"""Leases: of several processes, on one machine or on several that share a file system, one does a task.

Every process that works on a study is an `Owner` with a file of its own, ``.owners/<name>``, in which it counts
its heartbeats. A lease is a file ``<place>.0`` with its owner's name, made only if it is not there. A dead owner's
lease is taken over by making ``<place>.1`` in the same way, so that of several who try one succeeds, and none
removes what it did not make; the highest number holds.

Clocks of machines differ, so that none is compared with another: an owner is dead if its count stood still for
`DEAD_AFTER` seconds of the observer's clock, or at once if it was a process of this machine that is gone.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from causal_disent import errors
from causal_disent.files import read_bounded, regular, remove, within

#: Where owners count, in the study's folder.
OWNERS = ".owners"
#: Seconds between two heartbeats, and without one until an owner counts as dead.
BEAT, DEAD_AFTER = 10.0, 60.0
#: Of a lease, and of an owner's file; digits of the number of a lease, which counts those who took it over.
MOST_BYTES, MOST_DIGITS = 1000, 18


class Owner:
    """This process among those that work on a study; enter it before taking leases.

    Args:
        folder: of the study.
        clock: seconds that never go back.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = f"{_machine()}~{os.getpid()}~{uuid.uuid4().hex[:8]}"
        self._folder = folder / OWNERS
        self._clock = clock
        self._count = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, daemon=True)
        #: What was last seen of a lease -> when it was first seen like that.
        self._seen: dict[Path, tuple[str, float]] = {}

    def __enter__(self) -> Owner:
        within(self._folder.parent, self._folder).mkdir(parents=True, exist_ok=True)
        self.beat()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        for name in os.listdir(self._folder):
            if name == self.name or is_gone(name):
                (self._folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # others may be at work
            self._folder.rmdir()

    def beat(self) -> None:
        """Count on."""
        self._count += 1
        (self._folder / self.name).write_text(str(self._count))

    def _keep_beating(self) -> None:
        while not self._ended.wait(BEAT):
            with suppress(OSError):  # a full disk, say; there may be space again before the next
                self.beat()

    def take(self, place: Path) -> bool:
        """Take the lease of `place`, if nobody alive has it."""
        numbers = _numbers(place)
        before = _file(place, numbers[-1] if numbers else -1)
        name = _text(before)
        if numbers and not self._is_dead(before, name):
            return False
        mine = _file(place, numbers[-1] + 1 if numbers else 0)
        try:
            with mine.open("x") as file:
                file.write(self.name)
        except FileExistsError:
            return False
        # Who was slow may have taken over from nobody: the dead one's lease is gone, or others went on from it.
        if _numbers(place)[-1:] == [int(mine.suffix[1:])] and _text(before) == name:
            return True
        mine.unlink(missing_ok=True)
        return False

    def has(self, place: Path) -> bool:
        """Whether this process has the lease: one that was stopped for long may have lost it."""
        return holder(place) == self.name

    def release(self, place: Path) -> None:
        """Give the lease of `place` back."""
        if self.has(place):
            for number in _numbers(place):  # the highest last: until then it holds
                remove(_file(place, number))

    def _is_dead(self, lease: Path, name: str) -> bool:
        if is_gone(name):
            return True
        state = f"{name} {_text(self._folder / name) if name else ''}"
        before, since = self._seen.get(lease, ("", 0.0))
        if before != state:
            self._seen[lease] = (state, self._clock())
            return False
        return self._clock() - since >= DEAD_AFTER


def holder(place: Path) -> str:
    """The name of the owner that has the lease of `place`; empty if nobody has."""
    numbers = _numbers(place)
    return _text(_file(place, numbers[-1])) if numbers else ""


def is_gone(name: str) -> bool:
    """Whether the owner of that name was a process of this machine that has ended."""
    machine, _, process = name.rpartition("~")[0].rpartition("~")
    return machine == _machine() and process.isdecimal() and not _runs(int(process))


def _file(place: Path, number: int) -> Path:
    return place.with_name(f"{place.name}.{number}")


def _numbers(place: Path) -> list[int]:
    """The numbers of the files of a lease, the smallest first."""
    ending = re.compile(re.escape(place.name) + rf"\.(\d{{1,{MOST_DIGITS}}})")
    return sorted(int(found[1]) for name in os.listdir(place.parent) if (found := ending.fullmatch(name)))


def _text(file: Path) -> str:
    """What a file says; nothing if it is not there, or is none that an owner has made."""
    try:
        return read_bounded(regular(file), MOST_BYTES).decode("utf-8", "replace")
    except (errors.InvalidInput, OSError, ValueError):  # of a name that no file can have
        return ""


def _machine() -> str:
    """What the process numbers of this machine, or of this container, are told from others' by."""
    parts = [socket.gethostname()]
    for file, read in (("/proc/sys/kernel/random/boot_id", Path.read_text), ("/proc/self/ns/pid", os.readlink)):
        with suppress(OSError):
            parts.append(str(read(Path(file))).strip())
    return re.sub(r"[^\w.-]", "", "-".join(parts))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, OverflowError):  # the latter of a number that no process can have
        return False
    except OSError:  # another user's, or a system that does not tell
        return True
    return state != "Z"  # dead, and nobody has asked how it ended
