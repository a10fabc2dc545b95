"""What factors are set to in a counterfactual, checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray

#: Factor -> the number that it is set to, or one for each image.
Do = Mapping[str, float | Sequence[float] | FloatArray]


def set_values(
    do: Do,
    limits: Mapping[str, tuple[float, float]],
    number: int,
    unscale: Callable[[str, FloatArray], FloatArray] = lambda factor, values: values,
) -> dict[str, FloatArray]:
    """Factor -> (number,) what it is set to.

    Args:
        do: what was asked for.
        limits: factor -> the least and the greatest value that it can have.
        number: of images.
        unscale: factor and values -> the values in the units of `limits`.

    Example:
        >>> set_values({"angle": 3}, {"angle": (-100, 100)}, 2)
        {'angle': array([3., 3.])}
    """
    given = {}
    for factor, value in do.items():
        if factor not in limits:
            raise errors.unknown("factor", factor, limits)
        try:
            values = unscale(factor, np.broadcast_to(np.asarray(value, dtype=np.float64), number))
        except (TypeError, ValueError):
            raise errors.InvalidInput(
                f"The factor '{factor}' is set to a number, or to one for each of the {number} images; given: "
                f"{value!r}."
            ) from None
        low, high = limits[factor]
        wrong = np.flatnonzero(~((values >= low) & (values <= high)))
        if wrong.size:
            raise errors.InvalidInput(
                f"The factor '{factor}' can be set to {low:g} to {high:g}; given: {values[wrong[0]]:g}."
            )
        given[factor] = values
    return given
