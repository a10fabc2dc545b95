"""Calls of what plugins give: whatever comes out of them is an error that names the plugin."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from causal_disent import errors
from causal_disent.orphans import Terminated
from causal_disent.text import say

#: Seconds after which a plugin that is still being loaded is named.
PATIENCE = 5.0


@contextmanager
def isolated(what: str = "") -> Iterator[None]:
    """Turn what a plugin raises, ``SystemExit`` included, into an `errors.BrokenPlugin`.

    Its message says that `what` cannot be used. A mistake of the user that the plugin reports
    (`errors.CausalDisentError`) and an interruption stay what they are.

    Example:
        >>> with isolated("The metric 'x' of the plugin y cannot be used"):
        ...     raise SystemExit(0)
        Traceback (most recent call last):
        causal_disent.errors.BrokenPlugin: The metric 'x' of the plugin y cannot be used: SystemExit: 0.
    """
    try:
        yield
    except (errors.CausalDisentError, KeyboardInterrupt, Terminated):
        raise
    except BaseException as error:  # foreign code: SystemExit, say, or the panic of an extension
        text = errors.described(error)
        raise errors.BrokenPlugin(f"{what}: {text.rstrip('.')}." if what else text) from error


@contextmanager
def told_if_slow(what: str) -> Iterator[None]:
    """Say on the standard error what is at work, if it takes more than some seconds."""
    timer = threading.Timer(PATIENCE, say, [f"still at work: {what}"], {"error": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
