"""``dlib_visualize_model``: pictures of a model, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from absl import flags

from causal_disent.cli._flags import define_backend, define_gin_flags, parse, require
from causal_disent.cli._run import run
from causal_disent.report.cg_remarks import accuracy_text
from causal_disent.text import say

USAGE = """
dlib_visualize_model: pictures of what a model has learned.

    dlib_visualize_model --model_dir MODEL --output_dir PICTURES
    dlib_visualize_model --model_dir MODEL --output_dir PICTURES --gin_bindings "visualize_model.rho = 5"

Writes reconstructions, samples, traversals of each code (PNG and GIF), and counterfactual sheets: each factor's
codes at the baseline, and all others at the baseline, with what the classifier of CG says of each picture.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("model_dir", None, "Folder with the model.", flag_values=values)
    flags.DEFINE_string("output_dir", None, "Folder to write.", flag_values=values)
    flags.DEFINE_integer("num_images", 8, "How many images of the data set to show.", flag_values=values)
    define_backend(values, "reads the model", device=True)
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_visualize_model", *argv], USAGE)
    return run(lambda: _visualize(values), debug=values.debug) if over is None else over


def _visualize(values: flags.FlagValues) -> int:
    require(values, "model_dir", "output_dir")
    from causal_disent.runs.representation import Reading
    from causal_disent.runs.visualise import visualize_with_gin

    judged = visualize_with_gin(
        values.model_dir,
        values.output_dir,
        values.overwrite,
        values.num_images,
        values.gin_config,
        values.gin_bindings,
        Reading(backend=values.backend, device=values.device),
    )
    say(f"accuracy of the classifier on held-out images: {accuracy_text(*judged)}")
    say(f"  -> {values.output_dir}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
