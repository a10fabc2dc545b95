"""True counterfactuals of data sets whose factors do not cause each other: an intervention changes one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Checked, as_array, is_number
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

#: Numbers that agree to this part of the range of a factor are the same value.
SAME = 1e-6


def intervene_on_rows(space: StateSpace, rows: IntArray, do: Mapping[str, Any]) -> IntArray:
    """Set factors of value indices (n, factors); confounders lose their influence, and all other factors stay.

    Args:
        space: the factors.
        rows: (n, factors) before.
        do: factor -> a value, or one for each row: its name, or a number as in `factor_values`.

    Example:
        >>> space = StateSpace({"object": ("cube", "sphere"), "angle": (0, 15, 30)})
        >>> intervene_on_rows(space, np.array([[0, 0], [1, 1]]), {"angle": 30, "object": ["sphere", "cube"]})
        array([[1, 2],
               [0, 2]])
    """
    result = np.array(rows)
    for factor, value in do.items():
        column = space.position(factor)
        result[:, column] = _places(space, factor, value, len(rows))
    return result


def _places(space: StateSpace, factor: str, value: Any, number: int) -> IntArray:
    """(number,): the place of each value among those of the factor."""
    given = as_array(f"The factor '{factor}'", value)
    if given.shape not in ((), (number,)) or given.dtype.kind not in "iufUO":
        raise errors.InvalidInput(
            f"The factor '{factor}' is set to a value, or to one for each of the {number} images; given: "
            f"{shown_value(value)}."
        )
    different, which = np.unique(given.reshape(-1), return_inverse=True)
    found = np.array([_place(space, factor, one) for one in different.tolist()], dtype=np.int64)
    return np.broadcast_to(found[which.reshape(-1)], number)


def _place(space: StateSpace, factor: str, value: Any) -> int:
    """The place of a value: its name, or its number, which is the place itself where values have none."""
    if isinstance(value, str):
        return space.value(factor, value)
    names = space.value_names[factor]
    known = space.numbers.get(factor, np.arange(len(names), dtype=np.float64))
    apart = np.abs(known - (value if is_number(value) else np.nan))
    if not apart.min() <= SAME * max(float(np.ptp(known)), 1.0):
        raise errors.unknown(f"value of the factor '{factor}'", value, names)
    return int(apart.argmin())


def has_true_counterfactuals(data: Any) -> bool:
    """Whether `data` shows every image as it would be had factors been set, with all else as it is."""
    there = hasattr(data, "counterfactual") and hasattr(data, "counterfactual_values")
    return there and getattr(data, "keeps_the_rest", True)


class IndependentFactors(Checked):
    """Counterfactuals of a data set with a `space`, whose factors cause the image and not each other.

    A subclass says which factors an image has in `rows_of`, and shows others in `_show_instead`.

    Attributes:
        keeps_the_rest: whether everything but the factors stays in a counterfactual image, and each has one.
    """

    space: StateSpace
    keeps_the_rest = True

    def rows_of(self, indices: IntArray) -> IntArray:
        """The value indices (n, factors) of these images."""
        raise NotImplementedError

    def _show_instead(self, indices: IntArray, rows: IntArray) -> FloatArray:
        """These images with other factors (n, factors), and with all else as it is."""
        raise NotImplementedError

    def counterfactual_rows(self, indices: IntArray, do: Mapping[str, Any]) -> IntArray:
        """The value indices (n, factors) of `counterfactual`."""
        return intervene_on_rows(self.space, self.rows_of(indices), do)

    def counterfactual(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """The images (n, h, w, c) as they would be had factors been set: float32 in [0, 1].

        No factor causes another, so that the others stay, also those that a confounder ties to the one that is
        set: an intervention cuts the confounder off. A combination that a confounding of the data set forbids is
        shown all the same; `counterfactual_observed` tells which those are.

        Args:
            indices: (n,) of images.
            do: factor -> the value that it is set to, or one for each image: the name of a value, or a number as
                in `factor_values`.

        Example:
            >>> from causal_disent import get_dataset
            >>> data = get_dataset("candle_mini")
            >>> data.counterfactual([0, 1], {"object": "sphere", "color": ["yellow", "blue"]}).shape
            (2, 64, 64, 3)
        """
        return self._show_instead(indices, self.counterfactual_rows(indices, do))

    def counterfactual_values(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, factors): the `factor_values` of `counterfactual`."""
        return self.space.to_numbers(self.counterfactual_rows(indices, do))

    def counterfactual_observed(self, indices: IntArray, do: Mapping[str, Any]) -> np.ndarray:
        """(n,) bool: whether the data set has an image of the factors of `counterfactual`.

        Example:
            >>> from causal_disent import get_dataset
            >>> data = get_dataset("candle_mini", confounding="candle_color")  # cubes are red or blue
            >>> data.counterfactual_observed([0, 0], {"color": ["blue", "yellow"]})
            array([ True, False])
        """
        return np.ones(len(self.counterfactual_rows(indices, do)), dtype=bool)
