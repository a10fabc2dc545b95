"""The beta-VAE metric (Higgins et al. 2017, "beta-VAE: Learning Basic Visual Concepts", appendix A.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_pairs, check_random_state
from causal_disent.metrics.tools.convergence import fit_counted
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.fixed_factor import (
    Labelled,
    Votes,
    blocks,
    check_sizes,
    points_sharing,
)
from causal_disent.metrics.tools.result import Result
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class BetaVaeResult(Result, score="eval_accuracy"):
    """What `beta_vae_sklearn` returns; chance is 1 over the number of factors.

    Attributes:
        train_accuracy: in [0, 1], higher is better; on the points fitted to.
        eval_accuracy: in [0, 1], higher is better.
    """

    train_accuracy: float
    eval_accuracy: float


def _mean_differences(codes: FloatArray) -> FloatArray:
    """(votes, 2 B, codes), the first B of a vote paired with the last B -> (votes, codes)."""
    first, second = np.split(codes, 2, axis=1)
    return np.abs(first - second).mean(axis=1).astype(np.float64)


def beta_vae_of_differences(
    train: Labelled, test: Labelled, random_state: np.random.RandomState | int = 0
) -> BetaVaeResult:
    """The last step: fit differences (points, codes) and the shared factor of each (points,), and score."""
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(train[1])) < 2:
        raise errors.InvalidInput(
            "The training differences must share at least two different factors; given: factor "
            f"{train[1][0]} in all {len(train[1])}. Raise `num_train`."
        )
    # The metric is the accuracy at scikit-learn's default of 100 iterations, converged or not.
    model = fit_counted(LogisticRegression(random_state=random_state), *train)
    train_accuracy, eval_accuracy = (
        float(np.mean(model.predict(points) == shared)) for points, shared in (train, test)
    )
    return BetaVaeResult(train_accuracy, eval_accuracy)


@metric(
    "beta_vae_sklearn",
    needs=Votes(
        {"batch_size": 64, "num_train": 10_000, "num_eval": 5_000},
        _mean_differences,
        beta_vae_of_differences,
        pairs=True,
    ),
    reports={"eval_accuracy": "eval_accuracy", "train_accuracy": "train_accuracy"},
    range=(0, 1),
    by_chance="1 over the number of factors",
    compared="disentanglement_lib 1.5, 15 stored cases: the same to rounding",
    summary="do differences of codes tell which factor two points share?",
    assumes="discrete, independent factors, two or more",
    resampling={"options": {"num_train": 300, "num_eval": 300}, "words": "of 300 votes"},
)
def beta_vae_sklearn(
    codes: FloatArray,
    factors: IntArray,
    *,
    batch_size: int = 64,
    num_train: int = 10_000,
    num_eval: int = 5_000,
    random_state: np.random.RandomState | int = 0,
) -> BetaVaeResult:
    r"""Can one tell from the differences of codes which factor two points share?

    .. math:: x = \frac1B \sum_b |z_b - z'_b|, \qquad \text{score} = P(\hat{\imath}(x) = i)

    where the B pairs of points share the value of a random factor i, and :math:`\hat{\imath}` is a logistic
    regression fitted to other such x.

    Assumes: discrete factors, at least two, each value in several points; any number of codes. Independent
    factors: where two always move together, they cannot be told apart.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Pairs are drawn from these points.
        batch_size: B, pairs per difference.
        num_train: differences to fit to.
        num_eval: differences to score.
        random_state: seed or generator.

    Returns:
        `BetaVaeResult`. Accuracies are in [0, 1], higher is better; chance is 1 / factors. Codes and their
        rotation may score the same: the metric does not ask for one code per factor.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> beta_vae_sklearn(v, v, num_train=200, num_eval=100).score
        1.0
    """
    codes, factors = check_pairs(codes, factors, min_factors=2)
    check_sizes(1, batch_size, num_train=num_train, num_eval=num_eval)
    generator = check_random_state(random_state)
    train, test = (_resampled(codes, factors, num, batch_size, generator) for num in (num_train, num_eval))
    return beta_vae_of_differences(train, test, generator)


def _resampled(
    codes: FloatArray, factors: IntArray, num: int, batch_size: int, random_state: np.random.RandomState
) -> Labelled:
    """`num` differences of pairs among the given points."""
    shared = random_state.randint(factors.shape[1], size=num)
    first = random_state.randint(len(codes), size=(num, batch_size))
    second = np.empty_like(first)
    for i in range(factors.shape[1]):
        chosen = first[shared == i]
        second[shared == i] = points_sharing(factors[:, i], chosen.ravel(), 1, random_state).reshape(chosen.shape)
    pairs = np.concatenate([first, second], axis=1)
    return np.concatenate([_mean_differences(codes[pairs[block]]) for block in blocks(num)]), shared
