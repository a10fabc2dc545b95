"""Timing side by side: threads pinned, best of several runs, ratios instead of seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def pin_threads() -> None:
    """One thread for numpy; must run before numpy is imported."""
    for name in THREADS:
        os.environ[name] = "1"


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    """Seconds of the fastest of `repeats` runs: the one that was disturbed least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def processor_time(function: Callable[[], Any]) -> float:
    """Seconds that this process computes; other programs on the machine do not count."""
    start = time.process_time()
    function()
    return time.process_time() - start
