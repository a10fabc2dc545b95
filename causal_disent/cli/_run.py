"""How every command ends: 0, or one readable message and 2 for a user's mistake, 1 for a failed run."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable
from types import FrameType

from causal_disent import errors

__all__ = ["run"]

INTERRUPTED = 130


def run(command: Callable[[], int], *, debug: bool) -> int:
    """The exit code of `command`, its errors printed to the standard error."""
    # A terminated run cleans up like an interrupted one, so that nothing half-written stays.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return command()
    except errors.CausalDisentError as error:
        if debug:
            traceback.print_exception(getattr(error, "failure", error))
        print(f"error: {error.message}", file=sys.stderr)
        return 1 if isinstance(error, errors.MetricFailed) else 2
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # `causal-disent metrics | head` closes the pipe; that is not a mistake.
        sys.stderr.close()
        return 0


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
