"""The generators that belong to the user's program, and that nothing here may touch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from causal_disent.testing.check import demand


@contextmanager
def touched_generators() -> Iterator[list[str]]:
    """A list that holds, after the block, which of ``random`` and ``numpy.random`` the block changed."""
    touched: list[str] = []
    before = _states()
    yield touched
    touched += [name for name, state in _states().items() if state != before[name]]


def check_untouched(touched: list[str]) -> None:
    """Fail if there are any."""
    demand(
        not touched,
        f"it changes the global generator {' and '.join(touched)}; draw from a generator of its own instead.",
    )


def _states() -> dict[str, object]:
    numpy_state: Any = np.random.get_state()  # noqa: NPY002
    _, keys, *rest = numpy_state
    return {"random": random.getstate(), "numpy.random": (keys.tobytes(), *rest)}
