"""Blocks of codes that are one concept: several columns in the place of one code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import is_whole
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

#: The columns of each block, as users give them; codes that are in none stay alone.
CodeGroups = Sequence[Sequence[int]]


def all_groups(code_groups: CodeGroups | None, num_codes: int, *, least: int = 1) -> list[list[int]]:
    """The columns of every block: those that are given, then each code that is in none of them.

    Args:
        code_groups: the given blocks; None for none.
        num_codes: how many codes there are.
        least: fewer blocks, single codes among them, are refused.

    Example:
        >>> all_groups([[0, 2]], 4)
        [[0, 2], [1], [3]]
    """
    given = [] if code_groups is None else code_groups
    if not isinstance(given, (list, tuple)) or not all(isinstance(group, (list, tuple)) for group in given):
        raise errors.InvalidInput(
            "`code_groups` is a list of lists of codes, as in [[0, 1], [2, 3, 4]]; given: "
            f"{shown_value(code_groups)}."
        )
    columns = [code for group in given for code in group]
    for code in columns:
        if not is_whole(code) or not 0 <= code < num_codes:
            raise errors.InvalidInput(
                f"`code_groups` holds indices of codes, from 0 to {num_codes - 1}; given: {shown_value(code)}."
            )
        if columns.count(code) > 1:
            raise errors.InvalidInput(f"`code_groups`: a code is in one group at most; {code} is there twice.")
    if not all(given):
        raise errors.InvalidInput("`code_groups`: a group needs a code at least; given: an empty one.")
    groups = [[int(code) for code in group] for group in given]
    groups += [[code] for code in range(num_codes) if code not in columns]
    if len(groups) < least:
        raise errors.InvalidInput(f"At least {least} groups of codes are needed; given: {len(groups)}.")
    return groups


def combined(labels: NDArray[Any], groups: Sequence[Sequence[int]]) -> IntArray:
    """(points, groups): whole numbers that tell the combinations of the labels (points, columns) in a group apart.

    Example:
        >>> combined(np.array([[0, 1, 5], [0, 2, 5], [0, 1, 6]]), [[0, 1], [2]]).tolist()
        [[0, 0], [1, 0], [0, 1]]
    """
    return np.stack([_together(labels[:, list(group)]) for group in groups], axis=1)


def _together(columns: NDArray[Any]) -> IntArray:
    found = np.unique(columns[:, 0], return_inverse=True)[1]
    for column in columns.T[1:]:
        values, places = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + places, return_inverse=True)[1]
    return found


def summed(values: FloatArray, groups: Sequence[Sequence[int]]) -> FloatArray:
    """The sums over each group of the rows (codes, ...)."""
    return np.stack([values[list(group)].sum(axis=0) for group in groups])
