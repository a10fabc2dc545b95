"""``dlib_visualize_dataset``: a picture of a data set, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli._flags import Flags
from causal_disent.text import say

USAGE = """
dlib_visualize_dataset: one picture of a data set, a row per factor.

    dlib_visualize_dataset --name candle_mini --path pictures
    dlib_visualize_dataset --name candle_mini --path pictures --gin_bindings "dataset.confounding = 'candle_color'"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    flags = Flags()
    flags.add_text(name="The data set (`causal-disent datasets`).")
    flags.add("string", "path", "dataset_visualizations", "Folder to write <name>.png into.")
    flags.add_config()
    return flags.run(lambda: _visualize(flags), argv, USAGE)


def _visualize(flags: Flags) -> int:
    flags.require("name", "path")
    from causal_disent.runs.visualise import visualize_dataset_with_gin

    settings = flags.overwrite, flags.gin_config, flags.gin_bindings
    say(f"  -> {visualize_dataset_with_gin(flags.name, flags.path, *settings)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
