"""The factors of a data set and their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Checked, check_columns, check_number, checked, is_number
from causal_disent.protocols import FloatArray, IntArray

#: So many points may be drawn at once, and so many combinations can be counted.
MOST_DRAWN, MOST_COUNTED = 2**40, 2**62


def check_drawn(num: int) -> None:
    """Raise unless so many points can be asked for."""
    check_number("`num`", num, at_least=0, at_most=MOST_DRAWN)


class StateSpace(Checked):
    """Named factors with named values; combinations are counted with the last factor fastest.

    Args:
        values: factor name -> its values, or their names, in order.

    Example:
        >>> space = StateSpace({"object": ("cube", "sphere"), "angle": (0, 22.5, 45)})
        >>> space.sizes, space.num_combinations
        ((2, 3), 6)
        >>> space.to_index(np.array([[1, 2]]))
        array([5])
        >>> space.to_numbers(np.array([[1, 2]]))
        array([[ 1., 45.]])
    """

    @checked
    def __init__(self, values: Mapping[str, Iterable[object]]) -> None:
        with errors.readable("`values`, factor -> its values,"):
            self._values = {str(name): tuple(given) for name, given in values.items()}
            self.value_names = {name: tuple(map(str, given)) for name, given in self._values.items()}
        for name, names in self.value_names.items():
            if not names or len(set(names)) != len(names):
                raise errors.InvalidInput(
                    f"The factor '{name}' needs at least one value and no value twice; given: "
                    f"{errors.listing(names)}."
                )

    @classmethod
    def of(cls, data: Any) -> StateSpace:
        """The state space of any ground-truth data, with numbers for what it does not name."""
        with errors.readable("The data set"):
            own = getattr(data, "space", None)
            if isinstance(own, cls):
                return own
            names = getattr(data, "factor_names", None) or [f"factor_{i}" for i in range(data.num_factors)]
            value_names = getattr(data, "value_names", None) or [range(size) for size in data.factors_num_values]
            return cls(dict(zip(names, value_names, strict=True)))

    @property
    def factor_names(self) -> tuple[str, ...]:
        return tuple(self.value_names)

    @property
    def num_factors(self) -> int:
        return len(self.value_names)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each factor has."""
        return tuple(len(names) for names in self.value_names.values())

    @cached_property
    def num_combinations(self) -> int:
        return math.prod(self.sizes)  # Python's integers: ten factors of ten values already overflow 32 bits

    @cached_property
    def numbers(self) -> dict[str, FloatArray]:
        """Factor -> (values,) float64, of the factors whose values are numbers, or are called by numbers."""
        found = {}
        for name, values in self._values.items():
            numbers = np.array([as_number(value) for value in values])
            if np.isfinite(numbers).all():
                found[name] = numbers
        return found

    def is_continuous(self, factor: str) -> bool:
        """Whether the values of `factor` are numbers that are not all whole."""
        return factor in self.numbers and bool((self.numbers[factor] % 1 != 0).any())

    def position(self, factor: str) -> int:
        """The column of `factor`."""
        if factor not in self.value_names:
            raise errors.unknown("factor", factor, self.factor_names)
        return self.factor_names.index(factor)

    def value(self, factor: str, value: object) -> int:
        """The index of `value` among the values of `factor`; a number may be written in any way."""
        names = self.value_names[self.factor_names[self.position(factor)]]
        with errors.readable(f"The value of the factor '{factor}'"):
            text = str(value)
        if text in names:
            return names.index(text)
        for place in np.flatnonzero(self.numbers.get(factor, np.empty(0)) == as_number(value)):
            return int(place)
        raise errors.unknown(f"value of the factor '{factor}'", value, names)

    def sample(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Independent rows (num, factors), one draw per factor: disentanglement_lib's order."""
        check_drawn(num)
        rows = np.empty((num, self.num_factors), dtype=np.int64)
        for column, size in enumerate(self.sizes):
            rows[:, column] = random_state.randint(size, size=num)
        return rows

    def check(self, rows: IntArray) -> IntArray:
        """`rows` as integers, or an error that names the first value outside its factor's range."""
        if rows.ndim != 2 or rows.shape[1] != self.num_factors:
            raise errors.InvalidInput(
                f"Factors must be an array of shape (points, {self.num_factors}) for "
                f"{errors.listing(self.factor_names)}; given: shape {rows.shape}."
            )
        if rows.dtype.kind == "f" and (rows % 1 != 0).any():
            row, column = np.argwhere(rows % 1 != 0)[0]
            raise errors.InvalidInput(
                f"The value {rows[row, column]} of the factor '{self.factor_names[column]}' (row {row}) is no "
                "whole number: factors are places of values."
            )
        outside = (rows < 0) | (rows >= np.asarray(self.sizes))
        if outside.any():
            row, column = np.argwhere(outside)[0]
            raise errors.InvalidInput(
                f"The value {rows[row, column]} of the factor '{self.factor_names[column]}' (row {row}) is "
                f"outside 0..{self.sizes[column] - 1}."
            )
        return rows.astype(np.int64, copy=False)

    def to_index(self, rows: IntArray) -> IntArray:
        """Combinations (n, factors) to their number (n,)."""
        self._check_countable()
        return np.ravel_multi_index(tuple(self.check(rows).T), self.sizes)

    def to_factors(self, indices: IntArray) -> IntArray:
        """Numbers of combinations (n,) to their values (n, factors)."""
        return np.stack(np.unravel_index(self.known(indices), self.sizes), axis=1)

    def known(self, indices: IntArray) -> IntArray:
        """(n,): the indices, if each is the number of a combination; anything else is an error."""
        self._check_countable()
        if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
            raise errors.InvalidInput(
                f"`indices` must be whole numbers (n,), one for each image; given: shape {indices.shape} of "
                f"{indices.dtype}."
            )
        outside = indices[(indices < 0) | (indices >= self.num_combinations)]
        if outside.size:
            raise errors.InvalidInput(
                f"Combinations are counted from 0 to {self.num_combinations - 1}; there is none {outside[0]}."
            )
        return indices.astype(np.int64, copy=False)

    def _check_countable(self) -> None:
        if not 0 < self.num_combinations <= MOST_COUNTED:
            raise errors.InvalidInput(
                f"The combinations of {errors.listing(self.factor_names)} cannot be counted: there are "
                f"{self.num_combinations:.3g}."
            )

    def to_numbers(self, rows: IntArray) -> FloatArray:
        """(n, factors) float64: the numbers of these values (n, factors), or their places where they have none."""
        columns = [
            self.numbers[name][column] if name in self.numbers else column
            for name, column in zip(self.factor_names, self.check(rows).T, strict=True)
        ]
        return np.stack(columns, axis=1).astype(np.float64)

    def describe(self, row: Sequence[int]) -> str:
        """``object=cube, color=red``."""
        (places,) = self.check(np.array([row]))
        pairs = zip(self.value_names.items(), places, strict=True)
        return ", ".join(f"{name}={names[value]}" for (name, names), value in pairs)

    def subspace(self, columns: Sequence[int]) -> StateSpace:
        """The factors in these columns alone."""
        check_columns("columns", columns, self.num_factors)
        names = self.factor_names
        return StateSpace({names[column]: self._values[names[column]] for column in columns})


def as_number(text: object) -> float:
    """`text` as a number; NaN, which equals nothing, if it is none.

    Example:
        >>> as_number("-0.50"), as_number("cube")
        (-0.5, nan)
    """
    try:
        # Not by their names where they are numbers: those of 32 bits have shorter names than digits.
        return float(text) if is_number(text) else float(str(text))  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return float("nan")
