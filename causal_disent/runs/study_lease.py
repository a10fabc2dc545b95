"""Leases: of all processes that share the folder of a study, one does a unit of work.

Every process that works on a study has a heartbeat file, ``.owners/<name>``, that says its machine and the time.
It renews the file every `BEAT` seconds, and holds a lock (``flock``) on it for as long as it lives.

To take a unit of work, a process puts a mark with its name beside the work and then looks for marks of others. If
the owner of one of them may be alive, the process removes its own mark and tries again later. Two processes that
come at the same moment may both step back, but never do both go on.

An owner on this machine is dead if the system has dropped its lock, as it does however a process ends. An owner on
another machine is dead if its heartbeat file has not changed for `DEAD_AFTER` seconds of the observer's clock: the
clocks of machines differ, so that their times are never compared.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType

from causal_disent import errors
from causal_disent.files import read_bounded, regular, remove, within

#: Where the heartbeat files are, in the study's folder.
OWNERS = ".owners"
#: In the name of a mark, between the unit of work and the owner: ``.train.lease.<owner>``.
LEASE = ".lease"
#: Seconds between two heartbeats, and without one until an owner on another machine counts as dead.
BEAT, DEAD_AFTER = 10.0, 60.0
#: Of a heartbeat file.
MOST_BYTES = 1000


class Owner:
    """This process among those that work on a study; enter it before taking leases.

    Args:
        study: the folder of the study.
        clock: seconds that never go back.
    """

    def __init__(self, study: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = f"{machine()}~{os.getpid()}~{uuid.uuid4().hex[:8]}"
        self._study, self._clock = study, clock
        self._file = study / OWNERS / self.name
        self._descriptor = -1
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, daemon=True)
        #: Owner on another machine -> its last heartbeat that was seen, and when it was first seen.
        self._seen: dict[str, tuple[str, float]] = {}

    def __enter__(self) -> Owner:
        folder = within(self._study, self._file.parent)
        folder.mkdir(parents=True, exist_ok=True)
        # Under its name it is locked from the beginning, so that nobody takes it for that of a dead process.
        new = folder / f".{self.name}"
        self._descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        _lock(self._descriptor)
        self.beat()
        new.rename(self._file)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._file.unlink(missing_ok=True)
        os.close(self._descriptor)
        for name in os.listdir(self._file.parent):
            if is_gone(self._study, name):
                remove(self._file.parent / name)
        with suppress(OSError):  # others may be at work
            self._file.parent.rmdir()

    def beat(self) -> None:
        """Renew the heartbeat file."""
        now = datetime.now().astimezone().isoformat(timespec="milliseconds")
        os.pwrite(self._descriptor, f"{socket.gethostname()} {now}\n".encode(), 0)
        os.fsync(self._descriptor)

    def _keep_beating(self) -> None:
        while not self._ended.wait(BEAT):
            with suppress(OSError):  # a full disk, say; there may be space again before the next
                self.beat()

    def take(self, place: Path) -> bool:
        """Take the lease of `place`, such as ``<run>/.train.lease``, unless another has it who may be alive."""
        mine = _mark(place, self.name)
        mine.touch()
        for other in owners_of(place):
            if other == self.name:
                continue
            if not self._is_dead(other):
                mine.unlink(missing_ok=True)
                return False
            remove(_mark(place, other))
        return True

    def release(self, place: Path) -> None:
        """Give the lease of `place` back."""
        _mark(place, self.name).unlink(missing_ok=True)

    def _is_dead(self, name: str) -> bool:
        if is_gone(self._study, name):
            return True
        beat = _heartbeat(self._study, name)
        before, since = self._seen.get(name, (None, 0.0))
        if before != beat:
            self._seen[name] = (beat, self._clock())
            return False
        return self._clock() - since >= DEAD_AFTER


def owners_of(place: Path) -> list[str]:
    """The names of all who have a mark at `place`, dead or alive."""
    before = f"{place.name}."
    return [name.removeprefix(before) for name in os.listdir(place.parent) if name.startswith(before)]


def leases_among(names: list[str]) -> Iterator[tuple[str, str]]:
    """The unit of work and the owner of each mark among the names in a run's folder."""
    for name in sorted(names):
        unit, mark, owner = name.removeprefix(".").partition(f"{LEASE}.")
        if mark and name.startswith("."):
            yield unit, owner


def is_gone(study: Path, name: str) -> bool:
    """Whether an owner was a process of this machine that has ended."""
    if not name.startswith(f"{machine()}~"):
        return False
    try:
        descriptor = os.open(regular(study / OWNERS / name), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return True
    except (OSError, ValueError, errors.InvalidInput):
        return False
    try:
        return _lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock a file; False if another has locked it, or if the system or the file system has no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _mark(place: Path, owner: str) -> Path:
    return place.with_name(f"{place.name}.{owner}")


def _heartbeat(study: Path, name: str) -> str:
    """What an owner's heartbeat file says; nothing if it is not there, as one that another machine just wrote."""
    try:
        return read_bounded(regular(study / OWNERS / name), MOST_BYTES).decode("utf-8", "replace")
    except (errors.InvalidInput, OSError, ValueError):
        return ""


def machine() -> str:
    """The name of this machine, or container: two that have one name differ in the system that they booted."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text()[:8])
    return re.sub(r"[^\w.-]", "", "-".join(parts))
