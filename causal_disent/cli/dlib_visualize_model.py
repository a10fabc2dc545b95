"""``dlib_visualize_model``: pictures of a model, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli._flags import Flags
from causal_disent.report.remarks import accuracy_text
from causal_disent.text import say

USAGE = """
dlib_visualize_model: pictures of what a model has learned.

    dlib_visualize_model --model_dir MODEL --output_dir PICTURES
    dlib_visualize_model --model_dir MODEL --output_dir PICTURES --gin_bindings "visualize_model.rho = 5"

Writes reconstructions, samples, traversals of each code (PNG and GIF), then counterfactual sheets: each factor's
codes at the baseline, and all others at the baseline, with what the classifier of CG says of each picture. The
classifier is trained once per data set; --nocounterfactuals leaves the sheets out, and with them the classifier.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    flags = Flags()
    flags.add_text(model_dir="Folder with the model.", output_dir="Folder to write.")
    flags.add("integer", "num_images", 8, "How many images of the data set to show.")
    flags.add("bool", "counterfactuals", True, "Draw the counterfactual sheets, which need a classifier.")
    flags.add_backend("reads the model", device=True)
    flags.add_config()
    return flags.run(lambda: _visualize(flags), argv, USAGE)


def _visualize(flags: Flags) -> int:
    flags.require("model_dir", "output_dir")
    from causal_disent.runs.representation import Reading
    from causal_disent.runs.visualise import visualize_with_gin

    judged = visualize_with_gin(
        flags.model_dir,
        flags.output_dir,
        flags.overwrite,
        flags.num_images,
        flags.gin_config,
        flags.gin_bindings,
        Reading(backend=flags.backend, device=flags.device),
        flags.counterfactuals,
    )
    if judged[0]:
        say(f"accuracy of the classifier on held-out images: {accuracy_text(*judged)}")
    say(f"  -> {flags.output_dir}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
