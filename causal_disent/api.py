"""What gin sees, for Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from causal_disent.registry import registry
from causal_disent.runs.dataset import get_dataset

__all__ = ["get_classifier", "get_dataset", "get_metric", "get_representation"]


def get_metric(name: str) -> Callable[..., dict[str, Any]]:
    """A registered metric, with disentanglement_lib's signature.

    Example:
        >>> import numpy as np
        >>> uc = get_metric("uc")
        >>> data = get_dataset("candle_mini", factors=["object", "color"])
        >>> uc(data, get_representation("perfect_oracle", data), np.random.RandomState(0), num_train=200)["UC"]
        1.0
    """
    return registry.function("metrics", name)


def get_representation(name: str, data: Any, **options: Any) -> Any:
    """A registered model for a data set."""
    return registry.function("representations", name)(data, **options)


def get_classifier(name: str, data: Any, **options: Any) -> Any:
    """A registered classifier for a data set."""
    return registry.function("classifiers", name)(data, **options)
