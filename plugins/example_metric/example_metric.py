"""A plugin of causal_disent with one metric: how much of the factors the codes say linearly."""

import numpy as np

from causal_disent.errors import InvalidInput
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics.tools.sampling import sample_codes


def explained_variance(
    ground_truth_data, representation_function, random_state, artifact_dir=None, num_train=1000, batch_size=16
):
    r"""Share of the factors' variance that a linear map of the codes explains.

    .. math:: 1 - \sum |g - A z - b|^2 / \sum |g - \bar g|^2, \text{ with the best A and b}

    Example:
        >>> from causal_disent import get_dataset, get_representation
        >>> data = get_dataset("candle_mini")
        >>> explained_variance(data, get_representation("perfect_oracle", data), np.random.RandomState(0))
        {'explained_variance': 1.0}

    Returns:
        ``explained_variance``, in [0, 1], higher is better; 0 if no factor varies.
    """
    codes, factors = sample_codes(ground_truth_data, representation_function, num_train, random_state, batch_size)
    if not np.isfinite(codes).all():
        raise InvalidInput("`codes` must be finite; the encoder gave infinite numbers or NaN.")
    inputs = np.column_stack([codes, np.ones(len(codes))])
    solution = np.linalg.lstsq(inputs, factors, rcond=None)[0]
    residual = ((factors - inputs @ solution) ** 2).sum()
    total = ((factors - factors.mean(axis=0)) ** 2).sum()
    return {"explained_variance": float(1.0 - residual / total) if total > 0 else 0.0}


@hookimpl
def register_metrics(register):
    register(
        "explained_variance",
        explained_variance,
        summary="variance of the factors explained linearly",
        assumes="ordered factors; any number of codes",
        headline="explained_variance",
        better="higher",
        range=(0, 1),
        invariances=("permutation", "rescaling"),
    )
