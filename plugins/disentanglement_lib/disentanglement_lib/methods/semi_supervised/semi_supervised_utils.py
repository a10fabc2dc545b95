"""Labels of some images, and labellers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from disentanglement_lib._core import part

perfect_labeller = part("perfect_labeller")
bin_labeller = part("bin_labeller")
noisy_labeller = part("noisy_labeller")
permuted_labeller = part("permuted_labeller")
partial_labeller = part("partial_labeller")


def make_labeller(labels: Any, dataset: Any, random_state: Any, labeller_fn: Any = None) -> Any:
    """Labels and how many values each has, as gin's ``labeller`` makes them."""
    given = {} if labeller_fn is None else {"labeller_fn": labeller_fn}
    return part("labeller")(labels, dataset, random_state, **given)


def sample_supervised_data(supervised_seed: int, ground_truth_data: Any, num_labelled_samples: int) -> Any:
    """Observations, their labels, and how many values each label has."""
    random_state = np.random.RandomState(supervised_seed)
    factors = ground_truth_data.sample_factors(num_labelled_samples, random_state)
    observations = ground_truth_data.sample_observations_from_factors(factors, random_state)
    return (observations, *make_labeller(factors, ground_truth_data, random_state))


def train_test_split(observations: Any, labels: Any, num_labelled_samples: int, train_percentage: float) -> Any:
    """Observations and labels for training, and those for testing."""
    first = math.ceil(num_labelled_samples * train_percentage)
    return observations[:first], labels[:first], observations[first:], labels[first:]


def permute(factor: Any, num_values: int, random_state: Any) -> Any:
    """The values of one factor (n,) renamed at random, in place."""
    factor[:] = random_state.permutation(num_values)[factor]
    return factor


def filter_factors(labels: Any, num_observed_factors: int, random_state: Any) -> Any:
    """Some columns of (n, factors), and which."""
    chosen = random_state.choice(labels.shape[1], size=num_observed_factors, replace=False)
    return labels[:, chosen], chosen
