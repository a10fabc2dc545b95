"""Progress bars: on a terminal only, and only for work that takes more than two seconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["track"]


def track(iterable: Iterable[Any], label: str, *, total: int | None = None, unit: str = "it") -> Iterable[Any]:
    """`iterable`, with a bar on the standard error of a terminal."""
    from tqdm import tqdm

    # disable=None switches the bar off where the output is not a terminal.
    return tqdm(iterable, desc=label, total=total, unit=unit, delay=2, disable=None, leave=False)
