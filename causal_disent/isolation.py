"""What a plugin gives is called in here, so that nothing it does ends the program or stops another plugin."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from causal_disent import errors
from causal_disent.text import say

#: Seconds after which a plugin that is still being loaded is named.
PATIENCE = 5.0


@contextmanager
def isolated(what: str = "") -> Iterator[None]:
    """Turn whatever comes out of a stranger's code, ``SystemExit`` included, into one `errors.BrokenPlugin`.

    Its message says that `what` cannot be used. A mistake of the user that the code reports
    (`errors.CausalDisentError`) stays what it is, and so does a real Ctrl-C: what the system sent is told from a
    ``KeyboardInterrupt`` that the code raised.

    Example:
        >>> with isolated("The metric 'x' of the plugin y cannot be used"):
        ...     raise SystemExit(0)
        Traceback (most recent call last):
        causal_disent.errors.BrokenPlugin: The metric 'x' of the plugin y cannot be used: SystemExit: 0.
    """
    with _signals() as received, _without_exit():
        try:
            yield
        except errors.CausalDisentError:
            raise
        except BaseException as error:
            if received:
                raise KeyboardInterrupt from error
            text = errors.described(error)
            raise errors.BrokenPlugin(f"{what}: {text.rstrip('.')}." if what else text) from error
    if received:  # the code has swallowed it
        raise KeyboardInterrupt


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


@contextmanager
def _signals() -> Iterator[list[int]]:
    """The signals that arrive meanwhile; what handled them before still does."""
    received: list[int] = []
    before: dict[signal.Signals, Callable[..., Any]] = {}

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        before[signal.Signals(number)](number, frame)

    # Python hands signals to its main thread alone.
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, note)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _without_exit() -> Iterator[None]:
    """Make ``os._exit``, which ends a program without a word, an exception like ``sys.exit``."""
    real, place = os._exit, (os.getpid(), threading.get_ident())
    places: tuple[Any, ...] = (os, sys.modules[os.name])  # it is called posix._exit or nt._exit too
    inside = True

    def refuse(status: int) -> None:
        # A child process, and another thread, may end as they like.
        if inside and (os.getpid(), threading.get_ident()) == place:
            raise SystemExit(f"os._exit({status})")
        real(status)

    for module in places:
        module._exit = refuse
    try:
        yield
    finally:
        inside = False
        for module in places:
            module._exit = real
