"""How every command ends: 0, or one readable message and 2 for a user's mistake, 1 for a failed run."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from types import FrameType

from causal_disent import errors, files
from causal_disent.processes import use_threads
from causal_disent.text import complain, say, shown

#: Of a warning, so many are shown.
MOST_CHARACTERS = 1000
#: What the file system says of a user's mistake, or of the user's disk; any other OSError is a fault.
FILE_SYSTEM = {
    errno.EACCES, errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR,
    errno.ENOTEMPTY, errno.EPERM, errno.EROFS,
}  # fmt: skip
#: What it says when there is no room left.
NO_ROOM = (errno.EDQUOT, errno.EFBIG, errno.ENOSPC)


def run(command: Callable[[], int], *, debug: bool) -> int:
    """The exit code of `command`, its errors printed to the standard error."""
    # A terminated run cleans up like an interrupted one, so that nothing half-written stays.
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _interrupt)
    _open_streams()
    use_threads()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal may not have a character that a name or a listing has
            stream.reconfigure(errors="backslashreplace")
    standard, of_threads = warnings.formatwarning, threading.excepthook
    files.written.clear()
    if not debug:
        # As the users of a command read it: without its place in the program.
        warnings.formatwarning = lambda message, *_: f"warning: {shown(message, MOST_CHARACTERS)}\n"
        threading.excepthook = _one_line_of_thread
    try:
        code = command()
        sys.stdout.flush()  # while a full disk can still be told of
        return code
    except BrokenPipeError:
        # `causal-disent metrics | head` closes the pipe; that is not a mistake.
        sys.stderr.close()
        return 0
    except BaseException as error:
        if debug and not isinstance(error, KeyboardInterrupt):
            traceback.print_exception(getattr(error, "failure", error))
        return _told(error)
    finally:
        warnings.formatwarning, threading.excepthook = standard, of_threads


def _open_streams() -> None:
    """Lead standard streams that are closed nowhere, since files that are opened would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def _told(error: BaseException) -> int:
    """Say what has ended a command; the exit code."""
    if isinstance(error, errors.CausalDisentError) and not isinstance(error, errors.OutOfMemory):
        complain("error", error.message)
        return 1 if isinstance(error, errors.MetricFailed) else 2
    if isinstance(error, KeyboardInterrupt):
        say(f"interrupted; {_kept()}", error=True)
        return errors.INTERRUPTED
    if isinstance(error, OSError) and error.errno in FILE_SYSTEM:
        complain("error", _refused(error))
        return 2
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        complain("error", f"{_refused(error)} So far, {_kept()}.")
    elif _is_short_of_memory(error):
        complain(
            "error",
            f"Memory is short: {errors.described(error)}. So far, {_kept()}. Take fewer points or smaller "
            "batches, end other programs, or give more memory, and call the command again.",
        )
    elif isinstance(error, Exception):
        complain(
            "error",
            f"This should not have happened: {errors.described(error)}. So far, {_kept()}. --debug shows where it "
            "was; please report it with that.",
        )
    else:  # No command of ours ends so; what a plugin gave has, and must not pass for a run that went well.
        complain(
            "error", f"Something that the command called ended it: {errors.described(error)}. --debug shows what."
        )
    return 1


def _refused(error: OSError) -> str:
    """What the file system did not do."""
    place = f"{error.filename}: " if error.filename else ""
    return (
        f"The file system refuses: {place}{error.strerror}. Check that the place is right, may be written to "
        "and has space left; --debug shows what was tried."
    )


def _kept() -> str:
    """What the command has written, for one that did not come to its end."""
    there = [path for path in dict.fromkeys(files.written) if path.exists()]
    return f"this was written, whole: {errors.listing(there, most=5)}" if there else "nothing was written"


def _is_short_of_memory(error: BaseException) -> bool:
    """Torch raises a RuntimeError where Python has a MemoryError, and threads cannot be started either."""
    words = ("allocate memory", "out of memory", "start new thread", "Cannot allocate")
    return isinstance(error, MemoryError) or (
        isinstance(error, (OSError, RuntimeError)) and any(word in errors.text_of(error) for word in words)
    )


def _one_line_of_thread(given: threading.ExceptHookArgs) -> None:
    """A thread of a library, TensorBoard's writer say, has failed; what waits for it tells in its own way."""
    if given.exc_value is not None:
        complain("warning", errors.described(given.exc_value))


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
