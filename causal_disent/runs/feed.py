"""Work for an engine, taken as there is room for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


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
