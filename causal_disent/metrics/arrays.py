"""Small helpers on arrays that several families of metrics share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import Pairs, check_pairs, check_train_test, is_number, is_whole, varying_factors
from causal_disent.metrics.reuse import reused
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- Factors that vary


def varies(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each column of `matrix` takes more than one value."""
    return matrix.min(axis=0) != matrix.max(axis=0)


def find_varying_in_both(train_factors: IntArray, test_factors: IntArray, metric: str) -> IntArray:
    """The columns that vary in both sets; a warning names the others."""
    both = np.where(varies(test_factors), train_factors, 0)
    return varying_factors(both, metric)


def find_varying(factors: FloatArray | IntArray, metric: str, at_least: int) -> IntArray:
    """The columns of `factors` that vary, of which the metric needs `at_least` so many."""
    columns = varying_factors(factors, metric)
    if len(columns) < at_least:
        raise errors.InvalidInput(
            f"{metric} needs at least {at_least} factors that vary; of {factors.shape[1]} given, "
            f"{len(columns)} does."
        )
    return columns


def place_values(values: FloatArray, columns: IntArray, num_columns: int) -> FloatArray:
    """`values` at their `columns`, NaN elsewhere.

    Example:
        >>> place_values(np.array([0.5]), np.array([1]), 2)
        array([nan, 0.5])
    """
    placed = np.full(num_columns, np.nan)
    placed[columns] = values
    return placed


# --- Blocks of codes that are one concept

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


def combine_labels(labels: NDArray[Any], groups: Sequence[Sequence[int]]) -> IntArray:
    """(points, groups): whole numbers that tell the combinations of the labels (points, columns) in a group apart.

    Example:
        >>> combine_labels(np.array([[0, 1, 5], [0, 2, 5], [0, 1, 6]]), [[0, 1], [2]]).tolist()
        [[0, 0], [1, 0], [0, 1]]
    """
    return np.stack([_together(labels[:, list(group)]) for group in groups], axis=1)


def _together(columns: NDArray[Any]) -> IntArray:
    found = np.unique(columns[:, 0], return_inverse=True)[1]
    for column in columns.T[1:]:
        values, places = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + places, return_inverse=True)[1]
    return found


def sum_groups(values: FloatArray, groups: Sequence[Sequence[int]]) -> FloatArray:
    """The sums over each group of the rows (codes, ...)."""
    return np.stack([values[list(group)].sum(axis=0) for group in groups])


# --- Points to fit to, and others to test on

#: Of points given without others to test on, so many are held out.
TEST_SHARE = 1 / 3


def split_points(
    codes: Any, factors: Any, test: Any, random_state: np.random.RandomState, **least: int
) -> tuple[Pairs, Pairs]:
    """Points to fit to and points to test on, checked.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        test: codes and factors of other points; or the share of the points that is held out, chosen at random.
        random_state: chooses them; it is left alone where there are other points.
        least: as for `check_pairs`.
    """
    if isinstance(test, (tuple, list)):
        return check_train_test((codes, factors), test, **least)  # type: ignore[arg-type]
    codes, factors = check_pairs(codes, factors, **least)
    kept, held_out = split_rows(len(codes), test, random_state)
    return (
        (take_rows(codes, kept), take_rows(factors, kept)),
        (take_rows(codes, held_out), take_rows(factors, held_out)),
    )


@reused
def take_rows(matrix: NDArray[Any], rows: IntArray) -> NDArray[Any]:
    """Some rows of a matrix."""
    return matrix[rows]


def split_rows(num_points: int, test: Any, random_state: np.random.RandomState) -> tuple[IntArray, IntArray]:
    """Rows to fit to and rows to test on, chosen at random, of which `test` is the share."""
    num_test = round(num_points * test) if is_number(test) and 0 < test < 1 else 0
    if not 0 < num_test < num_points:
        raise errors.InvalidInput(
            "`test` is a pair (codes, factors), or the share of the points to hold out, between 0 and 1, that "
            f"leaves some to fit to and some to test on; given: {shown_value(test)} of {num_points} points."
        )
    order = random_state.permutation(num_points)
    return order[num_test:], order[:num_test]


# --- Linear prediction, and random features for it


def standardise(train: NDArray[Any], test: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Both with the mean and the deviation of `train` taken out; a column that never varies becomes 0."""
    train = np.asarray(train, dtype=np.float64)
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    # The deviation of equal numbers may be off by a rounding error, which dividing would blow up.
    constant = train.min(axis=0) == train.max(axis=0)
    scale = np.where(constant, np.inf, np.where(deviation > 0, deviation, 1.0))
    return (train - mean) / scale, (test - mean) / scale


def predict_linear(
    inputs: FloatArray, targets: FloatArray, test_inputs: FloatArray, ridge: float = 0.0
) -> FloatArray:
    """Predictions (test points, targets) of the least-squares fit with an intercept.

    Args:
        inputs: (points, inputs), standardised.
        targets: (points, targets).
        test_inputs: (test points, inputs), on the same scale.
        ridge: penalty on the squared weights, per point; at 0 the fit of the smallest weights is taken,
            so that repeated inputs do no harm.
    """
    means, offsets = targets.mean(axis=0), inputs.mean(axis=0)
    centred, outputs = inputs - offsets, targets - means
    if ridge:
        gram = centred.T @ centred
        gram[np.diag_indices_from(gram)] += ridge * len(inputs)
        weights = np.linalg.solve(gram, centred.T @ outputs)
    else:
        weights = np.linalg.lstsq(centred, outputs, rcond=None)[0]
    return (test_inputs - offsets) @ weights + means


def measure_r_squared(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """1 - squared error / variance of each column, whose values must vary.

    Example:
        >>> measure_r_squared(np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]]))
        array([0.5])
    """
    errors = ((truth - predicted) ** 2).sum(axis=0)
    return 1.0 - errors / ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)


def random_features(
    train: FloatArray, test: FloatArray, width: int, random_state: np.random.RandomState
) -> tuple[FloatArray, FloatArray]:
    """Standardised inputs of both sets, then `width` random Fourier features of them.

    The features have frequencies at scales from a quarter of the typical distance between points to all of it.
    """
    num_inputs = train.shape[1]
    scales = np.exp2(random_state.uniform(-2.0, 0.0, size=width)) * np.sqrt(num_inputs)
    frequencies = random_state.normal(size=(num_inputs, width)) / scales
    phases = random_state.uniform(0.0, 2.0 * np.pi, size=width)
    both = (np.hstack([inputs, np.cos(inputs @ frequencies + phases)]) for inputs in (train, test))
    return next(both), next(both)


# --- Codes that vary

#: A code is active if its range is more than this part of the widest code's: InfoMEC's authors' 1/20.
ACTIVE_RANGE = 0.05


def active_codes(codes: FloatArray, part: float = ACTIVE_RANGE) -> NDArray[np.bool_]:
    """Which codes have a range of more than `part` of the widest.

    Example:
        >>> active_codes(np.array([[0.0, 0.0, 5.0], [10.0, 0.4, 5.0]])).tolist()
        [True, False, False]
    """
    halves = codes.max(axis=0) * 0.5 - codes.min(axis=0) * 0.5  # of which none is too large for a float
    return halves > part * halves.max()
