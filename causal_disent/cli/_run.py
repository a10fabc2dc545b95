"""How every command ends: 0, or one readable message and 2 for a user's mistake, 1 for a failed run."""

from __future__ import annotations

import errno
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from types import FrameType

from causal_disent import errors
from causal_disent.text import complain, say, shown
from causal_disent.threads import use_threads

#: Of a warning, so many are shown.
MOST_CHARACTERS = 1000
#: What the file system says of a user's mistake, or of the user's disk; any other OSError is a fault.
FILE_SYSTEM = {
    errno.EACCES, errno.EDQUOT, errno.EEXIST, errno.EFBIG, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG,
    errno.ENOENT, errno.ENOSPC, errno.ENOTDIR, errno.ENOTEMPTY, errno.EPERM, errno.EROFS,
}  # fmt: skip


def run(command: Callable[[], int], *, debug: bool) -> int:
    """The exit code of `command`, its errors printed to the standard error."""
    # A terminated run cleans up like an interrupted one, so that nothing half-written stays.
    signal.signal(signal.SIGTERM, _interrupt)
    use_threads()
    standard = warnings.formatwarning
    if not debug:
        # As the users of a command read it: without its place in the program.
        warnings.formatwarning = lambda message, *_: f"warning: {shown(message, MOST_CHARACTERS)}\n"
    try:
        return command()
    except errors.CausalDisentError as error:
        if debug:
            traceback.print_exception(getattr(error, "failure", error))
        complain("error", error.message)
        return 1 if isinstance(error, errors.MetricFailed) else 2
    except KeyboardInterrupt:
        say("interrupted; nothing was written", error=True)
        return errors.INTERRUPTED
    except BrokenPipeError:
        # `causal-disent metrics | head` closes the pipe; that is not a mistake.
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno not in FILE_SYSTEM:
            raise
        if debug:
            traceback.print_exception(error)
        place = f"{error.filename}: " if error.filename else ""
        complain(
            "error",
            f"The file system refuses: {place}{error.strerror}. Check that the place is right, may be written to "
            "and has space left; --debug shows what was tried.",
        )
        return 2
    except BaseException as error:
        if isinstance(error, Exception):
            raise  # a fault of the program
        # No command of ours ends so; what a plugin gave has, and must not pass for a run that went well.
        if debug:
            traceback.print_exception(error)
        complain(
            "error", f"Something that the command called ended it: {errors.described(error)}. --debug shows what."
        )
        return 1
    finally:
        warnings.formatwarning = standard


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
