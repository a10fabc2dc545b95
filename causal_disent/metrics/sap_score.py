"""Separated attribute predictability, SAP (Kumar et al. 2018, arXiv:1711.00848, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.checks import Pairs, check_choice, check_random_state, is_whole, varying_factors
from causal_disent.metrics.tools.convergence import fit_counted
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.needs import train_test
from causal_disent.metrics.tools.one_code_machines import machine_accuracies
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.splitting import TEST_SHARE, fit_and_test
from causal_disent.protocols import FloatArray, IntArray

#: Codes of less variance than this explain nothing of a continuous factor.
SMALLEST_VARIANCE = 1e-12

#: Of the support vector machines: what solves them, and the weight of the loss against the penalty.
SOLVERS = ("liblinear", "exact")
COST = 0.01

#: Codes that are larger are scaled down to this.
LARGEST_CODE = 1e9


@dataclass(frozen=True)
class SapResult(Result):
    """What `sap_score` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) gap of each factor; NaN for one that never varies.
        matrix: (codes, factors) how well a code alone predicts a factor; NaN in the same columns.
    """

    score: float
    per_factor: FloatArray
    matrix: FloatArray


@metric(
    "sap_score",
    needs=train_test(),
    reports={"SAP_score": "score"},
    range=(0, 1),
    by_chance="near 0, up to 0.08 for codes with few values",
    compared="disentanglement_lib 1.5, 19 stored cases: the same to rounding",
    summary="gap between the two codes that predict a factor best",
    assumes="independent factors, discrete unless continuous_factors; two or more codes",
    takes={"discrete": {}, "continuous": {"continuous_factors": True}},
    invariances=("permutation",),
    resampling={
        "points": 500,
        "options": {"solver": "exact"},
        "words": "by machines solved exactly",
        "unless": "continuous_factors",
    },
    validation="sap_score_validation",
)
def sap_score(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    continuous_factors: bool = False,
    solver: str = "liblinear",
    random_state: np.random.RandomState | int = 0,
) -> SapResult:
    r"""Gap between the two codes that predict each factor best, each code alone.

    .. math:: SAP = \frac1n \sum_i \left(S_{(1)i} - S_{(2)i}\right)

    where :math:`S_{ji}` is the test accuracy of a linear support vector machine that predicts factor i from
    code j (C = 0.01, classes weighted evenly), or, for continuous factors, the squared correlation of the
    two in the training set; (1) and (2) are the two best codes.

    Assumes: at least two codes, any number of factors. Discrete factors, or continuous ones with
    `continuous_factors`. Independent factors: where they are correlated, a perfect code of one predicts the
    other too, and the gap shrinks.

    Args:
        codes: (points, codes) floats, at least two codes.
        factors: (points, factors) numbers, the same rows. Factors that never vary are left out, with a warning.
        test: codes and factors of other points, or the share of the points to hold out; not used for continuous
            factors.
        continuous_factors: whether the factors are numbers on a scale rather than classes.
        solver: of the support vector machines: ``"liblinear"``, disentanglement_lib's, which stops near the
            optimum; or ``"exact"``, at it, several times as fast. Few points, if any, are told otherwise.
        random_state: seed or generator, of the points held out and the support vector machines.

    Returns:
        `SapResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        >>> sap_score(v, v, test=(v, v)).score
        0.5
    """
    check_choice("solver", solver, SOLVERS)
    train, held_out = fit_and_test(codes, factors, test, check_random_state(random_state), min_codes=2)
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    varying = varying_factors(train[1], "sap_score")
    matrix = np.full((num_codes, num_factors), np.nan)
    if continuous_factors:
        matrix[:, varying] = _squared_correlations(train[0], train[1][:, varying])
    else:
        seed: Any = random_state if is_whole(random_state) else check_random_state(random_state).randint(2**31 - 1)
        matrix[:, varying] = _accuracies(train, held_out, varying, seed, solver)
    per_factor = np.full(num_factors, np.nan)
    per_factor[varying] = top_two_gaps(matrix[:, varying])
    return SapResult(float(per_factor[varying].mean()), per_factor, matrix)


def top_two_gaps(matrix: FloatArray) -> FloatArray:
    """The largest less the second largest entry of each column."""
    second, first = np.sort(matrix, axis=0)[-2:]
    return first - second


def _squared_correlations(codes: FloatArray, factors: FloatArray | IntArray) -> FloatArray:
    """(codes, factors); 0 for a code that never varies."""
    centred = codes - codes.mean(axis=0, dtype=np.float64)
    targets = factors - factors.mean(axis=0, dtype=np.float64)
    freedom = max(len(codes) - 1, 1)
    code_variances = np.square(centred).sum(axis=0) / freedom
    target_variances = np.square(targets).sum(axis=0) / freedom
    varies = code_variances > SMALLEST_VARIANCE
    scores = np.square(centred.T @ targets / freedom)
    scores[varies] /= np.outer(code_variances[varies], target_variances)
    scores[~varies] = 0.0
    return scores


def _accuracies(train: Pairs, test: Pairs, columns: IntArray, seed: int, solver: str) -> FloatArray:
    """(codes, columns): how often the factor of a test point is predicted from one code."""
    codes, test_codes = (np.asarray(points, dtype=np.float64) for points in (train[0], test[0]))
    predict = _exactly if solver == "exact" else _by_liblinear
    scores = np.empty((codes.shape[1], len(columns)))
    for j in range(codes.shape[1]):
        # The machine of larger numbers is the same as far as can be told, but its search may never end.
        scale = max(np.abs(codes[:, j]).max() / LARGEST_CODE, 1.0)
        scores[j] = predict(
            codes[:, j] / scale, train[1][:, columns], test_codes[:, j] / scale, test[1][:, columns], seed
        )
    return scores


def _by_liblinear(
    code: FloatArray, factors: IntArray, test_code: FloatArray, test: IntArray, seed: int
) -> FloatArray:
    from sklearn import config_context
    from sklearn.svm import LinearSVC

    told = []
    # Checked already, and on so few numbers scikit-learn's checks take as long as the fit.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for factor in factors.T:
            machine = LinearSVC(C=COST, class_weight="balanced", random_state=seed)
            told.append(fit_counted(machine, code[:, None], factor).predict(test_code[:, None]))
    return np.mean(np.stack(told, axis=1) == test, axis=0)


def _exactly(code: FloatArray, factors: IntArray, test_code: FloatArray, test: IntArray, seed: int) -> FloatArray:
    labels, test_labels = [], []
    for factor, test_factor in zip(factors.T, test.T, strict=True):
        classes, own = np.unique(factor, return_inverse=True)
        places = np.minimum(np.searchsorted(classes, test_factor), len(classes) - 1)
        labels.append(own)
        test_labels.append(np.where(classes[places] == test_factor, places, -1))
    return machine_accuracies(code, labels, test_code, test_labels, COST)
