"""An engine that a plugin brings, held to what `causal_disent.protocols.Engine` says."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any

from causal_disent import errors
from causal_disent.arguments import is_whole
from causal_disent.isolation import told_if_slow
from causal_disent.protocols import Engine, Finished
from causal_disent.registry import Entry
from causal_disent.text import shown, shown_value

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
