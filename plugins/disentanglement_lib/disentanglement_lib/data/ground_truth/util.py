"""State spaces, and data sets of causal_disent with the attributes of the original classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import get_dataset
from causal_disent.data.view import view
from disentanglement_lib.data.ground_truth.ground_truth_data import GroundTruthData


def tf_data_set_from_ground_truth_data(ground_truth_data: Any, random_seed: int) -> Any:
    """A ``tf.data.Dataset`` of observations without end; needs TensorFlow."""
    import tensorflow as tf

    def generate() -> Iterator[Any]:
        random_state = np.random.RandomState(random_seed)  # anew, so that the data set can be read again
        while True:
            yield ground_truth_data.sample_observations(1, random_state)[0]

    return tf.compat.v1.data.Dataset.from_generator(
        generate, tf.float32, output_shapes=tuple(ground_truth_data.observation_shape)
    )


class SplitDiscreteStateSpace:
    """Factors of which some are drawn first, and the others when observations are made."""

    def __init__(self, factor_sizes: Sequence[int], latent_factor_indices: Sequence[int]) -> None:
        self.factor_sizes = factor_sizes
        self.num_factors = len(factor_sizes)
        self.latent_factor_indices = latent_factor_indices
        self.observation_factor_indices = [i for i in range(self.num_factors) if i not in latent_factor_indices]

    @property
    def num_latent_factors(self) -> int:
        return len(self.latent_factor_indices)

    def sample_latent_factors(self, num: int, random_state: Any) -> Any:
        """(num, latent factors)."""
        return self._sample(self.latent_factor_indices, num, random_state)

    def sample_all_factors(self, latent_factors: Any, random_state: Any) -> Any:
        """(n, factors): the latent ones as they are, the others drawn."""
        factors = np.zeros((len(latent_factors), self.num_factors), dtype=np.int64)
        factors[:, self.latent_factor_indices] = latent_factors
        others = self.observation_factor_indices
        factors[:, others] = self._sample(others, len(factors), random_state)
        return factors

    def _sample(self, columns: Sequence[int], num: int, random_state: Any) -> Any:
        drawn = [random_state.randint(self.factor_sizes[column], size=num) for column in columns]
        return np.array(drawn, dtype=np.int64).reshape(len(columns), num).T


class StateSpaceAtomIndex:
    """The place of each combination of factors among rows that hold every combination once."""

    def __init__(self, factor_sizes: Sequence[int], features: Any) -> None:
        self.factor_sizes = factor_sizes
        atoms = self._atoms(features)
        if np.unique(atoms).size != np.prod(factor_sizes):
            raise ValueError("Features matrix does not cover the whole state space.")
        self.state_space_to_save_space_index = np.zeros(len(atoms), dtype=np.int64)
        self.state_space_to_save_space_index[atoms] = np.arange(len(atoms))

    def features_to_index(self, features: Any) -> Any:
        """Rows (n, factors) to places (n,)."""
        return self.state_space_to_save_space_index[self._atoms(features)]

    def _atoms(self, features: Any) -> Any:
        rows = np.asarray(features)
        if (rows < 0).any() or (rows >= np.asarray(self.factor_sizes)).any():
            raise ValueError("Feature indices have to be within [0, factor_size-1]!")
        return np.ravel_multi_index(tuple(rows.astype(np.int64).T), tuple(self.factor_sizes))


#: What a subclass overrides to draw in its own way.
DRAWS = ("sample", "sample_factors", "sample_observations", "sample_observations_from_factors")


class NamedData(GroundTruthData):
    """A data set of causal_disent with the attributes of disentanglement_lib's classes; it draws the same.

    Args:
        name: of the data set, as ``causal-disent datasets`` lists it.
        factor_sizes: of all factors, nuisance included.
        latent_factor_indices: which of them are ground truth.
        names: of all factors, where others than usual may be ground truth.
    """

    def __init__(
        self,
        name: str,
        factor_sizes: Sequence[int],
        latent_factor_indices: Sequence[int],
        names: Sequence[str] | None = None,
    ) -> None:
        self.ours = get_dataset(name)
        if names is not None:
            chosen = tuple(names[index] for index in latent_factor_indices)
            self.ours = self.ours if chosen == tuple(self.ours.factor_names) else view(self.ours, factors=chosen)
        self.factor_sizes = list(factor_sizes)
        self.latent_factor_indices = list(latent_factor_indices)
        self.num_total_factors = len(self.factor_sizes)
        self.factor_bases = np.prod(self.factor_sizes) / np.cumprod(self.factor_sizes)
        self.state_space = SplitDiscreteStateSpace(self.factor_sizes, self.latent_factor_indices)
        self.data_shape = list(self.ours.observation_shape)

    def __getattr__(self, name: str) -> Any:
        # What only our data sets have: the images by index, the table of factors, names, graphs. A subclass that
        # draws in its own way is not known by index, and may not have called our constructor.
        if name != "ours" and all(getattr(type(self), draw) is getattr(NamedData, draw) for draw in DRAWS):
            return getattr(self.ours, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @cached_property
    def images(self) -> Any:
        """All images (images, h, w, c), float32 in [0, 1], in the order of the combinations."""
        base = getattr(self.ours, "base", self.ours)
        return base.observations(np.arange(np.prod(self.factor_sizes)))

    @property
    def num_factors(self) -> int:
        return self.ours.num_factors

    @property
    def factors_num_values(self) -> list[int]:
        return list(self.ours.factors_num_values)

    @property
    def observation_shape(self) -> list[int]:
        return self.data_shape

    def sample_factors(self, num: int, random_state: Any) -> Any:
        return self.ours.sample_factors(num, random_state)

    def sample_observations_from_factors(self, factors: Any, random_state: Any) -> Any:
        return self.ours.sample_observations_from_factors(np.asarray(factors), random_state)
