"""What the labels of the labelled images are: the factors themselves, or what an imperfect labeller says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.config import REQUIRED
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import component

__all__ = [
    "bin_labeller",
    "labeller",
    "noisy_labeller",
    "partial_labeller",
    "perfect_labeller",
    "permuted_labeller",
]

Labels = tuple[FloatArray, Sequence[int]]
SUPPLIED = ("labels", "dataset", "random_state")


@component("labeller", supplied=SUPPLIED)
def labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    labeller_fn: Callable[..., Labels] = REQUIRED,
) -> Labels:
    """The labels that the bound labeller gives for rows of factors, and how many values each label has."""
    return labeller_fn(labels, dataset, random_state)


@component("perfect_labeller", supplied=SUPPLIED)
def perfect_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState) -> Labels:
    """The factors themselves."""
    return _floats(labels), dataset.factors_num_values


@component("bin_labeller", supplied=SUPPLIED)
def bin_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState, num_bins: int = 5) -> Labels:
    """Factors of more than `num_bins` values sorted into that many bins of equal width."""
    if num_bins < 1:
        raise errors.InvalidInput(f"bin_labeller.num_bins must be at least 1; given: {num_bins}.")
    sizes = np.asarray(dataset.factors_num_values)
    width = np.maximum(1.0, sizes / num_bins)
    return _floats(np.minimum(labels // width, np.minimum(sizes, num_bins) - 1)), np.minimum(sizes, num_bins)


@component("noisy_labeller", supplied=SUPPLIED)
def noisy_labeller(
    labels: IntArray, dataset: Any, random_state: np.random.RandomState, prob_random: float = 0.1
) -> Labels:
    """Each label replaced, with probability `prob_random`, by a value drawn from all of its factor."""
    if not 0 <= prob_random <= 1:
        raise errors.InvalidInput(f"noisy_labeller.prob_random must be in [0, 1]; given: {prob_random}.")
    noisy = np.array(labels)
    for row in noisy:
        for column, size in enumerate(dataset.factors_num_values):
            if random_state.rand() < prob_random:
                row[column] = random_state.randint(size)
    return _floats(noisy), dataset.factors_num_values


@component("permuted_labeller", supplied=SUPPLIED)
def permuted_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState) -> Labels:
    """The values of each factor renamed at random, so that their order says nothing."""
    columns = [
        random_state.permutation(size)[labels[:, column]] for column, size in enumerate(dataset.factors_num_values)
    ]
    return _floats(np.stack(columns, axis=1)), dataset.factors_num_values


@component("partial_labeller", supplied=SUPPLIED)
def partial_labeller(
    labels: IntArray, dataset: Any, random_state: np.random.RandomState, num_observed_factors: int = 2
) -> Labels:
    """`num_observed_factors` of the factors, chosen at random."""
    if not 1 <= num_observed_factors <= labels.shape[1]:
        raise errors.InvalidInput(
            f"partial_labeller.num_observed_factors must be from 1 to {labels.shape[1]}, the number of factors; "
            f"given: {num_observed_factors}."
        )
    kept = random_state.choice(labels.shape[1], size=num_observed_factors, replace=False)
    return _floats(labels[:, kept]), [dataset.factors_num_values[column] for column in kept]


def _floats(labels: IntArray) -> FloatArray:
    return np.asarray(labels, dtype=np.float32)
