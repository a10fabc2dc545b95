"""Training without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gin

from causal_disent.registry import registry
from causal_disent.runs import train as runs
from causal_disent.runs.representation import training_backend
from disentanglement_lib._core import backend, bind, gin_run


def train_with_gin(
    model_dir: str,
    overwrite: bool = False,
    gin_config_files: Sequence[str] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> None:
    """`train` under a config, which is cleared afterwards, also when the run fails."""
    run(model_dir, overwrite, gin_config_files, gin_bindings)


def train(
    model_dir: str,
    overwrite: bool = False,
    model: Any = gin.REQUIRED,
    training_steps: Any = gin.REQUIRED,
    random_seed: Any = gin.REQUIRED,
    batch_size: Any = gin.REQUIRED,
    eval_steps: Any = gin.REQUIRED,
    name: Any = gin.REQUIRED,
    model_num: Any = gin.REQUIRED,
) -> None:
    """Train a model and write its folder; what is left out comes from gin's ``model``."""
    given = {name_of: value for name_of, value in locals().items() if name_of not in ("model_dir", "overwrite")}
    bind("model", given)
    runs.train(model_dir, overwrite, backend=backend())


def run(
    model_dir: str,
    overwrite: bool,
    gin_config_files: Sequence[str] | None,
    gin_bindings: Sequence[str] | None,
    **options: Any,
) -> None:
    """Train under a config. Its names may mean something of each backend, so that this is chosen first."""
    chosen = training_backend(backend()).name
    with registry.using(chosen), gin_run(gin_config_files, gin_bindings):
        runs.train(model_dir, overwrite, backend=chosen, **options)
