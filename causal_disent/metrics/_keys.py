"""Result keys for one rho or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from causal_disent import errors

__all__ = ["per_rho"]


def per_rho(rho: int | Sequence[int], keys_of: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """``keys_of(rho)``; for a list, the keys of each prefixed with ``rho=<rho>:``."""
    if not isinstance(rho, (list, tuple)):
        return keys_of(rho)  # type: ignore[arg-type]
    if not rho:
        raise errors.InvalidInput("`rho` is a whole number or a list of them; given: an empty list.")
    return {f"rho={one}:{key}": value for one in rho for key, value in keys_of(one).items()}
