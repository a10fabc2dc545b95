"""causal_disent: how causally disentangled is a representation?

Give it a data set and an encoder (perhaps with a decoder), or just codes and factors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_disent._version import __version__
from causal_disent.plugins import install_loader

if TYPE_CHECKING:
    from causal_disent.api import get_classifier, get_dataset, get_metric, get_representation, score
    from causal_disent.runs.evaluate import evaluate, evaluate_with_gin
    from causal_disent.runs.study import Study, run_study
    from causal_disent.runs.study.table import results_table
    from causal_disent.threads import use_threads

__all__ = [
    "Study",
    "__version__",
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
    "Study": "causal_disent.runs.study",
    "evaluate": "causal_disent.runs.evaluate",
    "evaluate_with_gin": "causal_disent.runs.evaluate",
    "get_classifier": "causal_disent.api",
    "get_dataset": "causal_disent.api",
    "get_metric": "causal_disent.api",
    "get_representation": "causal_disent.api",
    "results_table": "causal_disent.runs.study.table",
    "run_study": "causal_disent.runs.study",
    "score": "causal_disent.api",
    "use_threads": "causal_disent.threads",
}

install_loader()


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that `import causal_disent` stays light.
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'causal_disent' has no attribute '{name}'")
