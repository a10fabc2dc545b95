"""Rows that depend on each other: frames of a video, repeated renderings, augmented images."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_array, is_whole
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

#: Correlation of neighbouring rows from which on they are called dependent, and the points that it takes to tell.
NEIGHBOURS, FEWEST = 0.2, 50
#: Rows are called repeated if fewer than this part of them differ.
DIFFERENT = 0.8
#: A code has so many times as many values as there are combinations of factors, if it is no function of them.
MORE_VALUES = 3
#: Fewer blocks tell nothing.
FEWEST_BLOCKS = 10
#: A code of which the factors leave no more than this part of the variance is a function of them.
ROUNDING = 1e-12
#: Cramér's V from which on two factors are called associated.
ASSOCIATED = 0.3
#: So many rows and columns tell.
MOST_ROWS, MOST_COLUMNS = 5_000, 40
#: A factor of more values is a number for this purpose.
MOST_CLASSES = 20


def read_blocks(blocks: Any, num_points: int) -> IntArray | None:
    """The block of each row (points,): from their length, or from a label for each row; None for none.

    Example:
        >>> read_blocks(2, 20)[:5].tolist(), read_blocks(list("aabbccddeeffgghhiijj"), 20)[:5].tolist()
        ([0, 0, 1, 1, 2], [0, 0, 1, 1, 2])
    """
    if blocks is None:
        return None
    if is_whole(blocks):
        if blocks < 1:
            raise errors.InvalidInput(
                f"`blocks`, the length of a block, is at least 1; given: {shown_value(blocks)}."
            )
        labels = np.arange(num_points) // int(blocks)
    else:
        given = as_array("`blocks`", blocks)
        if given.shape != (num_points,):
            raise errors.InvalidInput(
                f"`blocks` is a whole number, or a label for each of the {num_points:,} points; given: an array "
                f"of shape {given.shape}."
            )
        import pandas as pd

        if given.dtype.kind == "U":
            given = np.array(blocks, dtype=object)  # numpy makes text of a NaN in a list of text
        if (missing := pd.isna(given)).any():
            raise errors.InvalidInput(
                f"`blocks` has no label at point {int(np.flatnonzero(missing)[0])}, and at {int(missing.sum())} "
                "points in all."
            )
        labels = np.unique(given.astype(str) if given.dtype.kind == "O" else given, return_inverse=True)[1]
    if (number := int(labels.max()) + 1) < FEWEST_BLOCKS:
        raise errors.InvalidInput(
            f"`blocks` makes {number} block{'s' * (number > 1)} of the points; {FEWEST_BLOCKS} are the fewest "
            "that tell anything."
        )
    return labels


def describe_dependence(codes: FloatArray, factors: FloatArray) -> str:
    """Why rows depend on each other, for a note; nothing if they do not seem to."""
    codes, factors = (matrix[:MOST_ROWS, :: -(-matrix.shape[1] // MOST_COLUMNS)] for matrix in (codes, factors))
    num_points = len(codes)
    if num_points < FEWEST:
        return ""
    different = len(np.unique(codes, axis=0))
    combinations = len(np.unique(factors, axis=0))
    if different < DIFFERENT * num_points and different > MORE_VALUES * combinations:
        return f"only {different:,} of {num_points:,} rows of codes differ: points are repeated"
    coded = _as_columns(factors)
    of_factors = _correlation_of_neighbours(coded)
    if of_factors < NEIGHBOURS:
        return ""
    # What the factors explain may well follow their order, as in a data set that is sorted by them.
    centred = codes - codes.mean(axis=0)
    rest = centred - coded @ np.linalg.lstsq(coded, centred, rcond=None)[0]
    rest = rest[:, (rest**2).sum(axis=0) > ROUNDING * (centred**2).sum(axis=0)]
    of_codes = _correlation_of_neighbours(rest)
    if of_codes < NEIGHBOURS:
        return ""
    return (
        f"neighbouring rows are alike (correlation {of_codes:.2f} in the codes, {of_factors:.2f} in the factors)"
    )


def describe_association(factors: FloatArray, names: Sequence[str]) -> str:
    """Which two factors of few values are associated most, for a note; nothing if none are strongly.

    By Cramér's V, 0 for independent factors and 1 where one tells the other.
    """
    labels = [np.unique(column, return_inverse=True)[1] for column in factors.T[:MOST_COLUMNS]]
    few = [i for i, column in enumerate(labels) if column.max() < MOST_CLASSES]
    found = {(i, j): _cramers_v(labels[i], labels[j]) for i, j in combinations(few, 2)}
    if len(factors) < FEWEST or not found or max(found.values()) < ASSOCIATED:
        return ""
    i, j = max(found, key=lambda pair: found[pair])
    return f"{names[i]} and {names[j]} are associated (Cramér's V {found[i, j]:.2f})"


def _cramers_v(one: IntArray, other: IntArray) -> float:
    """Cramér's V of two columns of labels that count from 0."""
    rows, columns = int(one.max()) + 1, int(other.max()) + 1
    seen = np.bincount(one * columns + other, minlength=rows * columns).reshape(rows, columns)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(one)
    chi_square = float(((seen - expected) ** 2 / expected).sum())
    return float(np.sqrt(chi_square / (len(one) * max(min(rows, columns) - 1, 1))))


def _as_columns(factors: FloatArray) -> FloatArray:
    """The factors as centred columns of numbers: one for each value of a factor with few."""
    columns = []
    for column in factors.T:
        values, places = np.unique(column, return_inverse=True)
        few = len(values) <= MOST_CLASSES
        columns.append(np.eye(len(values))[places] if few else column[:, None].astype(np.float64))
    whole = np.concatenate(columns, axis=1)
    return whole - whole.mean(axis=0)


def _correlation_of_neighbours(columns: FloatArray) -> float:
    """The largest correlation of a column with itself, one row later."""
    spread = (columns**2).sum(axis=0)
    products = (columns[1:] * columns[:-1]).sum(axis=0)[spread > 0]
    return float((products / spread[spread > 0]).max(initial=0.0))
