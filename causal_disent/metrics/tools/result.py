"""What the results of metrics have in common."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np


class Result:
    """Base of a metric's result, a frozen dataclass: ``score`` is the headline, ``repr`` fits a line or two.

    A class whose headline has another name says which: ``class DciResult(Result, score="disentanglement")``.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class GapResult(Result, score="gap"):
        ...     gap: float
        ...     matrix: np.ndarray
        >>> found = GapResult(2 / 3, np.zeros((10, 5)))
        >>> found, round(found.score, 3)
        (GapResult(score=0.6667, matrix=(10, 5) array), 0.667)
    """

    if TYPE_CHECKING:

        @property
        def score(self) -> float: ...

    _headline = "score"

    def __init_subclass__(cls, score: str = "") -> None:
        if score:
            cls._headline, cls.score = score, property(attrgetter(score))  # type: ignore[assignment]
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]  # or the dataclass would make a long one

    def __repr__(self) -> str:
        others = (field.name for field in fields(self) if field.name != self._headline)  # type: ignore[arg-type]
        known = {name: value for name in others if (value := getattr(self, name)) is not None}
        shown = {"score": self.score, **known}
        return f"{type(self).__name__}({', '.join(f'{name}={_short(value)}' for name, value in shown.items())})"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.shape} array"
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = repr(value)
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, Sized) and len(text) > 60 else text
