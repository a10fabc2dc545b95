"""Fits that stop before the optimum: counted over a whole call of a metric, and told once, in words."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

#: The warnings of one fit: their categories and texts.
Caught = list[tuple[type[Warning], str]]


@dataclass
class _Count:
    fits: int = 0
    stopped: int = 0


_OPEN: ContextVar[_Count | None] = ContextVar("fits of the metric that is being computed", default=None)


@contextmanager
def fits_of(metric: str) -> Iterator[_Count]:
    """A block, or the decorator of a function, whose fits belong to one metric; the outermost one tells."""
    outer = _OPEN.get()
    if outer is not None:
        yield outer
        return
    count = _Count()
    token = _OPEN.set(count)
    try:
        yield count
    finally:
        _OPEN.reset(token)
    if count.stopped:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{metric}: {count.stopped} of {count.fits} fits stopped at their limit of steps, before the best. "
            "Their scores may differ in the second decimal on another processor: compare no finer than that. Fits "
            "end sooner with codes on one scale, or with an estimator or solver that converges.",
            ConvergenceWarning,
            stacklevel=4,  # the caller of what is decorated
        )


def is_inside() -> bool:
    """Whether a metric is being computed."""
    return _OPEN.get() is not None


def count_fits(fits: int, stopped: int) -> None:
    """Add to the count of the metric that is being computed."""
    with fits_of("A metric") as count:
        count.fits += fits
        count.stopped += stopped


def fit_counted(model: Any, *data: Any) -> Any:
    """scikit-learn's `model`, fitted to the data in this process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data)
    tell_fits([[(warning.category, str(warning.message)) for warning in caught]])
    return model


def tell_fits(fits: Sequence[Caught]) -> None:
    """Count the fits whose warnings are given, and pass on what else they warned of, once for all."""
    from sklearn.exceptions import ConvergenceWarning

    stopped = [any(issubclass(category, ConvergenceWarning) for category, _ in caught) for caught in fits]
    count_fits(len(fits), sum(stopped))
    for (category, message), times in Counter(warning for caught in fits for warning in caught).items():
        if not issubclass(category, ConvergenceWarning):
            warnings.warn(f"{message} (in {times} of the fits)", category, stacklevel=4)
