"""Many draws in one, from data sets whose factors are drawn each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.data.factorial import FactorialData
from causal_disent.data.view import FiniteDataView
from causal_disent.protocols import IntArray


@dataclass(frozen=True)
class IndependentDraws:
    """How such a data set draws: its factors, then what varies beside them, each evenly; that names an image.

    Attributes:
        factors: the sizes of the factors.
        nuisance: the sizes of what varies beside them.
        columns: where each of these stands in an image's combination.
        combination: the sizes of all that a combination holds.
    """

    factors: tuple[int, ...]
    nuisance: tuple[int, ...]
    columns: tuple[int, ...]
    combination: tuple[int, ...]

    @classmethod
    def of(cls, data: Any) -> IndependentDraws | None:
        """Of a data set that draws in this way and no other."""
        if _draws_like(FactorialData, data):
            sizes = data.space.sizes
            return cls(sizes, (), tuple(range(len(sizes))), sizes)
        if _draws_like(FiniteDataView, data) and not data.statements and _draws_like(FactorialData, data.base):
            combination = data.base_space.sizes
            nuisance = tuple(combination[column] for column in data.nuisance)
            return cls(data.space.sizes, nuisance, (*data.columns, *data.nuisance), combination)
        return None

    def points(self, num: int, batch_size: int, random_state: np.random.RandomState) -> tuple[IntArray, IntArray]:
        """`num` images, in the order of draws of `batch_size` at a time.

        Returns:
            The images' numbers (num,), and their factors (num, factors).
        """
        rest = num % batch_size
        drawn = [
            self._values(batches, size, random_state)
            for batches, size in ((num // batch_size, batch_size), (1, rest))
            if batches * size
        ]
        values = np.concatenate(drawn, axis=1)
        return self._images([*values]), values[: len(self.factors)].T

    def _values(self, batches: int, size: int, random_state: np.random.RandomState) -> IntArray:
        """(factors and what varies beside them, batches times size), drawn batch by batch, one after the other."""
        below = np.repeat(np.array([*self.factors, *self.nuisance], np.int64), size)
        drawn = random_state.randint(np.broadcast_to(below, (batches, len(below))))
        return drawn.reshape(batches, -1, size).transpose(1, 0, 2).reshape(-1, batches * size)

    def _images(self, parts: Sequence[IntArray]) -> IntArray:
        """The images' numbers, from the values of the factors and of what varies beside them."""
        combination = [parts[self.columns.index(column)] for column in range(len(self.combination))]
        return np.ravel_multi_index(tuple(combination), self.combination).ravel()

    def votes(
        self, num: int, batch_size: int, random_state: np.random.RandomState, *, pairs: bool
    ) -> tuple[IntArray, IntArray]:
        """`num` times a factor, and images that share its value, in the order of as many single draws.

        Args:
            num: how many votes.
            batch_size: images of a vote, or pairs of them.
            random_state: what is drawn with.
            pairs: whether each of a second batch shares its value with its like in the first; else all of one
                batch share one value.

        Returns:
            The images' numbers, vote by vote, batch by batch, and the factors (votes,).
        """
        batches, own = 2 if pairs else 1, len(self.factors)
        sizes = [*self.factors * batches, *self.nuisance * batches]
        below = np.concatenate([[own], np.repeat(np.array(sizes, np.int64), batch_size)])
        drawn = random_state.randint(np.broadcast_to(below, (num, len(below))))
        shared, rest = drawn[:, 0], drawn[:, 1:].reshape(num, -1, batch_size)
        values = rest[:, : batches * own].reshape(num, batches, own, batch_size)
        beside = rest[:, batches * own :].reshape(num, batches, -1, batch_size)
        votes = np.arange(num)
        values[votes, -1, shared] = values[votes, 0, shared, slice(None) if pairs else slice(1)]
        return self._images([*values.transpose(2, 0, 1, 3), *beside.transpose(2, 0, 1, 3)]), shared


def _draws_like(kind: type, data: Any) -> bool:
    """Whether `data` is of this kind and draws as it does."""
    methods = ("sample_factors", "sample_indices")
    return isinstance(data, kind) and all(getattr(type(data), one) is getattr(kind, one) for one in methods)
