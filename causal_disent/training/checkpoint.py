"""Checkpoints and tensors in safetensors files, written atomically and checked before anything is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from causal_disent import errors
from causal_disent.files import new_file, regular, sweep, unusable
from causal_disent.protocols import Trainer
from causal_disent.text import shown_value
from causal_disent.training.trackers import clear_tracked

#: How a pickle begins: by itself, or in the zip archive that torch.save writes.
PICKLES = (b"\x80", b"PK\x03\x04")


class TensorFile:
    """An open file: names and shapes are known, tensors are read when asked for.

    Attributes:
        path: of the file.
        metadata: the text that was stored along.
        shapes: name -> shape.
    """

    def __init__(self, path: Path, handle: Any) -> None:
        self.path = path
        self.metadata: dict[str, str] = handle.metadata() or {}
        self.shapes = {name: tuple(handle.get_slice(name).get_shape()) for name in sorted(handle.keys())}
        self._handle = handle

    def read(self, name: str) -> Any:
        """One tensor, of the framework that the file was opened for."""
        return self._handle.get_tensor(name)


def write_packed(path: Path, content: bytes) -> None:
    """Write the bytes of a file under a temporary name, and rename it when it is complete.

    The library's own writing of files has errors of its own kind, and makes the files private.

    Raises:
        OSError: if it cannot be written, on a full disk for instance; the error names `path`.
    """
    try:
        with new_file(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def open_tensors(path: Path, framework: str) -> Iterator[TensorFile]:
    """Open a file from outside; whatever is wrong with it becomes a readable error. Nothing of it is executed.

    Args:
        path: of the file.
        framework: what tensors are wanted, as safetensors calls it: ``"pt"``, ``"tf"`` or ``"np"``.
    """
    if not path.is_file():
        raise errors.InvalidInput(f"There is no file {path}.")
    try:
        with safe_open(regular(path), framework=framework) as handle:
            yield TensorFile(path, handle)
    except SafetensorError as error:
        raise _refusal_of(path, error) from None


def _refusal_of(path: Path, error: SafetensorError) -> errors.InvalidInput:
    """Return why a file that is not safetensors cannot be read."""
    with path.open("rb") as file:
        start = file.read(9)
    # The length of a header may look like a pickle; the bracket of the header comes after it.
    if start.startswith(PICKLES) and start[8:] != b"{":
        return errors.InvalidInput(
            f"{path} is a pickle, which can run code when it is read. It is refused; save the tensors with "
            "safetensors instead."
        )
    return errors.InvalidInput(
        f"{path} is cut off or is not a safetensors file: {error}. Nothing was read from it."
    )


def check_shapes(file: TensorFile, expected: Mapping[str, tuple[int, ...]], what: str) -> None:
    """Raise unless `file` has just the tensors that `what` needs, in their shapes."""
    missing = [name for name in expected if name not in file.shapes]
    excess = [name for name in file.shapes if name not in expected]
    if missing or excess:
        raise errors.InvalidInput(
            f"{file.path} does not fit {what}: missing are {errors.listing(missing)}; "
            f"not expected are {errors.listing(excess)}."
        )
    for name, shape in expected.items():
        if file.shapes[name] != tuple(shape):
            raise errors.InvalidInput(
                f"{file.path} does not fit {what}: '{name}' has shape {file.shapes[name]}; {tuple(shape)} is "
                "needed."
            )


def read_tensors(
    path: Path,
    framework: str,
    needed: Mapping[str, tuple[tuple[int, ...], Any]],
    what: str,
    is_finite: Callable[[Any], bool],
) -> dict[str, Any]:
    """All tensors of a file from outside; an error unless they are just what `what` needs, and finite numbers.

    Args:
        path: of the file.
        framework: as for `open_tensors`.
        needed: name -> shape and type, as tensors of that framework call it.
        what: named in the error.
        is_finite: whether all numbers of a tensor are.
    """
    with open_tensors(path, framework) as file:
        check_shapes(file, {name: shape for name, (shape, _) in needed.items()}, what)
        found = {name: file.read(name) for name in needed}
    for name, tensor in found.items():
        given, dtype = str(tensor.dtype), str(needed[name][1])
        if given != dtype:
            raise unusable(path, f"'{name}' is {given}, and {dtype} is needed")
        if not is_finite(tensor):
            raise unusable(path, f"'{name}' has values that are not finite numbers")
    return found


CHECKPOINT = "checkpoint.safetensors"
#: Bindings that may change between two parts of a run.
FREE = ("model.training_steps", "model.eval_steps", "model.name", "model.model_num", "tracking.trackers")
#: What checkpoints of earlier versions do not tell, as it was then.
LATER = {"model.precision": "'float32'"}
#: Numpy's 624 numbers; the other tensors are the trainer's.
KEY = "generator.numpy"


def partial_folder(model_dir: Path) -> Path:
    """Return where a run into `model_dir` keeps these."""
    return model_dir.with_name(f"{model_dir.name}.partial")


def has_checkpoint(folder: Path) -> bool:
    """Tell whether a run left a checkpoint in `folder`."""
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
    """Return the bindings of the run that wrote a checkpoint."""
    with open_tensors(path, framework) as file:
        run = _read_run(file)
    if run.get("framework", framework) != framework:  # which older ones do not tell
        raise errors.InvalidInput(
            f"{path} was written by another backend ({shown_value(run['framework'])}, not "
            f"{shown_value(framework)}): go on with that."
        )
    return {**LATER, **run["settings"]}


def find_differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return what two runs do not share: ``vae.beta: 4 before, 8 now``."""
    names = sorted((set(before) | set(now)) - set(FREE))
    return [
        f"{name}: {before.get(name, 'not bound')} before, {now.get(name, 'not bound')} now"
        for name in names
        if before.get(name) != now.get(name)
    ]


def restore(path: Path, trainer: Trainer) -> float:
    """Put `trainer` into the state of the checkpoint; the seconds that were spent before."""
    with open_tensors(path, trainer.framework) as file:
        run = _read_run(file)
        check_shapes(file, {**trainer.shapes(file.shapes), KEY: (624,)}, "this run")
        tensors = {name: file.read(name) for name in file.shapes}
    try:
        trainer.batches.restore(np.asarray(tensors.pop(KEY)), run)
        trainer.restore(tensors, run["step"])
    except (RuntimeError, TypeError, ValueError) as error:
        raise errors.InvalidInput(f"The checkpoint {path} cannot be used: {error}.") from None
    return run["elapsed"]


def _read_run(file: TensorFile) -> dict[str, Any]:
    """Return what the checkpoint says of its run, checked."""
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
