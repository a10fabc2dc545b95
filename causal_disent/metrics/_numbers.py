"""Numbers that a metric takes as arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent import errors

__all__ = ["check_not_negative"]


def check_not_negative(**values: Any) -> None:
    """Finite numbers, none of them below 0."""
    for name, value in values.items():
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not is_number or not 0 <= value < np.inf:
            raise errors.InvalidInput(f"`{name}` is a finite number, 0 or more; given: {value!r}.")
