"""Metrics of a representation on fixed, labelled data."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gin
import numpy as np

from causal_disent import config
from causal_disent.files import check_free, new_folder
from causal_disent.runs.dataset import bind_dataset, dataset
from causal_disent.runs.representation import bind_folder, load_model
from causal_disent.runs.results import read_results, write_results
from disentanglement_lib._core import gin_run
from disentanglement_lib.methods.semi_supervised import semi_supervised_utils


def validate_with_gin(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    gin_config_files: Sequence[str] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> None:
    """`validate` under a config, which is cleared afterwards, also when the run fails."""
    with gin_run(gin_config_files, gin_bindings):
        validate(model_dir, output_dir, overwrite)


@gin.configurable("validation", denylist=["model_dir", "output_dir", "overwrite"])
def validate(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    validation_fn: Any = gin.REQUIRED,
    random_seed: int = gin.REQUIRED,
    num_labelled_samples: int = gin.REQUIRED,
    name: str = "",
) -> None:
    """Measure the representation in `model_dir` on labelled points that are drawn once."""
    started, source, target = time.perf_counter(), Path(model_dir), Path(output_dir)
    check_free(target, overwrite=overwrite)
    bind_dataset(source, bind_folder(source))
    data = dataset()
    representation = load_model(source, data)[0]
    images, labels, _ = semi_supervised_utils.sample_supervised_data(random_seed, data, num_labelled_samples)
    scores = dict(validation_fn(images, np.transpose(labels), representation))
    scores["elapsed_time"] = time.perf_counter() - started
    with new_folder(target, overwrite=overwrite) as folder:
        settings = config.operative_config(), config.operative_bindings()
        write_results(folder, "validation", scores, *settings, read_results(source))
