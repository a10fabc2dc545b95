"""Pictures of what models have learned, drawn for a report where a study has none."""

from __future__ import annotations

from pathlib import Path

from causal_disent import errors
from causal_disent.files import inside
from causal_disent.isolation import isolated
from causal_disent.runs.recorded import MODEL
from causal_disent.runs.report.scores import Scores
from causal_disent.runs.study.table import results_table
from causal_disent.runs.visualise import visualize_with_gin
from causal_disent.text import say, shown

VISUALIZED = "visualized"
NUM_IMAGES = 6
#: No classifier has to be trained for reconstructions and traversals.
BINDINGS = [
    "visualize_model.classifier = None",
    "visualize_model.num_train = 1000",
    "visualize_model.num_steps = 7",
]


def draw_models(root: Path) -> None:
    """Draw the first run of each model into ``<run>/visualized``, unless that is there; tell of what cannot be."""
    try:
        scores = Scores.of(results_table(root))
    except errors.InvalidInput:
        return  # nothing was measured
    for run in scores.table.drop_duplicates("who")["run"]:
        try:
            model = inside(root, f"{run}/{MODEL}")
            target = inside(root, f"{run}/{VISUALIZED}")
            if model.is_dir() and not target.exists():
                with isolated():  # of a stranger's model, anything may come out
                    visualize_with_gin(model, target, False, NUM_IMAGES, [], BINDINGS)
        except errors.CausalDisentError as error:
            say(f"run {shown(run)} is not drawn: {error.message}", error=True)
