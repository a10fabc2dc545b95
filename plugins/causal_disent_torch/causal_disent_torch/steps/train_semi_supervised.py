"""``dlib_train_semi_supervised``: train a model that knows the factors of some images."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.data.factor_table import value_rows
from causal_disent.files import check_free
from causal_disent.protocols import IntArray, is_finite
from causal_disent.runs.dataset import dataset
from causal_disent_torch.steps.settings import (
    ModelSettings,
    model_settings,
    objective_of,
    require,
    require_seed,
)
from causal_disent_torch.steps.training import Plan, carry_out
from causal_disent_torch.supervision.labellers import labeller
from causal_disent_torch.training.batches import LabelledImages

__all__ = ["train", "train_with_gin"]


def train_with_gin(
    model_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """`train` under a config that is cleared afterwards, also when the run fails."""
    with gin_config(gin_config_files, gin_bindings):
        return train(model_dir, overwrite, **options)


def train(model_dir: str | Path, overwrite: bool = False, **options: Any) -> dict[str, Any]:
    """Train the bound model with labels of some images, and write a model folder.

    Args:
        model_dir: the folder to write.
        overwrite: replace it if it exists.
        options: as for `causal_disent_torch.steps.train.train`.

    Returns:
        The terms of the loss, averaged over ``model.eval_steps`` batches, with ``elapsed_time`` in seconds. The
        supervised loss is that of labelled images that were not trained on, if any were kept back.
    """
    target = Path(model_dir)
    check_free(target, overwrite=overwrite)
    chosen = model_settings()
    model_seed = require_seed("model_seed", chosen.model_seed)
    data_seed = require_seed("unsupervised_data_seed", chosen.unsupervised_data_seed)
    labels_seed = require_seed("supervised_data_seed", chosen.supervised_data_seed)
    fraction = require("train_percentage", chosen.train_percentage)
    data = dataset()
    num_labelled = _num_labelled(chosen, data)
    draw = _drawn if chosen.labelled_fraction is None else _distinct
    try:
        images, sizes = draw(data, num_labelled, np.random.RandomState(labels_seed))
    except MemoryError:
        raise errors.InvalidInput(
            f"{num_labelled:,} labelled images do not fit into memory. Bind a smaller model.num_labelled_samples."
        ) from None
    objective = objective_of(chosen.model, sizes)
    if objective.factor_sizes is None:  # which disentanglement_lib allows
        warnings.warn(
            "model.model is a model without labels: the labelled images are not used. Take an s2_ model, or train "
            "it with dlib_train.",
            stacklevel=2,
        )
    if objective.factor_sizes is not None and objective.factor_sizes != sizes:
        raise errors.InvalidInput(
            f"The model is bound to labels with {errors.listing(objective.factor_sizes)} values; the labeller "
            f"gives {errors.listing(sizes)}. Leave factor_sizes out."
        )
    split = _split(images, math.ceil(num_labelled * fraction))
    plan = Plan(chosen, objective, data, model_seed, (data_seed, data_seed), split)
    return carry_out(plan, target, overwrite, **options)


def _num_labelled(chosen: ModelSettings, data: Any) -> int:
    """How many images have labels: bound as a number, or as a fraction of the images there are."""
    number, fraction = chosen.num_labelled_samples, chosen.labelled_fraction
    if number is not None and fraction is None:
        return number
    if number is not None or fraction is None:
        raise errors.ConfigError(
            "The config must bind model.num_labelled_samples or model.labelled_fraction, and not both."
        )
    if not is_finite(data):
        raise errors.InvalidInput(
            "model.labelled_fraction needs a data set with a known number of images; bind "
            "model.num_labelled_samples instead."
        )
    return max(1, round(fraction * len(data.factor_table)))


def _drawn(data: Any, num: int, random_state: np.random.RandomState) -> tuple[LabelledImages, list[int]]:
    """`num` images with the labels of the bound labeller, and the number of values of each label.

    The draws are disentanglement_lib's: factors, then what the images leave open, then the labeller's. An image
    can come up more than once.
    """
    factors = data.sample_factors(num, random_state)
    if is_finite(data):
        return _labelled(data, data.sample_indices(factors, random_state), factors, random_state)
    observations = np.asarray(data.sample_observations_from_factors(factors, random_state), np.float32)
    labels, sizes = labeller(factors, data, random_state)
    return LabelledImages(observations.__getitem__, labels), [int(size) for size in sizes]


def _distinct(data: Any, num: int, random_state: np.random.RandomState) -> tuple[LabelledImages, list[int]]:
    """As `_drawn`, with each image once at the most."""
    table = data.factor_table
    rows = random_state.choice(len(table), num, replace=False)
    return _labelled(data, table.index.to_numpy()[rows], value_rows(table)[rows], random_state)


def _labelled(
    data: Any, indices: IntArray, factors: IntArray, random_state: np.random.RandomState
) -> tuple[LabelledImages, list[int]]:
    labels, sizes = labeller(factors, data, random_state)
    return LabelledImages(lambda rows: data.observations(indices[rows]), labels), [int(size) for size in sizes]


def _split(images: LabelledImages, num_train: int) -> tuple[LabelledImages, LabelledImages]:
    """The first `num_train` to train on, and the others to evaluate on, or the same where none are left."""
    rest = num_train if num_train < len(images.labels) else 0
    return (
        LabelledImages(images.images_of, images.labels[:num_train]),
        LabelledImages(lambda rows: images.images_of(rows + rest), images.labels[rest:]),
    )
