"""What a task does: the one place that says how models are trained, representations made, metrics measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from causal_disent.config import gin_config, query
from causal_disent.parts import part
from causal_disent.registry import registry
from causal_disent.runs.backend import training_backend
from causal_disent.runs.evaluate import CodeTables, check_with_gin, evaluate
from causal_disent.runs.postprocess import postprocess as make_representation
from causal_disent.runs.representation import AS_FOUND
from causal_disent.runs.train import train as train_model


@part("study_task")
def study_task(config: str = "") -> str:
    """What was bound for a task of a study, as a short text; being called, it becomes part of the saved config."""
    return config


def stamped(stamp: str) -> str:
    """The binding that has a task record `stamp`."""
    return f"study_task.config = '{stamp}'"


def train(target: Path, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Train a model into the folder `target`; an unfinished training with the same bindings is taken up."""
    with registry.using(training_backend(None).name), gin_config(files, bindings):
        study_task()
        # An unfinished training with other settings is replaced: `target` itself is not there.
        train_model(target, overwrite=True, with_labels=query("model.model_seed") is not None)


def postprocess(source: Path, target: Path, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Make a representation of the model in `source`."""
    with gin_config(files, bindings):
        study_task()
        make_representation(source, target)


def measure(
    source: Path, target: Path, files: Sequence[str], bindings: Sequence[str], code_tables: CodeTables
) -> None:
    """Measure the representation in `source`; no image is encoded twice for the same `code_tables`."""
    with gin_config(files, bindings):
        study_task()
        evaluate(source, target, code_tables=code_tables)


def check(step: str, files: Sequence[str], bindings: Sequence[str]) -> None:
    """Raise what a step of a study would raise for its config alone, whatever it is given."""
    if step == "evaluate":
        check_with_gin(files, bindings, AS_FOUND)
        return
    with gin_config(files, bindings):
        registry.function("parts", {"train": "model", "dataset": "dataset"}.get(step, step))()
