"""``evaluation.*``: measure a representation, as ``dlib_evaluate`` does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.config import (
    REQUIRED,
    configurable,
    gin_config,
    operative_bindings,
    operative_config,
    query,
    rebind,
    recorded_bindings,
)
from causal_disent.evaluation.evaluate import run_metric
from causal_disent.evaluation.results import check_free, new_folder, write_results
from causal_disent.registry import registry
from causal_disent.steps.dataset import dataset
from causal_disent.steps.representation import bind_folder, representation

__all__ = ["evaluate", "evaluate_with_gin"]


def evaluate_with_gin(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> dict[str, Any]:
    """`evaluate` under a config that is cleared afterwards, also when the run fails.

    Args:
        model_dir: the folder with the representation.
        output_dir: the folder to write; it must not exist, unless `overwrite`.
        overwrite: replace `output_dir`.
        gin_config_files: paths, or names of shipped configs such as ``metrics/uc.gin``.
        gin_bindings: lines such as ``"uc.rho = 2"``.

    Returns:
        The scores.
    """
    with gin_config(gin_config_files, gin_bindings):
        return evaluate(model_dir, output_dir, overwrite)


@configurable("evaluation", supplied=("model_dir", "output_dir", "overwrite"))
def evaluate(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    evaluation_fn: str | Callable[..., dict[str, Any]] = REQUIRED,
    random_seed: int = REQUIRED,
    name: str = "",
) -> dict[str, Any]:
    """Run the bound metric on the representation in `model_dir` and write a result folder.

    Args:
        model_dir: the folder with the representation.
        output_dir: the folder to write.
        overwrite: replace `output_dir` if it exists.
        evaluation_fn: the metric, ``@uc`` in a config, or its name.
        random_seed: of the draws.
        name: what to call the evaluation; part of the saved config.

    Returns:
        The scores, with ``elapsed_time`` in seconds.
    """
    started = time.perf_counter()
    source, target = Path(model_dir), Path(output_dir)
    check_free(target, overwrite=overwrite)
    described = bind_folder(source)
    _bind_dataset(source, described)
    data = dataset()
    encoder = representation(data)
    if isinstance(evaluation_fn, str):
        evaluation_fn = registry.function("metrics", evaluation_fn)
    with new_folder(target, overwrite=overwrite) as folder:
        metric = metric_name(evaluation_fn)
        artifacts = folder / "artifacts" / (name or metric)
        scores = run_metric(evaluation_fn, metric, data, encoder, random_seed, artifacts)
        scores["elapsed_time"] = time.perf_counter() - started
        write_results(folder, "evaluation", scores, operative_config(), operative_bindings(), source / "results")
    return scores


def _bind_dataset(source: Path, described: dict[str, Any]) -> None:
    """Where the config leaves the data set open or says "auto", take the one the representation was made for."""
    if query("dataset.name") not in (None, "auto"):
        return
    found = {key: value for key, value in described.items() if key.startswith("dataset.")}
    recorded = source / "results" / "gin" / "postprocess.gin"
    if not found and recorded.is_file():
        name = recorded_bindings(recorded).get("dataset.name", "")
        found = {"dataset.name": name.strip("'\"")} if name else {}
    if "dataset.name" not in found:
        raise errors.ConfigError(
            "The config names no data set, and the input folder does not either. Add a binding such as "
            "dataset.name = 'candle_mini'."
        )
    for key, value in found.items():
        if key == "dataset.name" or query(key) is None:
            rebind(key, value)


def metric_name(metric: Callable[..., Any]) -> str:
    """What users call a metric: its registered name, or the function's own."""
    function = getattr(metric, "__wrapped__", metric)
    for entry in registry.entries("metrics"):
        if entry.factory is function:
            return entry.name
    return getattr(metric, "__name__", type(metric).__name__)
