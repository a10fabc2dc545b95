"""``dlib_train_semi_supervised``: train a model with labels of some images, as disentanglement_lib's command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli.dlib_train import train_command

USAGE = """
dlib_train_semi_supervised: train a model that knows the factors of some images.

    dlib_train_semi_supervised --model_dir MODEL --gin_config models/s2_factor_vae_bb.gin \\
        --gin_bindings "dataset.name = 'candle_mini'" --gin_bindings "model.training_steps = 2000"

A run that was killed goes on from its last checkpoint when the same command is given again.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return train_command(USAGE, argv, with_labels=True)


if __name__ == "__main__":
    sys.exit(main())
