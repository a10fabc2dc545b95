"""Running one metric on one representation of one data set."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics.tools.convergence import fits_of
from causal_disent.protocols import GroundTruthData, Representation
from causal_disent.representation.code_table import CodeTable


def run_metric(
    metric: Callable[..., dict[str, Any]],
    name: str,
    data: GroundTruthData,
    representation: Representation,
    random_seed: int,
    artifact_dir: Path,
) -> dict[str, Any]:
    """What `metric` says, or an error with its name.

    Args:
        metric: disentanglement_lib's signature; one without ``artifact_dir`` still works.
        name: what users call it.
        data: ground-truth data.
        representation: encoder, perhaps with a decoder.
        random_seed: of the draws.
        artifact_dir: where the metric may save files; it is made by the metric if needed.
    """
    arguments: dict[str, Any] = {"random_state": np.random.RandomState(random_seed)}
    if _takes(metric, "artifact_dir"):
        arguments["artifact_dir"] = str(artifact_dir)
    else:
        warnings.warn(
            f"The metric '{name}' takes no `artifact_dir`; give it `artifact_dir=None`.",
            DeprecationWarning,
            stacklevel=2,
        )
    try:
        with fits_of(name):
            scores = metric(data, CodeTable.of(data, representation), **arguments)
    except Exception as error:  # a metric is foreign code
        if isinstance(error, errors.CausalDisentError):
            raise errors.InvalidInput(f"{name}: {error.message}") from error
        raise errors.metric_failed(name, error, _file_of(metric)) from error
    if not isinstance(scores, dict):
        raise errors.metric_failed(name, TypeError(f"it returned {type(scores).__name__}, not a dict"))
    return scores


def _takes(function: Callable[..., Any], argument: str) -> bool:
    """Whether a function takes an argument of that name; gin's wrappers are looked through."""
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == argument or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _file_of(function: Callable[..., Any]) -> str:
    """The file that defines a function (of a declared metric, that of arrays), as tracebacks call it."""
    declaration = getattr(function, "declaration", None)
    code = getattr(inspect.unwrap(declaration.function if declaration else function), "__code__", None)
    return code.co_filename if code else ""
