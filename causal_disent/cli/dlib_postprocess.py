"""``dlib_postprocess``: make a representation of a model, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli._flags import Flags
from causal_disent.text import say

USAGE = """
dlib_postprocess: make a representation folder of a model folder, for dlib_evaluate.

    dlib_postprocess --model_dir MODEL --output_dir REPRESENTATION --gin_config postprocess/mean.gin
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    flags = Flags()
    flags.add_text(model_dir="Folder of the model.", output_dir="Folder to write.")
    flags.add_backend("writes the folder")
    flags.add_config()
    return flags.run(lambda: _postprocess(flags), argv, USAGE)


def _postprocess(flags: Flags) -> int:
    flags.require("model_dir", "output_dir")
    from causal_disent.runs.postprocess import postprocess_with_gin

    folders = flags.model_dir, flags.output_dir
    postprocess_with_gin(*folders, flags.overwrite, flags.gin_config, flags.gin_bindings, flags.backend)
    say(f"  -> {flags.output_dir}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
