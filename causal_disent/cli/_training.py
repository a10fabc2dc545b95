"""What the two training commands have in common."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from causal_disent import errors
from causal_disent.cli._flags import define_backend, define_gin_flags, parse, require
from causal_disent.cli._run import run
from causal_disent.text import say


def train_command(name: str, usage: str, argv: Sequence[str] | None, *, with_labels: bool) -> int:
    """Parse the flags, train, print the loss; the exit code.

    Args:
        name: of the command.
        usage: what ``--help`` shows first.
        argv: arguments, or None for those of the process.
        with_labels: the model knows the factors of some images.
    """
    values = flags.FlagValues()
    flags.DEFINE_string("model_dir", None, "Folder to write.", flag_values=values)
    define_backend(values, "trains", device=True)
    flags.DEFINE_integer("checkpoint_every", 1000, "Steps between checkpoints; 0 for none.", flag_values=values)
    flags.DEFINE_bool(
        "resume", True, "Go on from the checkpoint in <model_dir>.partial, if there is one.", flag_values=values
    )
    flags.DEFINE_bool(
        "tensorboard", None, "Write curves for TensorBoard; by default if it is installed.", flag_values=values
    )
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else [name, *argv], usage)
    return run(lambda: _train(values, with_labels), debug=values.debug) if over is None else over


def _train(values: flags.FlagValues, with_labels: bool) -> int:
    require(values, "model_dir")
    from causal_disent.runs.train import train_with_gin
    from causal_disent.training.partial import clear, has_checkpoint, partial_folder

    try:
        scores = train_with_gin(
            values.model_dir,
            values.overwrite,
            values.gin_config,
            values.gin_bindings,
            with_labels=with_labels,
            backend=values.backend,
            device=values.device,
            checkpoint_every=values.checkpoint_every,
            resume=values.resume,
            tensorboard=values.tensorboard,
        )
    except KeyboardInterrupt:
        kept = partial_folder(Path(values.model_dir))
        if has_checkpoint(kept):
            say(f"interrupted; the same command goes on from the checkpoint in {kept}", error=True)
        else:
            clear(kept)
            say("interrupted; nothing was kept", error=True)
        return errors.INTERRUPTED
    shown = ("loss", "reconstruction_loss", "kl_loss", "supervised_loss", "elapsed_time")
    say(", ".join(f"{key} {scores[key]:.4f}" for key in shown if key in scores))
    say(f"  -> {values.model_dir}")
    return 0
