"""What of a factor is left once the codes that predict it best are gone.

A representation that keeps each factor in a code of its own forgets it then, and the other factors not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from causal_disent import errors
from causal_disent.checks import MatrixFunction, Pairs, check_at_least, check_random_state
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.estimators import GIN_PREDICTOR, Estimator, estimator_named
from causal_disent.metrics.tools.fitting import accuracies, check_labelled, fit_each, problems_of
from causal_disent.metrics.tools.matrices import factorwise_dci, matrix_of
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.sizes import Sizes
from causal_disent.metrics.tools.splitting import TEST_SHARE
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import part


@dataclass(frozen=True)
class ReducedDownstreamResult(Result):
    """What `reduced_downstream_task` returns.

    Attributes:
        removed: (factors, removed) the codes taken away for each factor, in their order.
        train_accuracy: (factors, factors); entry (i, k) is that of factor k without the codes of factor i.
        test_accuracy: the same on the test points.
    """

    removed: IntArray
    train_accuracy: FloatArray
    test_accuracy: FloatArray

    @property
    def score(self) -> float:
        """Mean test accuracy of the other factors."""
        return float(_reduced_and_others(self.test_accuracy)[1].mean())

    @property
    def gap(self) -> float:
        """The score less the mean test accuracy of the factors whose codes are gone."""
        return self.score - float(_reduced_and_others(self.test_accuracy)[0].mean())


@part("reduced_representation")
def reduced_representation(correlation_measure: MatrixFunction = factorwise_dci) -> MatrixFunction:
    """What decides which code of a factor goes: the one with the largest score."""
    return correlation_measure


def _keys(result: ReducedDownstreamResult, names: Sequence[str]) -> dict[str, float]:
    """For each factor i whose codes are gone ``reduced_factor_<i>:mean_train_accuracy_...`` with
    ``reduced_factor``, ``non_reduced_factor``, ``factor_<k>``; ``mean_train_accuracy_...`` with ``reduced_factor``
    and ``other_factors``; and all of these of ``test``."""
    keys = {}
    for name, accuracy in (("train", result.train_accuracy), ("test", result.test_accuracy)):
        reduced, others = _reduced_and_others(accuracy)
        for i, row in enumerate(accuracy):
            prefix = f"reduced_factor_{i}:mean_{name}_accuracy"
            keys[f"{prefix}_reduced_factor"] = float(reduced[i])
            keys[f"{prefix}_non_reduced_factor"] = float(others[i])
            keys.update({f"{prefix}_factor_{k}": float(value) for k, value in enumerate(row)})
        keys[f"mean_{name}_accuracy_reduced_factor"] = float(reduced.mean())
        keys[f"mean_{name}_accuracy_other_factors"] = float(others.mean())
    return keys


#: Arguments for boosted trees on binned codes throughout.
BY_HISTOGRAMS = {
    "estimator": "histogram_boosting",
    "measure": partial(factorwise_dci, estimator_fn="histogram_boosting"),
}


@metric(
    "reduced_downstream_task",
    needs=Sizes(),
    reports=_keys,
    headline="100:mean_test_accuracy_other_factors",
    range=(0, 1),
    by_chance="how often the most frequent value occurs, or near it",
    compared="disentanglement_lib 1.5, 2 stored cases: as near as its own runs are to each other",
    summary="how well without the codes that matter most?",
    assumes="discrete factors; several codes",
    resampling={"points": 500, "options": BY_HISTOGRAMS, "words": "by histogram boosting"},
    also=("mean_test_accuracy_reduced_factor (lower)",),
    invariances=("rescaling",),
    fast=BY_HISTOGRAMS,
    supplies={**GIN_PREDICTOR, "measure": lambda data: reduced_representation()},
)
def reduced_downstream_task(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    num_factors_to_remove: int = 1,
    estimator: str | Estimator = "gradient_boosting_classifier",
    measure: MatrixFunction = factorwise_dci,
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> ReducedDownstreamResult:
    r"""Accuracy for every factor without the codes that matter most to one of them.

    .. math:: A_{ik} = P\left(f_{ik}(z_{-C_i}) = g_k\right)

    where :math:`C_i` are the codes removed for factor i, one after the other, each the most important of those
    left, and :math:`f_{ik}` has learnt factor k from the rest.

    Assumes: discrete factors, at least two; more codes than are removed. Independent factors: where they are
    correlated, the codes of one still tell of the other.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows.
        test: codes and factors of other points, or the share of the points to hold out.
        num_factors_to_remove: how many codes to take away for each factor.
        estimator: what predicts (`causal_disent.metrics.tools.estimators`).
        measure: what tells the importance of codes, by default that of `dci`; a function of codes (codes,
            points) and factors (factors, points) of the training points, then of the test points.
        random_state: seed or generator, of the points held out and the classifiers.
        num_jobs: classifiers to fit at a time; by default as many as there are cores.

    Returns:
        `ReducedDownstreamResult`. Good codes have a low accuracy on the diagonal, a high one elsewhere.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> reduced_downstream_task(v, v, test=(v, v), estimator="histogram_boosting").test_accuracy
        array([[0.5, 1. ],
               [1. , 0.5]])
    """
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator, min_factors=2)
    check_at_least(0, num_factors_to_remove=num_factors_to_remove)
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    if num_factors_to_remove >= num_codes:
        raise errors.InvalidInput(
            f"`num_factors_to_remove` must leave a code of {num_codes}; given: {num_factors_to_remove}."
        )
    left = _codes_left(train, held_out, num_factors_to_remove, measure, generator)
    problems = [
        problem
        for kept in left
        for problem in problems_of((train[0][:, kept], train[1]), (held_out[0][:, kept], held_out[1]))
    ]
    fits = fit_each(estimator_named(estimator), problems, accuracies, generator, num_jobs)
    train_accuracy, test_accuracy = np.array(fits).T.reshape(2, num_factors, num_factors)
    removed = np.array([np.setdiff1d(np.arange(num_codes), kept) for kept in left])
    return ReducedDownstreamResult(removed, train_accuracy, test_accuracy)


def _codes_left(
    train: Pairs, test: Pairs, num_to_remove: int, measure: MatrixFunction, generator: np.random.RandomState
) -> list[IntArray]:
    """For each factor, the codes that stay."""
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    left: list[IntArray] = [np.arange(num_codes)] * num_factors
    if num_to_remove == 0:
        return left
    # At first all factors have the same codes, and one matrix tells the most important one of each.
    first = matrix_of(measure, train, test, generator)
    left = [np.delete(kept, column.argmax()) for kept, column in zip(left, first.T, strict=True)]
    for _ in range(1, num_to_remove):
        left = [
            np.delete(kept, _scores_of_factor(measure, train, test, kept, i, generator).argmax())
            for i, kept in enumerate(left)
        ]
    return left


def _scores_of_factor(
    measure: MatrixFunction,
    train: Pairs,
    test: Pairs,
    kept: IntArray,
    factor: int,
    generator: np.random.RandomState,
) -> FloatArray:
    """The scores of the codes in `kept` for one factor."""
    # The built-in measure takes factors one by one; a foreign one may compare them.
    columns = [factor] if _is_built_in(measure) else list(range(train[1].shape[1]))
    reduced, reduced_test = ((codes[:, kept], factors[:, columns]) for codes, factors in (train, test))
    return matrix_of(measure, reduced, reduced_test, generator)[:, columns.index(factor)]


def _is_built_in(measure: MatrixFunction) -> bool:
    return measure is factorwise_dci or getattr(measure, "__wrapped__", measure) is factorwise_dci.function


def _reduced_and_others(accuracy: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The diagonal, and the mean of the rest of each row."""
    diagonal = accuracy.diagonal()
    return diagonal, (accuracy.sum(axis=1) - diagonal) / (len(accuracy) - 1)
