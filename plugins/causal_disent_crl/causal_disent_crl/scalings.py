"""How programs scale the factors before a model sees them: (value - centre) / scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_choice
from causal_disent.protocols import FloatArray

#: Scalings that are taken from the data, as DEAR does: to [0, 1] for a cross entropy, to mean 0 and variance 1
#: for a squared error.
DERIVED = ("min_max", "z_score")


@dataclass(frozen=True)
class Scaling:
    """A pair of numbers for each factor."""

    centre: tuple[float, ...]
    scale: tuple[float, ...]

    def apply(self, values: FloatArray) -> FloatArray:
        """Factors (n, factors) as a model sees them."""
        return (values - np.array(self.centre)) / np.array(self.scale)

    def undo(self, values: FloatArray, column: int) -> FloatArray:
        """One factor as it was before `apply`."""
        return values * self.scale[column] + self.centre[column]


def find_scaling(
    name: str | None, published: Mapping[str, tuple[tuple[float, float], ...]], values: FloatArray
) -> Scaling | None:
    """The scaling of this name, or None for ``None``.

    Args:
        name: one of `published` or `DERIVED`.
        published: name -> centre and scale of each factor.
        values: (n, factors) what the `DERIVED` ones are computed from.
    """
    if name is None:
        return None
    check_choice("scaling", name, (*published, *DERIVED))
    if name in published:
        centre, scale = zip(*published[name], strict=True)
        return Scaling(centre, scale)
    if name == "min_max":
        low, high = values.min(axis=0), values.max(axis=0)
        return Scaling(tuple(low.tolist()), tuple((high - low).tolist()))
    return Scaling(tuple(values.mean(axis=0).tolist()), tuple(values.std(axis=0).tolist()))
