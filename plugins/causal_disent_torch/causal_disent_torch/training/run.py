"""A run from its first step, or from its last checkpoint, to its last step."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from causal_disent import errors
from causal_disent.progress import track
from causal_disent_torch.training import checkpoint
from causal_disent_torch.training.batches import Batches, LabelledImages
from causal_disent_torch.training.partial import CHECKPOINT, CURVES, clear, has_checkpoint
from causal_disent_torch.training.trainer import Diverged, Trainer

__all__ = ["Keeping", "copy_curves", "evaluate", "train"]

#: Steps between two points of a curve.
LOG_EVERY = 50


@dataclass(frozen=True)
class Keeping:
    """What a run keeps while it goes on.

    Attributes:
        folder: of the checkpoint and the curves, until the run is over.
        every: steps between checkpoints; 0 for none.
        resume: go on from the checkpoint that is there.
        restart: a checkpoint of a run with other settings is replaced; otherwise it is an error.
        tensorboard: write curves; None for doing so where tensorboard is installed.
    """

    folder: Path
    every: int = 1000
    resume: bool = True
    restart: bool = False
    tensorboard: bool | None = None


def train(trainer: Trainer, num_steps: int, settings: Mapping[str, str], keeping: Keeping) -> float:
    """Train up to step `num_steps`.

    Args:
        trainer: before its first step; its state is replaced if there is a checkpoint.
        num_steps: counted from the first step ever.
        settings: the bindings of the run; a checkpoint belongs to a run with the same.
        keeping: of checkpoints and curves.

    Returns:
        Seconds, those before a kill included.
    """
    earlier = _resume(trainer, settings, keeping)
    if trainer.num_steps > num_steps:
        raise errors.InvalidInput(
            f"The checkpoint in {keeping.folder} is of step {trainer.num_steps:,}, and model.training_steps is "
            f"{num_steps:,}. Bind at least {trainer.num_steps:,}, or start over with --noresume."
        )
    started = time.perf_counter()
    path = keeping.folder / CHECKPOINT
    saved = trainer.num_steps
    writer = _writer(keeping, saved)
    try:
        for _ in track(range(trainer.num_steps, num_steps), "training", unit="step"):
            terms = trainer.step()
            done = trainer.num_steps
            if writer is not None and (done % LOG_EVERY == 0 or done == num_steps):
                for name, term in terms.items():
                    writer.add_scalar(name, term.item(), done)
            if keeping.every and (done % keeping.every == 0 or done == num_steps):
                checkpoint.save(path, trainer, settings, earlier + time.perf_counter() - started)
                saved = done
        trainer.check_weights()
    except Diverged as error:
        kept = f"The checkpoint of step {saved} is kept in {path}. " if path.is_file() else ""
        raise errors.InvalidInput(
            f"Training diverged: {error.message}. {kept}Lower the learning rate or the weights of the loss, and "
            "start again (--noresume)."
        ) from None
    finally:
        if writer is not None:
            writer.close()
    return earlier + time.perf_counter() - started


def _resume(trainer: Trainer, settings: Mapping[str, str], keeping: Keeping) -> float:
    """Take up the checkpoint, if there is one to take up; the seconds that it took."""
    path = keeping.folder / CHECKPOINT
    if keeping.resume and has_checkpoint(keeping.folder):
        try:
            differing = checkpoint.differences(checkpoint.read_settings(path), settings)
            if not differing:
                return checkpoint.restore(path, trainer)
        except errors.InvalidInput as error:
            raise errors.InvalidInput(f"{error.message} --noresume starts over.") from None
        if not keeping.restart:
            raise errors.InvalidInput(
                f"{keeping.folder} holds an unfinished run with other settings ({errors.listing(differing, 5)}). "
                "Finish it with those, start over with --noresume, or choose another folder."
            )
    clear(keeping.folder)
    return 0.0


def copy_curves(folder: Path, target: Path) -> None:
    """Copy the curves that a run kept in `folder`, if there are any."""
    if (folder / CURVES).is_dir():
        shutil.copytree(folder / CURVES, target / CURVES)


def _writer(keeping: Keeping, step: int) -> Any:
    """A writer of curves, unless they are not wanted."""
    if keeping.tensorboard is False:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        if keeping.tensorboard is None:
            return None
        raise errors.InvalidInput(
            "--tensorboard needs the package tensorboard: pip install 'causal-disent-torch[tensorboard]'."
        ) from None
    return SummaryWriter(str(keeping.folder / CURVES), purge_step=step)


def evaluate(
    trainer: Trainer, batches: Batches, labelled: LabelledImages | None, seed: int, num_batches: int
) -> dict[str, float]:
    """The mean of each term of the loss over `num_batches` batches, with the networks in evaluation mode."""
    trainer.networks.eval()
    generator = torch.Generator().manual_seed(seed)
    sums: dict[str, float] = {}
    for step in track(range(num_batches), "evaluating the loss", unit="batch"):
        for name, term in trainer.evaluate(batches, labelled, generator, step).items():
            sums[name] = sums.get(name, 0.0) + term
    means = {name: total / num_batches for name, total in sums.items()}
    for name, mean in means.items():
        if not math.isfinite(mean):
            raise errors.InvalidInput(f"After {trainer.num_steps} steps the term '{name}' of the loss is {mean}.")
    return means
