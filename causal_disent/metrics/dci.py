"""Disentanglement, completeness, informativeness (Eastwood and Williams 2018, openreview By-7dz-AZ)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import Pairs, check_random_state, varying_factors
from causal_disent.metrics.tools.code_groups import CodeGroups, all_groups, summed
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.estimators import Estimator, estimator_named, name_of
from causal_disent.metrics.tools.fitting import (
    Problem,
    accuracies,
    check_labelled,
    fit_each,
    importances,
    problems_of,
)
from causal_disent.metrics.tools.needs import train_test
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.splitting import TEST_SHARE
from causal_disent.metrics.tools.takes import COLUMNS, IN_GROUPS
from causal_disent.protocols import FloatArray, IntArray

#: Added to every importance, so that a code or factor without any is spread evenly: entropy 1, score 0.
SMALLEST_IMPORTANCE = 1e-11


@dataclass(frozen=True)
class DciResult(Result, score="disentanglement"):
    """What `dci` returns.

    Attributes:
        disentanglement: in [0, 1]; 1 if each code counts for one factor only.
        completeness: in [0, 1]; 1 if each factor is predicted from one code only.
        informativeness_train: mean accuracy of the predictions on the training points.
        informativeness_test: the same on the test points.
        importance: (codes, factors) how much each code counts in predicting each factor; a column sums to 1,
            or to 0 for a factor that never varies.
        disentanglement_per_code: (codes,).
        completeness_per_factor: (factors,); NaN for a factor that never varies.
        estimator: the name of what predicted.
    """

    disentanglement: float
    completeness: float
    informativeness_train: float
    informativeness_test: float
    importance: FloatArray
    disentanglement_per_code: FloatArray
    completeness_per_factor: FloatArray
    estimator: str


@metric(
    "dci",
    needs=train_test(),
    reports={
        name: name
        for name in (
            "disentanglement",
            "completeness",
            "informativeness_train",
            "informativeness_test",
            "estimator",
        )
    },
    range=(0, 1),
    by_chance="near 0",
    compared="disentanglement_lib 1.5, 3 stored cases: as near as its own runs are to each other",
    summary="does each code matter to one factor, and each factor need one code?",
    assumes="independent factors; any number of codes",
    resampling={"points": 1000, "options": {"estimator": "histogram_boosting"}, "words": "by histogram boosting"},
    takes={"discrete": {}, "continuous": {"continuous": COLUMNS}, **IN_GROUPS},
    also=("completeness", "informativeness_test"),
    invariances=("rescaling",),
    renamed={"estimator": "estimator_fn"},
    fast={"estimator": "histogram_boosting"},
    validation="dci_validation",
)
def dci(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    estimator: str | Estimator = "gradient_boosting",
    continuous: Sequence[int] = (),
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> DciResult:
    r"""Does each code count for one factor, does each factor need one code, and is it predicted at all?

    .. math::
        D = \sum_j w_j \left(1 - H_n\left(\frac{R_{j\cdot}}{\sum_i R_{ji}}\right)\right), \qquad
        C = \sum_i v_i \left(1 - H_m\left(\frac{R_{\cdot i}}{\sum_j R_{ji}}\right)\right)

    where :math:`R_{ji}` is the importance of code j in a classifier that predicts factor i, :math:`H_n` the
    entropy to the base n, the number of factors (m: of codes), and the weights are the shares of R in the row
    of a code, :math:`w_j`, or in the column of a factor, :math:`v_i`. Informativeness is the accuracy.

    Assumes: factors that are discrete or named in `continuous`. Independent factors: where they are correlated, a
    perfect code of one helps to
    predict the other too, and counts for both.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Factors that never vary are left out, with a warning.
        test: codes and factors of other points, or the share of the points to hold out, for the informativeness.
        estimator: ``"gradient_boosting"`` (disentanglement_lib's), ``"histogram_boosting"`` (the same trees on
            binned codes, twenty to forty times as fast), ``"random_forest"``, ``"l1_logistic"``, or a function
            that makes a classifier with ``feature_importances_`` or ``coef_``. Compare scores of one estimator.
        continuous: indices of factors that are numbers on a scale. Regressors predict them (boosted trees, or a
            forest for ``"random_forest"``), and their informativeness is R², not below 0.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code:
            its importance is the sum of theirs; codes in no block stay alone.
        random_state: seed or generator, of the points held out and the estimators.
        num_jobs: factors to fit at a time; by default as many as there are cores.

    Returns:
        `DciResult`. All scores are in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> result = dci(v, v, test=(v, v), estimator="histogram_boosting")
        >>> round(result.disentanglement, 6), round(result.completeness, 6), result.informativeness_test
        (1.0, 1.0, 1.0)
    """
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator, continuous)
    make = estimator_named(estimator)
    varying = varying_factors(train[1], "dci")
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    groups = all_groups(code_groups, num_codes)

    def finish(model: Any, problem: Problem) -> tuple[FloatArray, tuple[float, float]]:
        return importances(model, num_codes), accuracies(model, problem)

    fits = fit_each(make, problems_of(train, held_out, varying, continuous), finish, generator, num_jobs)
    matrix = summed(np.stack([column for column, _ in fits], axis=1), groups)
    train_accuracy, test_accuracy = np.mean([accuracy for _, accuracy in fits], axis=0)
    everywhere, per_factor = np.zeros((len(groups), num_factors)), np.full(num_factors, np.nan)
    everywhere[:, varying], per_factor[varying] = matrix, completeness_per_factor(matrix)
    return DciResult(
        disentanglement(matrix),
        completeness(matrix),
        float(train_accuracy),
        float(test_accuracy),
        everywhere,
        disentanglement_per_code(matrix),
        per_factor,
        name_of(make),
    )


def disentanglement_per_code(importance: FloatArray) -> FloatArray:
    """1 less the entropy of each row of (codes, factors), to the base of the number of factors.

    Example:
        >>> disentanglement_per_code(np.array([[1.0, 0.0], [0.5, 0.5]])).round(6)
        array([1., 0.])
    """
    return _one_less_entropy(importance)


def completeness_per_factor(importance: FloatArray) -> FloatArray:
    """1 less the entropy of each column of (codes, factors), to the base of the number of codes."""
    return _one_less_entropy(importance.T)


def disentanglement(importance: FloatArray) -> float:
    """The mean over codes, weighted with the share of the importance that each has."""
    return _weighted(disentanglement_per_code(importance), importance.sum(axis=1))


def completeness(importance: FloatArray) -> float:
    """The mean over factors, weighted with the share of the importance that each has."""
    return _weighted(completeness_per_factor(importance), importance.sum(axis=0))


def _one_less_entropy(rows: FloatArray) -> FloatArray:
    if rows.shape[1] == 1:
        return np.ones(len(rows))  # nothing to be spread over
    from scipy.stats import entropy

    return 1.0 - entropy(rows + SMALLEST_IMPORTANCE, base=rows.shape[1], axis=1)


def _weighted(scores: FloatArray, weights: FloatArray) -> float:
    return float(np.average(scores, weights=weights if weights.sum() > 0 else None))
