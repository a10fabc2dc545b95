"""``dlib_udr``: rank models that were trained alike, without ground truth."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from absl import flags

from causal_disent import errors
from causal_disent.cli._flags import define_gin_flags, parse
from causal_disent.cli._run import run
from causal_disent.report.table import text_table
from causal_disent.text import say

USAGE = """
dlib_udr: unsupervised disentanglement ranking of several models, and a result folder.

    dlib_udr --model_dirs A --model_dirs B --model_dirs C --output_directory RANKING --gin_config metrics/udr.gin
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_multi_string("model_dirs", [], "Folder with a model. Repeatable.", flag_values=values)
    flags.DEFINE_string("output_directory", None, "Folder to write.", flag_values=values)
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_udr", *argv], USAGE)
    return run(lambda: _rank(values), debug=values.debug) if over is None else over


def _rank(values: flags.FlagValues) -> int:
    from causal_disent.runs.udr import rank_with_gin

    if not values.output_directory:
        raise errors.InvalidInput("--output_directory is needed. --help shows an example.")
    # disentanglement_lib separates the folders by commas.
    folders = [folder for given in values.model_dirs for folder in given.split(",") if folder]
    scores = rank_with_gin(
        folders, values.output_directory, values.overwrite, values.gin_config, values.gin_bindings
    )
    ranked = sorted(zip(scores["model_scores"], folders, strict=True), reverse=True)
    say(text_table(["model", "UDR"], [[folder, float(score)] for score, folder in ranked]))
    say(f"  -> {values.output_directory}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
