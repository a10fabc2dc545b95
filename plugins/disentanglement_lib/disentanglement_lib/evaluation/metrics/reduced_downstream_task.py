"""Downstream tasks on codes from which the most informative on a factor are removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from disentanglement_lib._core import metric
from disentanglement_lib.evaluation.metrics import dci

compute_reduced_downstream_task = metric("reduced_downstream_task")


def compute_factorwise_dci(mus_train: Any, ys_train: Any, mus_test: Any, ys_test: Any) -> Any:
    """Importance (codes, factors) in boosted trees."""
    return dci.compute_importance_gbt(mus_train, ys_train, mus_test, ys_test)[0]


def compute_reduced_representation(
    mus_train: Any,
    ys_train: Any,
    mus_test: Any,
    ys_test: Any,
    factor_of_interest: int,
    correlation_measure: Callable[..., Any] = compute_factorwise_dci,
) -> tuple[Any, Any]:
    """Both sets of codes (codes, points) without the code that counts most for the factor."""
    matrix = correlation_measure(mus_train, ys_train, mus_test, ys_test)
    most = int(np.argmax(matrix[:, factor_of_interest]))
    return np.delete(mus_train, most, axis=0), np.delete(mus_test, most, axis=0)


def compute_predictive_accuracy(
    x_train: Any, y_train: Any, x_test: Any, y_test: Any, predictor_fn: Callable[[], Any]
) -> tuple[list[float], list[float]]:
    """Accuracies of each factor (factors, points) predicted from (points, codes), on both sets."""
    models = [predictor_fn().fit(x_train, factor) for factor in y_train]
    return (
        [float(np.mean(model.predict(x_train) == factor)) for model, factor in zip(models, y_train, strict=True)],
        [float(np.mean(model.predict(x_test) == factor)) for model, factor in zip(models, y_test, strict=True)],
    )
