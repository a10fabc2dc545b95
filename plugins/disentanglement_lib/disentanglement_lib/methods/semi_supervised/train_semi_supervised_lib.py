"""Training with the labels of some images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from causal_disent.runs import train as runs
from disentanglement_lib._core import backend, bind
from disentanglement_lib.methods.unsupervised.train import run


def train_with_gin(
    model_dir: str,
    overwrite: bool = False,
    gin_config_files: Sequence[str] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> None:
    """`train` under a config, which is cleared afterwards, also when the run fails."""
    run(model_dir, overwrite, gin_config_files, gin_bindings, with_labels=True)


def train(model_dir: str, overwrite: bool = False, **settings: Any) -> None:
    """Train a model and write its folder; settings that are not passed come from gin's ``model``."""
    bind("model", settings)
    runs.train(model_dir, overwrite, backend=backend(), with_labels=True)
