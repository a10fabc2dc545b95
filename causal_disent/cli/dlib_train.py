"""``dlib_train``: train a model, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli._training import train_command

USAGE = """
dlib_train: train a model and write a model folder.

    dlib_train --model_dir MODEL --gin_config models/beta_vae.gin \\
        --gin_bindings "dataset.name = 'candle_mini'" --gin_bindings "model.training_steps = 2000"

A run that was killed goes on from its last checkpoint when the same command is given again.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return train_command("dlib_train", USAGE, argv, with_labels=False)


if __name__ == "__main__":
    sys.exit(main())
