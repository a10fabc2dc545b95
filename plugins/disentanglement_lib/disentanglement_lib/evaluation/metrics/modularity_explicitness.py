"""Modularity and explicitness (Ridgeway and Mozer 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics import modularity_explicitness
from causal_disent.metrics.linear import measure_modularities
from disentanglement_lib._core import metric

compute_modularity_explicitness = metric("modularity_explicitness")


def modularity(mutual_information: Any) -> float:
    """The mean over codes, of information (codes, factors)."""
    return float(np.mean(measure_modularities(np.asarray(mutual_information))))


def explicitness_per_factor(mus_train: Any, y_train: Any, mus_test: Any, y_test: Any) -> tuple[float, float]:
    """Area under the ROC curve of predicting one factor (points,) from codes (points, codes)."""
    # Modularity needs a second factor, which has no part in this one's explicitness.
    train, test = (np.stack([factor, np.arange(len(factor)) % 2], axis=1) for factor in (y_train, y_test))
    found = modularity_explicitness(np.asarray(mus_train), train, test=(np.asarray(mus_test), test))
    return float(found.explicitnesses_train[0]), float(found.explicitnesses_test[0])
