"""What a run keeps until it is over, beside its folder: what trackers write, and a checkpoint.

The checkpoint is the whole state of the run in one safetensors file, so that after a kill it goes on as if nothing
had happened.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.files import sweep
from causal_disent.protocols import Trainer
from causal_disent.text import shown_value
from causal_disent.training.tensor_files import TensorFile, check_shapes, open_tensors, write_packed
from causal_disent.training.trackers import clear_tracked

CHECKPOINT = "checkpoint.safetensors"
#: Bindings that may change between two parts of a run.
FREE = ("model.training_steps", "model.eval_steps", "model.name", "model.model_num", "tracking.trackers")
#: What checkpoints of earlier versions do not tell, as it was then.
LATER = {"model.precision": "'float32'"}
#: Numpy's 624 numbers; the other tensors are the trainer's.
KEY = "generator.numpy"


def partial_folder(model_dir: Path) -> Path:
    """Where a run into `model_dir` keeps these."""
    return model_dir.with_name(f"{model_dir.name}.partial")


def has_checkpoint(folder: Path) -> bool:
    """Whether a run left a checkpoint in `folder`."""
    return (folder / CHECKPOINT).exists()


def clear(folder: Path) -> None:
    """Remove what a run keeps in `folder`, and the folder if nothing else is in it."""
    path = folder / CHECKPOINT
    if path.is_dir() or (folder.exists() and not folder.is_dir()):
        raise errors.InvalidInput(
            f"{path} is the place of the checkpoint, and something else is there. Move it away."
        )
    sweep(folder)  # what a kill in the middle of writing has left
    path.unlink(missing_ok=True)
    clear_tracked(folder)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def save(path: Path, trainer: Trainer, settings: Mapping[str, str], elapsed: float) -> None:
    """Write the state of `trainer`.

    Args:
        path: the file, which is replaced in one go.
        trainer: between two steps.
        settings: the bindings of the run, to recognise it by.
        elapsed: seconds so far.
    """
    trainer.check_weights()
    key, place = trainer.batches.state()
    state = trainer.state()
    run = {
        "framework": trainer.framework,
        "step": trainer.num_steps,
        "elapsed": elapsed,
        **place,
        "settings": dict(settings),
        "tensors": sorted([*state, KEY]),
    }
    write_packed(path, trainer.packed(state, {KEY: key}, {"run": json.dumps(run)}))


def read_settings(path: Path, framework: str) -> dict[str, str]:
    """The bindings of the run that wrote a checkpoint."""
    with open_tensors(path, framework) as file:
        run = _run(file)
    if run.get("framework", framework) != framework:  # which older ones do not tell
        raise errors.InvalidInput(
            f"{path} was written by another backend ({shown_value(run['framework'])}, not "
            f"{shown_value(framework)}): go on with that."
        )
    return {**LATER, **run["settings"]}


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What two runs do not share: ``vae.beta: 4 before, 8 now``."""
    names = sorted((set(before) | set(now)) - set(FREE))
    return [
        f"{name}: {before.get(name, 'not bound')} before, {now.get(name, 'not bound')} now"
        for name in names
        if before.get(name) != now.get(name)
    ]


def restore(path: Path, trainer: Trainer) -> float:
    """Put `trainer` into the state of the checkpoint; the seconds that were spent before."""
    with open_tensors(path, trainer.framework) as file:
        run = _run(file)
        check_shapes(file, {**trainer.shapes(file.shapes), KEY: (624,)}, "this run")
        tensors = {name: file.read(name) for name in file.shapes}
    try:
        trainer.batches.restore(np.asarray(tensors.pop(KEY)), run)
        trainer.restore(tensors, run["step"])
    except (RuntimeError, TypeError, ValueError) as error:
        raise errors.InvalidInput(f"The checkpoint {path} cannot be used: {error}.") from None
    return run["elapsed"]


def _run(file: TensorFile) -> dict[str, Any]:
    """What the checkpoint says of its run, checked."""
    types = {"step": int, "elapsed": float, "position": int, "has_gauss": int, "gauss": float}
    try:
        run = json.loads(file.metadata.get("run", ""))
        # numpy does not check where in its 624 numbers a state says that it is.
        valid = all(type(run[name]) is kind for name, kind in types.items()) and 0 <= run["position"] <= 624
        valid = valid and run["step"] >= 0 and run["tensors"] == sorted(file.shapes)
        settings = run["settings"]
        valid = valid and all(isinstance(text, str) for pair in settings.items() for text in pair)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        valid = False
    if not valid:
        raise errors.InvalidInput(f"{file.path} is not a checkpoint of this program.")
    return run
