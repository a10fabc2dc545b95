"""A plugin of causal_disent with one metric: how much of the factors the codes say linearly."""

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_pairs
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics import Result, metric, points


@dataclass(frozen=True)
class ExplainedVarianceResult(Result):
    """What `explained_variance` returns: the score, and that of each factor."""

    score: float
    per_factor: np.ndarray


@metric(
    "explained_variance",
    needs=points(num_train=1000),
    reports={"explained_variance": "score", "explained_variance_factor_{factor}": "per_factor"},
    range=(0, 1),
    summary="variance of the factors explained linearly",
    assumes="ordered factors; any number of codes",
    takes=("discrete", "continuous"),
    invariances=("permutation", "rescaling"),
)
def explained_variance(codes, factors):
    r"""Share of the factors' variance that a linear map of the codes explains.

    .. math:: 1 - \sum |g - A z - b|^2 / \sum |g - \bar g|^2, \text{ with the best A and b}

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows.

    Returns:
        `ExplainedVarianceResult`. The score is in [0, 1], higher is better; 0 if no factor varies.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> round(explained_variance(3 * v - 1, v).score, 6)
        1.0
    """
    codes, factors = check_pairs(codes, factors)
    inputs = np.column_stack([codes, np.ones(len(codes))])
    solution = np.linalg.lstsq(inputs, factors, rcond=None)[0]
    left = ((factors - inputs @ solution) ** 2).sum(axis=0)
    total = ((factors - factors.mean(axis=0)) ** 2).sum(axis=0)
    per_factor = 1.0 - np.divide(left, total, out=np.full(len(total), np.nan), where=total > 0)
    return ExplainedVarianceResult(float(1.0 - left.sum() / total.sum()) if total.any() else 0.0, per_factor)


@hookimpl
def register_metrics(register):
    register(explained_variance)
