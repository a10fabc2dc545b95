"""What a published program drew: the numbers, the noise, and the files it wrote."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from causal_disent.checks import check_choice
from causal_disent.protocols import FloatArray, IntArray

#: The folders of the published files.
SPLITS = ("train", "test")


@dataclass(frozen=True)
class Draws:
    """Rows in the order in which the program drew them.

    Attributes:
        values: (n, factors) the factors before the program truncated them for the file's name.
        noise: (n,) what the image shows and no factor says; 0 where there is none.
        names: (n,) of the files.
        splits: (n,) one of `SPLITS`.
        overwritten: (n,) whether a later draw wrote to the same file.
    """

    values: FloatArray
    noise: FloatArray
    names: np.ndarray
    splits: np.ndarray
    overwritten: np.ndarray

    @classmethod
    def numbered(cls, values: FloatArray, noise: FloatArray, is_test: np.ndarray) -> Draws:
        """The draws whose files are called ``a_<factor>_<factor>_....png``, in whole numbers."""
        names = np.array(
            ["a_" + "_".join(map(str, row)) + ".png" for row in truncated(values).astype(int).tolist()]
        )
        splits = np.where(is_test, "test", "train")
        files = np.char.add(np.char.add(splits, "/"), names)
        # Seen from the end, the first of a name is the one that stays.
        overwritten = np.ones(len(files), dtype=bool)
        overwritten[len(files) - 1 - np.unique(files[::-1], return_index=True)[1]] = False
        return cls(values, noise, names, splits, overwritten)

    def take(self, rows: IntArray | np.ndarray) -> Draws:
        """These draws alone."""
        return Draws(*(getattr(self, field.name)[rows] for field in fields(self)))

    def rows_of(self, split: str) -> IntArray:
        """The draws of ``train``, ``test`` or ``all``."""
        check_choice("split", split, (*SPLITS, "all"))
        return np.flatnonzero((self.splits == split) | (split == "all"))


def truncated(values: FloatArray) -> FloatArray:
    """The numbers in the files' names: all factors are cut to whole numbers."""
    return np.trunc(values)
