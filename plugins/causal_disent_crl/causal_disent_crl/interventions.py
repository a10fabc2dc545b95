"""What factors are set to in a counterfactual, checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value

#: Factor -> what it is set to, or one value for each image: a number, or the name of a value that has one.
Do = Mapping[str, Any]


def set_values(
    do: Do,
    limits: Mapping[str, tuple[float, float]],
    number: int,
    named: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, FloatArray]:
    """Factor -> (number,) what it is set to.

    Args:
        do: what was asked for.
        limits: factor -> the least and the greatest number that it can have.
        number: of images.
        named: factor -> the names of its values, where these have names; what is set is their place.

    Example:
        >>> set_values({"angle": 3, "color": "blue"}, {"angle": (-100, 100)}, 2, {"color": ("red", "blue")})
        {'angle': array([3., 3.]), 'color': array([1., 1.])}
    """
    if not isinstance(do, Mapping):
        raise errors.InvalidInput(f"`do` maps factors to what they are set to; given: {shown_value(do)}.")
    named = named or {}
    given = {}
    for factor, value in do.items():
        if factor not in (*limits, *named):
            raise errors.unknown("factor", factor, (*limits, *named))
        names = named.get(factor, ())
        numbers = _numbers(factor, value, number, names)
        low, high = limits.get(factor, (0, len(names) - 1))
        wrong = np.flatnonzero(~((numbers >= low) & (numbers <= high)) | (bool(names) & (numbers % 1 != 0)))
        if wrong.size:
            raise errors.InvalidInput(
                f"The factor '{factor}' can be set to {low:g} to {high:g}"
                + (f", the places of {errors.listing(names)}" if names else "")
                + f"; given: {numbers[wrong[0]]:g}."
            )
        given[factor] = numbers
    return given


def _numbers(factor: str, value: Any, number: int, names: Sequence[str]) -> FloatArray:
    """(number,): numbers as they are, and names as their places."""
    try:
        found = np.asarray(value, dtype=object if names else None)
        if names:
            places = [_place(factor, part, names) for part in found.ravel().tolist()]
            found = np.array(places).reshape(found.shape)
        if found.dtype.kind not in "iuf":
            raise TypeError
        return np.broadcast_to(found.astype(np.float64), number)
    except (TypeError, ValueError):
        raise errors.InvalidInput(
            f"The factor '{factor}' is set to a number{' or a name' if names else ''}, or to one for each of the "
            f"{number} images; given: {shown_value(value)}."
        ) from None


def _place(factor: str, value: Any, names: Sequence[str]) -> Any:
    if not isinstance(value, str):
        return value
    if value not in names:
        raise errors.unknown(f"value of the factor '{factor}'", value, names)
    return names.index(value)
