"""Unsupervised disentanglement ranking of several models, written into a result folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gin

from causal_disent.runs import udr as runs
from disentanglement_lib._core import bind


def evaluate(
    model_dirs: Sequence[str],
    output_dir: str,
    evaluation_fn: Any = gin.REQUIRED,
    random_seed: Any = gin.REQUIRED,
    name: Any = gin.REQUIRED,
) -> None:
    """Rank the models; what is left out comes from gin's ``evaluation``. `output_dir` is replaced."""
    bind("evaluation", {"evaluation_fn": evaluation_fn, "random_seed": random_seed, "name": name})
    runs.rank(list(model_dirs), output_dir, overwrite=True)
