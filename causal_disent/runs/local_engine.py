"""The engine that runs tasks on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from causal_disent import errors

__all__ = ["LocalEngine"]


class LocalEngine:
    """Runs tasks one after the other, or in a pool of processes.

    Args:
        workers: processes; 1 runs the tasks in this one.

    Example:
        >>> sorted(LocalEngine().run(pow, [(2, 3), (3, 2)]))
        [(0, 8), (1, 9)]
    """

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise errors.InvalidInput(f"`workers` must be at least 1; given: {workers!r}.")
        self._workers = workers

    def run(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Yield ``(position, function(*task))`` as the tasks finish."""
        if self._workers == 1:
            for position, task in enumerate(tasks):
                yield position, function(*task)
            return
        with ProcessPoolExecutor(self._workers) as pool:
            futures = {pool.submit(function, *task): position for position, task in enumerate(tasks)}
            for future in as_completed(futures):
                yield futures[future], future.result()
