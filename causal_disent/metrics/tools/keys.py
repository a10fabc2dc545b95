"""Result keys for one rho or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from causal_disent import errors
from causal_disent.arguments import check_rho

__all__ = ["check_rhos", "per_rho"]


def check_rhos(rho: int | Sequence[int], num_codes: int) -> None:
    """Raise if `rho`, or one of several, is not a number of codes that a factor can be given."""
    for one in _listed(rho):
        check_rho(one, num_codes)


def per_rho(rho: int | Sequence[int], keys_of: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """``keys_of(rho)``; for a list, the keys of each prefixed with ``rho=<rho>:``."""
    if not isinstance(rho, (list, tuple)):
        return keys_of(rho)  # type: ignore[arg-type]
    return {f"rho={one}:{key}": value for one in _listed(rho) for key, value in keys_of(one).items()}


def _listed(rho: int | Sequence[int]) -> Sequence[int]:
    if not isinstance(rho, (list, tuple)):
        return [rho]  # type: ignore[list-item]
    if not rho:
        raise errors.InvalidInput("`rho` is a whole number or a list of them; given: an empty list.")
    return rho
