"""``dlib_udr``: rank models that were trained alike, without ground truth."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli._flags import Flags
from causal_disent.report.table import text_table
from causal_disent.text import say

USAGE = """
dlib_udr: unsupervised disentanglement ranking of several models, and a result folder.

    dlib_udr --model_dirs A --model_dirs B --model_dirs C --output_directory RANKING --gin_config metrics/udr.gin
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    flags = Flags()
    flags.add_texts(model_dirs="Folder with a model.")
    flags.add_text(output_directory="Folder to write.")
    flags.add_config()
    return flags.run(lambda: _rank(flags), argv, USAGE)


def _rank(flags: Flags) -> int:
    from causal_disent.runs.udr import rank_with_gin

    flags.require("output_directory")
    # disentanglement_lib separates the folders by commas.
    folders = [folder for given in flags.model_dirs for folder in given.split(",") if folder]
    scores = rank_with_gin(folders, flags.output_directory, flags.overwrite, flags.gin_config, flags.gin_bindings)
    ranked = sorted(zip(scores["model_scores"], folders, strict=True), reverse=True)
    say(text_table(["model", "UDR"], [[folder, float(score)] for score, folder in ranked]))
    say(f"  -> {flags.output_directory}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
