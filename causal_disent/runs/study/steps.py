"""What a task does: the one place that says how models are trained, representations made, metrics measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from causal_disent.config import gin_config, query
from causal_disent.registry import part, registry
from causal_disent.runs.evaluate import CodeTables, check_with_gin, evaluate
from causal_disent.runs.representation import AS_FOUND

__all__ = ["check", "measure", "postprocess", "stamped", "train"]


@part("study_task")
def study_task(config: str = "") -> str:
    """What was bound for a task of a study, as a short text; being called, it becomes part of the saved config."""
    return config


def stamped(stamp: str) -> str:
    """The binding that has a task record `stamp`."""
    return f"study_task.config = '{stamp}'"


def train(target: Path, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Train a model into the folder `target`; an unfinished training with the same bindings is taken up."""
    with gin_config(files, bindings):
        study_task()
        # An unfinished training with other settings is replaced: `target` itself is not there.
        _training()(target, overwrite=True)


def postprocess(source: Path, target: Path, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Make a representation of the model in `source`."""
    with gin_config(files, bindings):
        study_task()
        import_module("causal_disent_torch.steps.postprocess").postprocess(source, target)


def measure(
    source: Path, target: Path, files: Sequence[str], bindings: Sequence[str], code_tables: CodeTables
) -> None:
    """Measure the representation in `source`; no image is encoded twice for the same `code_tables`."""
    with gin_config(files, bindings):
        study_task()
        evaluate(source, target, code_tables=code_tables)


def _training() -> Callable[..., Any]:
    """What trains the model that the config binds."""
    labelled = query("model.model_seed") is not None
    return import_module(f"causal_disent_torch.steps.train{'_semi_supervised' if labelled else ''}").train


def check(step: str, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Raise what a step of a study would raise for its config alone, whatever it is given."""
    if step == "evaluate":
        check_with_gin(files, bindings, AS_FOUND)
        return
    with gin_config(files, bindings):
        registry.function("parts", {"train": "model", "dataset": "dataset"}.get(step, step))()
