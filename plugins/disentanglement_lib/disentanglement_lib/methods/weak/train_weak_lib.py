"""Training on pairs of images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from causal_disent.runs import train as runs
from disentanglement_lib._core import backend, bind, part
from disentanglement_lib.methods.unsupervised.train import run


def simple_dynamics(
    z: Any, ground_truth_data: Any, random_state: Any, return_index: bool = False, k: int | None = None
) -> tuple[Any, int]:
    """Factors (1, factors), some drawn anew as gin's ``dynamics`` says, and the last of these or their number.

    All is drawn with `random_state`; the original draws the values with numpy's global generator.
    """
    changed, index = part("dynamics")(z, ground_truth_data, random_state, **({} if k is None else {"k": k}))
    return changed, index if return_index else int((changed != z).sum())


def train_with_gin(
    model_dir: str,
    overwrite: bool = False,
    gin_config_files: Sequence[str] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> None:
    """`train` under a config, which is cleared afterwards, also when the run fails."""
    run(model_dir, overwrite, gin_config_files, gin_bindings, with_pairs=True)


def train(model_dir: str, overwrite: bool = False, **settings: Any) -> None:
    """Train a model and write its folder; settings that are not passed come from gin's ``model``."""
    bind("model", settings)
    runs.train(model_dir, overwrite, backend=backend(), with_pairs=True)


def weak_dataset_from_ground_truth_data(ground_truth_data: Any, random_seed: int) -> Any:
    """A ``tf.data.Dataset`` without end of two images, one below the other, and the factor that differs."""
    import tensorflow as tf

    def generate() -> Iterator[Any]:
        random_state = np.random.RandomState(random_seed)
        while True:
            factors = ground_truth_data.sample_factors(1, random_state)
            first = ground_truth_data.sample_observations_from_factors(factors, random_state)
            factors, index = simple_dynamics(factors, ground_truth_data, random_state, return_index=True)
            second = ground_truth_data.sample_observations_from_factors(factors, random_state)
            yield np.concatenate((first, second), axis=1)[0], [index]

    height, *rest = ground_truth_data.observation_shape
    shapes = ((2 * height, *rest), (1,))
    return tf.compat.v1.data.Dataset.from_generator(generate, (tf.float32, tf.int32), output_shapes=shapes)
