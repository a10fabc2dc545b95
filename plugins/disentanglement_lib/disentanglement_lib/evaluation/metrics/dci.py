"""Disentanglement, completeness, informativeness (Eastwood and Williams 2018)."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from causal_disent.metrics.dci import (
    completeness,
    completeness_per_factor,
    dci,
    disentanglement,
    disentanglement_per_code,
)
from causal_disent.registry import registry
from disentanglement_lib._core import metric, part

__all__ = [
    "completeness",
    "completeness_per_factor",
    "compute_dci",
    "compute_dci_on_fixed_data",
    "compute_importance_gbt",
    "disentanglement",
    "disentanglement_per_code",
]


def _use_numbers_alone() -> None:
    """Let `dci` return numbers alone, as in the original, whose users calculate with every value."""
    entry = registry.get("metrics", "dci")
    measure = entry.plain()

    @wraps(measure)
    def dci_in_numbers(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {key: score for key, score in measure(*args, **kwargs).items() if key != "estimator"}

    registry.replace(replace(entry, target=dci_in_numbers))


_use_numbers_alone()
compute_dci = metric("dci")
compute_dci_on_fixed_data = part("dci_validation")


def compute_importance_gbt(x_train: Any, y_train: Any, x_test: Any, y_test: Any) -> tuple[Any, float, float]:
    """Importance (codes, factors) in boosted trees, and their accuracy on training and test points.

    All arrays have a column per point.
    """
    found = _dci(x_train, y_train, x_test, y_test)
    return found.importance, found.informativeness_train, found.informativeness_test


def _compute_dci(mus_train: Any, ys_train: Any, mus_test: Any, ys_test: Any) -> dict[str, float]:
    """The scores of codes (codes, points) and factors (factors, points)."""
    found = _dci(mus_train, ys_train, mus_test, ys_test)
    names = ("informativeness_train", "informativeness_test", "disentanglement", "completeness")
    return {name: getattr(found, name) for name in names}


def _dci(x_train: Any, y_train: Any, x_test: Any, y_test: Any) -> Any:
    train, factors, test, test_factors = (np.asarray(rows).T for rows in (x_train, y_train, x_test, y_test))
    return dci(train, factors, test=(test, test_factors))
