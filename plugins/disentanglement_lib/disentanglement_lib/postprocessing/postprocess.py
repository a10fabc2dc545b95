"""A representation folder, made of a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gin

from causal_disent.runs import postprocess as runs
from disentanglement_lib._core import bind, gin_run


def postprocess_with_gin(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    gin_config_files: Sequence[str] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> None:
    """`postprocess` under a config, which is cleared afterwards, also when the run fails."""
    with gin_run(gin_config_files, gin_bindings):
        runs.postprocess(model_dir, output_dir, overwrite)


def postprocess(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    postprocess_fn: Any = gin.REQUIRED,
    random_seed: Any = gin.REQUIRED,
    name: Any = gin.REQUIRED,
) -> None:
    """Write a representation folder; what is left out comes from gin's ``postprocess``."""
    bind("postprocess", {"postprocess_fn": postprocess_fn, "random_seed": random_seed, "name": name})
    runs.postprocess(model_dir, output_dir, overwrite)
