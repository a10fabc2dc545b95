"""causal_disent: how causally disentangled is a representation?

Give it a data set and an encoder (perhaps with a decoder), or just codes and factors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from causal_disent._version import __version__

if TYPE_CHECKING:
    from causal_disent.api import compare, get_classifier, get_dataset, get_metric, get_representation, score
    from causal_disent.monitor import Monitor
    from causal_disent.processes import use_threads
    from causal_disent.representation.causal_functions import CausalFunctions
    from causal_disent.runs.evaluate import evaluate, evaluate_with_gin
    from causal_disent.runs.study import Study, run_study
    from causal_disent.runs.study_table import results_table

__all__ = [
    "CausalFunctions",
    "Monitor",
    "Study",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_with_gin",
    "get_classifier",
    "get_dataset",
    "get_metric",
    "get_representation",
    "results_table",
    "run_study",
    "score",
    "use_threads",
]

_HOME = {
    "representation.causal_functions": ("CausalFunctions",),
    "api": ("compare", "get_classifier", "get_dataset", "get_metric", "get_representation", "score"),
    "runs.evaluate": ("evaluate", "evaluate_with_gin"),
    "runs.study": ("Study", "run_study"),
    "runs.study_table": ("results_table",),
    "monitor": ("Monitor",),
    "processes": ("use_threads",),
}


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that `import causal_disent` stays light.
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"causal_disent.{module}"), name)
    raise AttributeError(f"module 'causal_disent' has no attribute '{name}'")
