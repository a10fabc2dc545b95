"""``dlib_postprocess``: make a representation of a model, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from absl import flags

from causal_disent.cli._flags import define_backend, define_gin_flags, parse, require
from causal_disent.cli._run import run
from causal_disent.text import say

USAGE = """
dlib_postprocess: make a representation folder of a model folder, for dlib_evaluate.

    dlib_postprocess --model_dir MODEL --output_dir REPRESENTATION --gin_config postprocess/mean.gin
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("model_dir", None, "Folder of the model.", flag_values=values)
    flags.DEFINE_string("output_dir", None, "Folder to write.", flag_values=values)
    define_backend(values, "writes the folder")
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_postprocess", *argv], USAGE)
    return run(lambda: _postprocess(values), debug=values.debug) if over is None else over


def _postprocess(values: flags.FlagValues) -> int:
    require(values, "model_dir", "output_dir")
    from causal_disent.runs.postprocess import postprocess_with_gin

    postprocess_with_gin(
        values.model_dir,
        values.output_dir,
        values.overwrite,
        values.gin_config,
        values.gin_bindings,
        values.backend,
    )
    say(f"  -> {values.output_dir}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
