"""Random Fourier features: what makes a linear probe as large as one likes."""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray


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
