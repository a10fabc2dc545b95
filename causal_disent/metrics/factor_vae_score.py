"""The FactorVAE metric (Kim & Mnih 2018, arXiv:1802.05983)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_pairs, check_random_state
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
from causal_disent.registry import part


@dataclass(frozen=True)
class FactorVaeResult(Result, score="eval_accuracy"):
    """What `factor_vae_score` returns; chance is 1 over the number of factors.

    Attributes:
        train_accuracy: in [0, 1], higher is better; on the votes that decide which factor a code stands for.
        eval_accuracy: in [0, 1], higher is better.
        num_active_codes: how many codes vary enough to be voted for.
        votes: (factors, codes) training votes.
    """

    train_accuracy: float
    eval_accuracy: float
    num_active_codes: int
    votes: IntArray


@part("prune_dims", supplied=("variances",))
def prune_dims(variances: FloatArray, threshold: float = 0.0) -> np.ndarray:
    """Which codes are active: those with a standard deviation of at least `threshold`."""
    return np.sqrt(variances) >= threshold


def factor_vae_of_variances(
    train: Labelled, test: Labelled, global_variances: FloatArray, active: np.ndarray, num_factors: int
) -> FactorVaeResult:
    """The last step: count votes and score them.

    Args:
        train: variances within batches (votes, codes), and the factor fixed in each (votes,).
        test: the same of other votes.
        global_variances: (codes,) of points without a fixed factor.
        active: (codes,) booleans; the other codes get no votes.
        num_factors: how many factors there are.
    """
    if not active.any():
        return FactorVaeResult(0.0, 0.0, 0, np.zeros((num_factors, len(active)), dtype=np.int64))
    votes, test_votes = (
        _votes(variances, fixed, global_variances, active, num_factors) for variances, fixed in (train, test)
    )
    factor_of_code = votes.argmax(axis=0)
    train_accuracy, eval_accuracy = (
        float(np.take_along_axis(counts, factor_of_code[None], axis=0).sum() / counts.sum())
        for counts in (votes, test_votes)
    )
    return FactorVaeResult(train_accuracy, eval_accuracy, int(active.sum()), votes)


def _votes(
    variances: FloatArray, fixed: IntArray, global_variances: FloatArray, active: np.ndarray, num_factors: int
) -> IntArray:
    """(factors, codes): how often each code varied least while each factor was fixed."""
    least = np.argmin(variances[:, active] / global_variances[active], axis=1)
    votes = np.zeros((num_factors, len(active)), dtype=np.int64)
    np.add.at(votes, (fixed, np.flatnonzero(active)[least]), 1)
    return votes


def _active_codes(codes: FloatArray, **threshold: float) -> tuple[np.ndarray, FloatArray]:
    """Which codes are active, and the variances of all; `threshold` is gin's if it is not given."""
    variances = np.var(codes, axis=0, ddof=1) if len(codes) > 1 else np.zeros(codes.shape[1])
    # Without variance there is no ratio: a code that never varies would win every vote as not-a-number.
    varies = (codes.min(axis=0) != codes.max(axis=0)) & (variances > 0)
    return prune_dims(variances, **threshold) & varies, variances


def _batch_variances(codes: FloatArray) -> FloatArray:
    """(votes, points of a vote, codes) -> (votes, codes)."""
    return np.var(codes, axis=1, ddof=1)


def _of_votes(
    train: Labelled, test: Labelled, codes: FloatArray, num_factors: int, **threshold: float
) -> FactorVaeResult:
    """The result of votes, and of codes (points, codes) without a fixed factor."""
    active, variances = _active_codes(codes, **threshold)
    return factor_vae_of_variances(train, test, variances, active, num_factors)


@metric(
    "factor_vae_score",
    needs=Votes(
        {"batch_size": 64, "num_train": 10_000, "num_eval": 5_000, "num_variance_estimate": 10_000},
        _batch_variances,
        _of_votes,
        min_batch=2,
    ),
    reports={
        "eval_accuracy": "eval_accuracy",
        "train_accuracy": "train_accuracy",
        "num_active_dims": "num_active_codes",
    },
    range=(0, 1),
    by_chance="1 over the number of factors, or a little more",
    compared="disentanglement_lib 1.5, 16 stored cases: the same to rounding",
    summary="does the code that varies least tell which factor was fixed?",
    assumes="discrete, independent factors",
    resampling={"options": {"num_train": 1000, "num_eval": 500}, "words": "of 500 votes"},
    invariances=("permutation",),
)
def factor_vae_score(
    codes: FloatArray,
    factors: IntArray,
    *,
    batch_size: int = 64,
    num_train: int = 10_000,
    num_eval: int = 5_000,
    threshold: float = 0.0,
    random_state: np.random.RandomState | int = 0,
) -> FactorVaeResult:
    r"""Does the code that varies least tell which factor was held fixed?

    .. math:: j^* = \arg\min_j \frac{\mathrm{Var}(z_j \mid g_i = v)}{\mathrm{Var}(z_j)},
        \qquad \text{score} = P(\hat{\imath}(j^*) = i)

    where factor i and its value v are random, the first variance is over a batch of points with that value,
    and :math:`\hat{\imath}(j)` is the factor that most training votes for code j had.

    Assumes: discrete factors, each value in several points; any number of codes. Independent factors: where
    they are correlated, fixing one also fixes the codes of others.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Batches are drawn from these points.
        batch_size: points per batch, at least two.
        num_train: votes that decide which factor a code stands for.
        num_eval: votes to score.
        threshold: codes with a smaller standard deviation are left out; those that never vary always are.
            Under a config it is gin's ``prune_dims.threshold``.
        random_state: seed or generator.

    Returns:
        `FactorVaeResult`. Accuracies are in [0, 1], higher is better; 0 if no code is active.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> factor_vae_score(v, v, num_train=200, num_eval=100).eval_accuracy
        1.0
    """
    codes, factors = check_pairs(codes, factors)
    check_sizes(2, batch_size, num_train=num_train, num_eval=num_eval)
    generator = check_random_state(random_state)
    train, test = (_resampled(codes, factors, num, batch_size, generator) for num in (num_train, num_eval))
    return _of_votes(train, test, codes, factors.shape[1], threshold=threshold)


def _resampled(
    codes: FloatArray, factors: IntArray, num: int, batch_size: int, random_state: np.random.RandomState
) -> Labelled:
    """`num` votes from batches of the given points."""
    fixed = random_state.randint(factors.shape[1], size=num)
    first = random_state.randint(len(codes), size=num)
    batches = np.empty((num, batch_size), dtype=np.int64)
    for i in range(factors.shape[1]):
        batches[fixed == i] = points_sharing(factors[:, i], first[fixed == i], batch_size, random_state)
    return np.concatenate([_batch_variances(codes[batches[block]]) for block in blocks(num)]), fixed
