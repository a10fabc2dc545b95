"""Metrics of a representation, written into a result folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gin

from causal_disent.runs import evaluate as runs
from disentanglement_lib._core import bind, gin_run


def evaluate_with_gin(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    gin_config_files: Sequence[str] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> None:
    """`evaluate` under a config, which is cleared afterwards, also when the run fails."""
    with gin_run(gin_config_files, gin_bindings):
        runs.evaluate(model_dir, output_dir, overwrite)


def evaluate(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    evaluation_fn: Any = gin.REQUIRED,
    random_seed: Any = gin.REQUIRED,
    name: Any = gin.REQUIRED,
) -> None:
    """Measure the representation in `model_dir`; what is left out comes from gin's ``evaluation``."""
    bind("evaluation", {"evaluation_fn": evaluation_fn, "random_seed": random_seed, "name": name})
    runs.evaluate(model_dir, output_dir, overwrite)
