"""What the two training commands have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from causal_disent import errors
from causal_disent.cli._flags import define_gin_flags, parse
from causal_disent.cli._run import INTERRUPTED, run
from causal_disent_torch.device import DEVICES
from causal_disent_torch.training.partial import clear, has_checkpoint, partial_folder

__all__ = ["train_command"]


def train_command(
    name: str, usage: str, load: Callable[[], Callable[..., dict[str, Any]]], argv: Sequence[str] | None
) -> int:
    """Parse the flags, train, print the loss; the exit code.

    Args:
        name: of the command.
        usage: what ``--help`` shows first.
        load: imports the ``train_with_gin`` to call.
        argv: arguments, or None for those of the process.
    """
    values = flags.FlagValues()
    flags.DEFINE_string("model_dir", None, "Folder to write.", flag_values=values)
    flags.DEFINE_string("device", "auto", f"Where to train: {', '.join(DEVICES)}.", flag_values=values)
    flags.DEFINE_integer("checkpoint_every", 1000, "Steps between checkpoints; 0 for none.", flag_values=values)
    flags.DEFINE_bool(
        "resume", True, "Go on from the checkpoint in <model_dir>.partial, if there is one.", flag_values=values
    )
    flags.DEFINE_bool(
        "tensorboard", None, "Write curves for TensorBoard; by default if it is installed.", flag_values=values
    )
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else [name, *argv], usage)
    return run(lambda: _train(values, load), debug=values.debug) if over is None else over


def _train(values: flags.FlagValues, load: Callable[[], Callable[..., dict[str, Any]]]) -> int:
    if not values.model_dir:
        raise errors.InvalidInput("--model_dir is needed. --help shows an example.")
    try:
        scores = load()(
            values.model_dir,
            values.overwrite,
            values.gin_config,
            values.gin_bindings,
            device=values.device,
            checkpoint_every=values.checkpoint_every,
            resume=values.resume,
            tensorboard=values.tensorboard,
        )
    except KeyboardInterrupt:
        kept = partial_folder(Path(values.model_dir))
        if has_checkpoint(kept):
            print(f"interrupted; the same command goes on from the checkpoint in {kept}", file=sys.stderr)
        else:
            clear(kept)
            print("interrupted; nothing was kept", file=sys.stderr)
        return INTERRUPTED
    shown = ("loss", "reconstruction_loss", "kl_loss", "supervised_loss", "elapsed_time")
    print(", ".join(f"{key} {scores[key]:.4f}" for key in shown if key in scores))
    print(f"  -> {values.model_dir}")
    return 0
