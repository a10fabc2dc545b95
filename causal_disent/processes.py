"""Processes and threads: how many, how they wait, and workers that exit when their parent exits."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import TypeVar

Result = TypeVar("Result")

#: What libraries read their number of threads and processes from, when they are loaded.
NUMBERS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)
#: By default threads of OpenMP wait by spinning: beside any other program they take the cores that they wait for
#: from each other, and a step of training takes three times as long and more. Some microseconds are well spent:
#: waking a thread takes longer.
PATIENT = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "2000", "KMP_BLOCKTIME": "0"}
#: By default glibc gives large arrays back to the system as soon as they are free, and asks for them again in the
#: next step of training, which takes a sixth of it. Bytes up to which an array is kept, and free memory in all.
KEPT = {"MALLOC_MMAP_THRESHOLD_": 2**26, "MALLOC_TRIM_THRESHOLD_": 2**29}
#: What glibc calls the same in a process that has started.
MALLOPT = {"MALLOC_MMAP_THRESHOLD_": -3, "MALLOC_TRIM_THRESHOLD_": -1}
#: Where Linux says what a container may use: one file with quota and period, or one for each.
QUOTAS = (
    (Path("/sys/fs/cgroup/cpu.max"),),
    (Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")),
)


def usable_cores() -> int:
    """How many cores this process may use: those it is bound to, and no more than its container's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cores, *(math.ceil(quota) for quota in map(_quota, QUOTAS) if quota)]))


def _quota(files: Iterable[Path]) -> float | None:
    try:
        quota, period = (int(word) for file in files for word in file.read_text().split())
    except (OSError, ValueError):  # no such file, or "max"
        return None
    return quota / period if quota > 0 and period > 0 else None


def environment(threads: int) -> dict[str, str]:
    """The variables under which a new process has that many threads, which wait without spinning."""
    return {**dict.fromkeys(NUMBERS, str(threads)), **PATIENT, **{name: str(size) for name, size in KEPT.items()}}


def use_threads(threads: int | None = None) -> int:
    """Have numpy, scikit-learn, torch and TensorFlow use so many threads, which wait without spinning.

    Commands and the processes of a study do this by themselves; importing the package does not. Call it before
    torch is imported: how threads wait is read once, when they are made. Numbers are set in libraries that are
    loaded as well. On Linux up to half a gigabyte of memory that is free is kept for the next arrays.

    Args:
        threads: by default as many as there are cores that this process may use (by its affinity and the quota of
            its container). Environment variables such as ``OMP_NUM_THREADS`` that are set win over the default.

    Returns:
        The number that is used where no variable says otherwise.

    Example:
        >>> use_threads(1)
        1
    """
    if threads is not None:
        from causal_disent.checks import check_whole  # loads numpy, which reads the variables when it is loaded

        check_whole("threads", threads, 1)
    number = usable_cores() if threads is None else threads
    told = threads is None and any(name in os.environ for name in NUMBERS)
    _keep_memory()
    shared = os.environ.get(NUMBERS[0])  # torch asks MKL first, where nobody who sets the usual one looks
    for name, value in environment(number).items():
        if name in NUMBERS:
            os.environ[name] = value if threads is not None else os.environ.get(name, shared or value)
        else:
            os.environ.setdefault(name, value)
    if not told:
        _tell_loaded(number)
    return number


def _keep_memory() -> None:
    """Tell glibc, if it is there; a variable that the user has set was read when the process started."""
    if sys.platform == "linux":
        import ctypes

        library = ctypes.CDLL(None)
        for name, size in KEPT.items() if hasattr(library, "mallopt") else ():
            if name not in os.environ:
                library.mallopt(MALLOPT[name], size)


def _tell_loaded(number: int) -> None:
    """Libraries that are loaded do not look at variables any more."""
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(number)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(number)


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


class TimeUp(BaseException):
    """The time of some work is over: no failure, so that no ``except Exception`` takes it for one."""


#: Seconds after which a call that did not end is told again: a ``__del__``, say, has swallowed it.
TOLD_AGAIN = 5.0
#: Seconds after which a call that was importing something is looked at again.
LOOK_AGAIN = 0.01


def run_until(until: float, function: Callable[[], Result]) -> Result:
    """Call a function, and leave it by `TimeUp` when the time has come, whichever Python code it is in.

    That holds in every thread. Work that stays in C, such as the decomposition of a large matrix, and imports are
    left when they are done.

    Args:
        until: the time, by `time.monotonic`; infinity for no limit.
        function: without arguments.

    Returns:
        What the function returns.

    Example:
        >>> def wait():
        ...     while True:
        ...         time.sleep(0.001)
        >>> try:
        ...     run_until(time.monotonic() + 0.01, wait)
        ... except TimeUp:
        ...     print("over")
        over
    """
    if until == math.inf:
        return function()
    import ctypes

    thread, here = threading.get_ident(), sys._getframe()
    over, lock, raise_in = threading.Event(), threading.Lock(), ctypes.pythonapi.PyThreadState_SetAsyncExc

    def watch() -> None:
        pause = until - time.monotonic()
        while not over.wait(min(max(pause, 0.0), threading.TIMEOUT_MAX)):
            with lock:
                at_work = _files_at_work(here, thread)
                if over.is_set() or at_work is None:
                    return
                # A package whose import is left half-way cannot be imported again.
                importing = any(name.startswith("<frozen importlib") for name in at_work)
                if not importing:
                    raise_in(ctypes.c_ulong(thread), ctypes.py_object(TimeUp))
            pause = LOOK_AGAIN if importing else TOLD_AGAIN

    watcher = threading.Thread(target=watch, daemon=True)
    try:
        watcher.start()
        return function()
    finally:
        with lock:
            over.set()
        raise_in(ctypes.c_ulong(thread), None)  # one that came just now
        watcher.join()


def _files_at_work(frame: FrameType, thread: int) -> list[str] | None:
    """The files of the code that a call is in; None if the call is over."""
    at_work, files = sys._current_frames().get(thread), []
    while at_work is not None and at_work is not frame:
        files.append(at_work.f_code.co_filename)
        at_work = at_work.f_back
    return files if at_work is frame else None
