"""What the labels of the labelled images are: the factors themselves, or what an imperfect labeller says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_number, check_whole, is_whole
from causal_disent.config import REQUIRED
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import ROLES, part
from causal_disent.text import shown_value
from causal_disent.training.bound import check_function

Labels = tuple[FloatArray, Sequence[int]]


@part("labeller", supplied=ROLES["labeller"])
def labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    labeller_fn: Callable[..., Labels] = REQUIRED,
) -> Labels:
    """The labels that the bound labeller gives for rows of factors, and how many values each label has."""
    check_function("labeller.labeller_fn", labeller_fn, "labeller")
    return labeller_fn(labels, dataset, random_state)


def perfect_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState) -> Labels:
    """The factors themselves."""
    return _floats(labels), dataset.factors_num_values


def bin_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState, num_bins: int = 5) -> Labels:
    """Factors of more than `num_bins` values sorted into that many bins of equal width."""
    check_whole("bin_labeller.num_bins", num_bins, 1)
    bins = [min(int(size), num_bins) for size in dataset.factors_num_values]
    # In whole numbers: divided by a rounded width, a value on the edge of a bin can end up in the one below.
    return _floats(labels * np.array(bins, dtype=np.int64) // dataset.factors_num_values), bins


def noisy_labeller(
    labels: IntArray, dataset: Any, random_state: np.random.RandomState, prob_random: float = 0.1
) -> Labels:
    """Each label replaced, with probability `prob_random`, by a value drawn from all of its factor."""
    check_number("noisy_labeller.prob_random", prob_random, at_least=0, at_most=1)
    noisy = np.array(labels)
    for row in noisy:
        for column, size in enumerate(dataset.factors_num_values):
            if random_state.rand() < prob_random:
                row[column] = random_state.randint(size)
    return _floats(noisy), dataset.factors_num_values


def permuted_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState) -> Labels:
    """The values of each factor renamed at random, so that their order says nothing."""
    columns = [
        random_state.permutation(size)[labels[:, column]] for column, size in enumerate(dataset.factors_num_values)
    ]
    return _floats(np.stack(columns, axis=1)), dataset.factors_num_values


def partial_labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    num_observed_factors: int | None = None,
    factors: Sequence[str | int] | None = None,
) -> Labels:
    """Some of the factors: those that `factors` lists, or `num_observed_factors` (2) chosen at random.

    Args:
        labels: (points, factors).
        dataset: whose factors they are.
        random_state: what the choice is drawn with.
        num_observed_factors: how many are chosen.
        factors: names of factors, or their positions, counted from 0.
    """
    if factors is None:
        kept = _drawn_columns(2 if num_observed_factors is None else num_observed_factors, labels, random_state)
    elif num_observed_factors is None:
        kept = _named_columns(factors, StateSpace.of(dataset))
    else:
        raise errors.InvalidInput(
            "partial_labeller takes num_observed_factors, the number of factors that are chosen at random, or "
            "factors, which they are; both are given."
        )
    return _floats(labels[:, kept]), [dataset.factors_num_values[column] for column in kept]


def _drawn_columns(number: int, labels: IntArray, random_state: np.random.RandomState) -> list[int]:
    total = labels.shape[1]
    if not is_whole(number) or not 1 <= number <= total:
        raise errors.InvalidInput(
            f"partial_labeller.num_observed_factors must be from 1 to {total}, the number of factors; given: "
            f"{shown_value(number)}."
        )
    return random_state.choice(total, size=number, replace=False).tolist()


def _named_columns(factors: Sequence[str | int], space: StateSpace) -> list[int]:
    given = [] if isinstance(factors, str) or not isinstance(factors, Sequence) else factors
    columns = [space.position(factor) if isinstance(factor, str) else factor for factor in given]
    allowed = all(is_whole(column) and 0 <= column < space.num_factors for column in columns)
    if not columns or not allowed or len(set(columns)) != len(columns):
        raise errors.InvalidInput(
            "partial_labeller.factors must be a list of one or more factors, none twice, by name or by position "
            f"from 0 to {space.num_factors - 1}; given: {shown_value(factors)}. There are: "
            f"{errors.listing(space.factor_names)}."
        )
    return columns


def _floats(labels: IntArray) -> FloatArray:
    return np.asarray(labels, dtype=np.float32)
