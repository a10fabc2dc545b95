"""``dlib_train``: train a model, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from causal_disent import errors
from causal_disent.cli._flags import Flags
from causal_disent.text import say

USAGE = """
dlib_train: train a model and write a model folder.

    dlib_train --model_dir MODEL --gin_config models/beta_vae.gin \\
        --gin_bindings "dataset.name = 'candle_mini'" --gin_bindings "model.training_steps = 2000"

A run that was killed goes on from its last checkpoint when the same command is given again.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return train_command(USAGE, argv, with_labels=False)


def train_command(usage: str, argv: Sequence[str] | None, *, with_labels: bool) -> int:
    """Parse the flags, train, print the loss; the exit code.

    Args:
        usage: what ``--help`` shows first.
        argv: arguments, or None for those of the process.
        with_labels: the model knows the factors of some images.
    """
    flags = Flags()
    flags.add_text(model_dir="Folder to write.")
    flags.add_backend("trains", device=True)
    flags.add("integer", "checkpoint_every", 1000, "Steps between checkpoints; 0 for none.")
    flags.add("bool", "resume", True, "Go on from the checkpoint in <model_dir>.partial, if there is one.")
    flags.add_switch(compile="Compile the networks; it says when that pays, and keeps the faster steps.")
    flags.add("bool", "tensorboard", None, "Write curves for TensorBoard; by default if it is installed.")
    flags.add_config()
    return flags.run(lambda: _train(flags, with_labels), argv, usage)


def _train(flags: Flags, with_labels: bool) -> int:
    flags.require("model_dir")
    from causal_disent.runs.train import train_with_gin
    from causal_disent.training.checkpoint import clear, has_checkpoint, partial_folder

    try:
        scores = train_with_gin(
            flags.model_dir,
            flags.overwrite,
            flags.gin_config,
            flags.gin_bindings,
            with_labels=with_labels,
            backend=flags.backend,
            device=flags.device,
            checkpoint_every=flags.checkpoint_every,
            resume=flags.resume,
            tensorboard=flags.tensorboard,
            compiled=flags.compile,
        )
    except KeyboardInterrupt:
        kept = partial_folder(Path(flags.model_dir))
        if has_checkpoint(kept):
            say(f"interrupted; the same command goes on from the checkpoint in {kept}", error=True)
        else:
            clear(kept)
            say("interrupted; nothing was kept", error=True)
        return errors.INTERRUPTED
    shown = ("loss", "reconstruction_loss", "kl_loss", "supervised_loss", "elapsed_time")
    say(", ".join(f"{key} {scores[key]:.4f}" for key in shown if key in scores))
    say(f"  -> {flags.model_dir}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
