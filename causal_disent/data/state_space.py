"""The factors of a discrete data set and their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from causal_disent import errors
from causal_disent.protocols import GroundTruthData, IntArray

__all__ = ["StateSpace"]


class StateSpace:
    """Named factors with named values; combinations are counted with the last factor fastest.

    Args:
        values: factor name -> the names of its values, in order.

    Example:
        >>> space = StateSpace({"object": ("cube", "sphere"), "color": ("red", "blue", "green")})
        >>> space.sizes, space.num_combinations
        ((2, 3), 6)
        >>> space.to_index(np.array([[1, 2]]))
        array([5])
    """

    def __init__(self, values: Mapping[str, Iterable[object]]) -> None:
        self.value_names = {name: tuple(str(value) for value in names) for name, names in values.items()}
        for name, names in self.value_names.items():
            if not names or len(set(names)) != len(names):
                raise errors.InvalidInput(
                    f"The factor '{name}' needs at least one value and no value twice; given: "
                    f"{errors.listing(names)}."
                )

    @classmethod
    def of(cls, data: GroundTruthData) -> StateSpace:
        """The state space of any ground-truth data, with numbers for what it does not name."""
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
        # Python's integers: ten factors of ten values already overflow 32 bits.
        total = 1
        for size in self.sizes:
            total *= size
        return total

    def position(self, factor: str) -> int:
        """The column of `factor`."""
        if factor not in self.value_names:
            raise errors.unknown("factor", factor, self.factor_names)
        return self.factor_names.index(factor)

    def value(self, factor: str, value: object) -> int:
        """The index of `value` among the values of `factor`."""
        names = self.value_names[self.factor_names[self.position(factor)]]
        if str(value) not in names:
            raise errors.unknown(f"value of the factor '{factor}'", value, names)
        return names.index(str(value))

    def sample(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Independent rows (num, factors), one draw per factor: disentanglement_lib's order."""
        rows = np.empty((num, self.num_factors), dtype=np.int64)
        for column, size in enumerate(self.sizes):
            rows[:, column] = random_state.randint(size, size=num)
        return rows

    def check(self, rows: IntArray) -> IntArray:
        """`rows` as integers, or an error that names the first value outside its factor's range."""
        rows = np.asarray(rows)
        if rows.ndim != 2 or rows.shape[1] != self.num_factors:
            raise errors.InvalidInput(
                f"Factors must be an array of shape (points, {self.num_factors}) for "
                f"{errors.listing(self.factor_names)}; given: shape {rows.shape}."
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
        return np.ravel_multi_index(tuple(self.check(rows).T), self.sizes)

    def to_factors(self, indices: IntArray) -> IntArray:
        """Numbers of combinations (n,) to their values (n, factors)."""
        return np.stack(np.unravel_index(np.asarray(indices), self.sizes), axis=1)

    def describe(self, row: Sequence[int]) -> str:
        """``object=cube, color=red``."""
        pairs = zip(self.value_names.items(), row, strict=True)
        return ", ".join(f"{name}={names[int(value)]}" for (name, names), value in pairs)

    def subspace(self, columns: Sequence[int]) -> StateSpace:
        """The factors in these columns alone."""
        names = self.factor_names
        return StateSpace({names[column]: self.value_names[names[column]] for column in columns})
