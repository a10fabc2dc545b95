"""``dlib_visualize_dataset``: a picture of a data set, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from absl import flags

from causal_disent.cli._flags import define_gin_flags, parse, require
from causal_disent.cli._run import run
from causal_disent.text import say

USAGE = """
dlib_visualize_dataset: one picture of a data set, a row per factor.

    dlib_visualize_dataset --name candle_mini --path pictures
    dlib_visualize_dataset --name candle_mini --path pictures --gin_bindings "dataset.confounding = 'candle_color'"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("name", None, "The data set (`causal-disent datasets`).", flag_values=values)
    flags.DEFINE_string("path", "dataset_visualizations", "Folder to write <name>.png into.", flag_values=values)
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_visualize_dataset", *argv], USAGE)
    return run(lambda: _visualize(values), debug=values.debug) if over is None else over


def _visualize(values: flags.FlagValues) -> int:
    require(values, "name", "path")
    from causal_disent.runs.visualise import visualize_dataset_with_gin

    target = visualize_dataset_with_gin(
        values.name, values.path, values.overwrite, values.gin_config, values.gin_bindings
    )
    say(f"  -> {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
