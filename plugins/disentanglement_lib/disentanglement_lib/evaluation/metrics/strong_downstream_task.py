"""Downstream tasks under a shift of one factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from disentanglement_lib._core import metric

compute_strong_downstream_task = metric("strong_downstream_task")


def intervene(y_train: Any, y_test: Any, target_y: int, num_factors: int, ground_truth_data: Any) -> Any:
    """Set one factor other than `target_y` to a value in (points, factors) of training, to others in those of
    testing.

    Returns:
        Both arrays, the factor, and its value in training. The draws are those of numpy's global generator.
    """
    others = [factor for factor in range(num_factors) if factor != target_y]
    factor = np.random.choice(others)  # noqa: NPY002  the original's generator
    values = np.arange(ground_truth_data.factors_num_values[factor])
    value = np.random.choice(values)  # noqa: NPY002
    y_train[:, factor] = value
    y_test[:, factor] = np.random.choice(values[values != value], size=len(y_test))  # noqa: NPY002
    return y_train, y_test, factor, value
