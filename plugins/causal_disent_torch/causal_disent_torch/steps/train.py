"""``dlib_train``: train a model without labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.files import check_free
from causal_disent.runs.dataset import dataset
from causal_disent_torch.steps.settings import model_settings, objective_of, require_seed
from causal_disent_torch.steps.training import Plan, carry_out

__all__ = ["train", "train_with_gin"]


def train_with_gin(
    model_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """`train` under a config that is cleared afterwards, also when the run fails.

    Args:
        model_dir: the folder to write; it must not exist, unless `overwrite`.
        overwrite: replace `model_dir`.
        gin_config_files: paths, or names of shipped configs such as ``models/beta_vae.gin``.
        gin_bindings: lines such as ``"vae.beta = 4"``.
        options: as for `train`.

    Returns:
        The terms of the loss at the end.
    """
    with gin_config(gin_config_files, gin_bindings):
        return train(model_dir, overwrite, **options)


def train(model_dir: str | Path, overwrite: bool = False, **options: Any) -> dict[str, Any]:
    """Train the bound model on the bound data set and write a model folder.

    Args:
        model_dir: the folder to write.
        overwrite: replace `model_dir` if it exists.
        options: ``device``, ``checkpoint_every``, ``resume`` and ``tensorboard``, as for
            `causal_disent_torch.steps.training.carry_out`.

    Returns:
        The terms of the loss, averaged over ``model.eval_steps`` batches, with ``elapsed_time`` in seconds.
    """
    target = Path(model_dir)
    check_free(target, overwrite=overwrite)
    chosen = model_settings()
    objective = objective_of(chosen.model)
    if objective.factor_sizes is not None:
        raise errors.InvalidInput("This model needs labels: train it with dlib_train_semi_supervised.")
    seed = require_seed("random_seed", chosen.random_seed)
    seeds = np.random.RandomState(seed)  # the seeds of the images are drawn, as disentanglement_lib does
    data_seeds = (int(seeds.randint(2**32)), int(seeds.randint(2**32)))
    return carry_out(Plan(chosen, objective, dataset(), seed, data_seeds), target, overwrite, **options)
