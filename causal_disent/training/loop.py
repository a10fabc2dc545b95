"""A run from its first step, or its last checkpoint, to its last step; a backend's trainer makes the steps."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.config import bindings_of, operative_bindings
from causal_disent.progress import track
from causal_disent.protocols import Trainer
from causal_disent.registry import registry
from causal_disent.training import checkpoint
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.checkpoint import CHECKPOINT, clear, has_checkpoint
from causal_disent.training.plan import Plan
from causal_disent.training.trackers import Trackers

#: Steps between two points of a curve.
LOG_EVERY = 50


class Diverged(errors.InvalidInput):
    """A term of the loss, or a weight, is no longer a finite number."""


@dataclass(frozen=True)
class Keeping:
    """What a run keeps while it goes on.

    Attributes:
        folder: of the checkpoint and of what trackers write, until the run is over.
        every: steps between checkpoints; 0 for none.
        resume: go on from the checkpoint that is there.
        restart: a checkpoint of a run with other settings is replaced; otherwise it is an error.
        tensorboard: whether TensorBoard follows the run; None for doing so where it is installed.
    """

    folder: Path
    every: int = 1000
    resume: bool = True
    restart: bool = False
    tensorboard: bool | None = None


def run(trainer: Trainer, plan: Plan, keeping: Keeping) -> dict[str, Any]:
    """Train, then evaluate the loss.

    Args:
        trainer: before its first step, its networks made as the config binds them.
        plan: what is trained on what.
        keeping: of checkpoints and curves.

    Returns:
        The terms of the loss, averaged over ``model.eval_steps`` batches, with ``global_step``, and
        ``elapsed_time`` in seconds.
    """
    # A loss is called only in the first step; what is bound for it belongs to the settings as well.
    settings = {**operative_bindings(), **dict(bindings_of(*registry.in_configs()))}
    elapsed = train(trainer, plan.chosen.training_steps, settings, keeping)
    scores = evaluate(trainer, plan.batches(1), plan.labelled[1], plan.model_seed, plan.chosen.evaluated_batches)
    return {**scores, "global_step": trainer.num_steps, "elapsed_time": elapsed}


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
    trackers = Trackers(keeping.folder, trainer.num_steps, keeping.tensorboard)
    terms: dict[str, Any] = {}
    try:
        steps = range(trainer.num_steps, num_steps)
        for _ in track(steps, "training", unit="step", note=lambda: f"loss {float(terms['loss']):.5g}"):
            terms.update(trainer.step())
            done = trainer.num_steps
            if done % LOG_EVERY == 0 or done == num_steps:
                trackers.add(terms, done)
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
        trackers.close()
    return earlier + time.perf_counter() - started


def _resume(trainer: Trainer, settings: Mapping[str, str], keeping: Keeping) -> float:
    """Take up the checkpoint, if there is one to take up; the seconds that it took."""
    path = keeping.folder / CHECKPOINT
    if keeping.resume and has_checkpoint(keeping.folder):
        try:
            differing = checkpoint.find_differences(checkpoint.read_settings(path, trainer.framework), settings)
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


def evaluate(
    trainer: Trainer, batches: Batches, labelled: LabelledImages | None, seed: int, num_batches: int
) -> dict[str, float]:
    """Return the mean of each term of the loss over `num_batches` batches."""
    evaluations = islice(trainer.evaluations(batches, labelled, seed), num_batches)
    sums: dict[str, float] = {}
    for terms in track(evaluations, "evaluating the loss", total=num_batches, unit="batch"):
        for name, term in terms.items():
            sums[name] = sums.get(name, 0.0) + term
    means = {name: total / num_batches for name, total in sums.items()}
    for name, mean in means.items():
        if not math.isfinite(mean):
            raise errors.InvalidInput(f"After {trainer.num_steps} steps the term '{name}' of the loss is {mean}.")
    return means
