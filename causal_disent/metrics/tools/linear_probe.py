"""Linear prediction of several targets at once, how good it is on held-out points, and random features for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent.protocols import FloatArray


def standardise(train: NDArray[Any], test: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Both with the mean and the deviation of `train` taken out; a column that never varies becomes 0."""
    train = np.asarray(train, dtype=np.float64)
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    # The deviation of equal numbers may be off by a rounding error, which dividing would blow up.
    constant = train.min(axis=0) == train.max(axis=0)
    scale = np.where(constant, np.inf, np.where(deviation > 0, deviation, 1.0))
    return (train - mean) / scale, (test - mean) / scale


def predict_linear(
    inputs: FloatArray, targets: FloatArray, test_inputs: FloatArray, ridge: float = 0.0
) -> FloatArray:
    """Predictions (test points, targets) of the least-squares fit with an intercept.

    Args:
        inputs: (points, inputs), standardised.
        targets: (points, targets).
        test_inputs: (test points, inputs), on the same scale.
        ridge: penalty on the squared weights, per point; at 0 the fit of the smallest weights is taken,
            so that repeated inputs do no harm.
    """
    means, offsets = targets.mean(axis=0), inputs.mean(axis=0)
    centred, outputs = inputs - offsets, targets - means
    if ridge:
        gram = centred.T @ centred
        gram[np.diag_indices_from(gram)] += ridge * len(inputs)
        weights = np.linalg.solve(gram, centred.T @ outputs)
    else:
        weights = np.linalg.lstsq(centred, outputs, rcond=None)[0]
    return (test_inputs - offsets) @ weights + means


def r_squared(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """1 - squared error / variance of each column, whose values must vary.

    Example:
        >>> r_squared(np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]]))
        array([0.5])
    """
    errors = ((truth - predicted) ** 2).sum(axis=0)
    return 1.0 - errors / ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)


def random_features(
    train: FloatArray, test: FloatArray, width: int, random_state: np.random.RandomState
) -> tuple[FloatArray, FloatArray]:
    """Standardised inputs of both sets, then `width` random Fourier features of them.

    The features have frequencies at scales from a quarter of the typical distance between points to all of it.
    """
    num_inputs = train.shape[1]
    scales = np.exp2(random_state.uniform(-2.0, 0.0, size=width)) * np.sqrt(num_inputs)
    frequencies = random_state.normal(size=(num_inputs, width)) / scales
    phases = random_state.uniform(0.0, 2.0 * np.pi, size=width)
    both = (np.hstack([inputs, np.cos(inputs @ frequencies + phases)]) for inputs in (train, test))
    return next(both), next(both)
