"""Separated attribute predictability, SAP (Kumar et al. 2018, arXiv:1711.00848, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.arguments import Pairs, check_train_test, varying_factors
from causal_disent.metrics.tools.convergence import fit_counted, fits_of
from causal_disent.metrics.tools.fixed_data import VALIDATION_ARGUMENTS, encode_fixed, split
from causal_disent.metrics.tools.sampling import sample_codes
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation
from causal_disent.registry import part

__all__ = ["SapResult", "compute_sap", "compute_sap_on_fixed_data", "sap", "top_two_gaps"]

#: Codes of less variance than this explain nothing of a continuous factor.
SMALLEST_VARIANCE = 1e-12


@dataclass(frozen=True)
class SapResult:
    """What `sap` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) gap of each factor; NaN for one that never varies.
        matrix: (codes, factors) how well a code alone predicts a factor; NaN in the same columns.
    """

    score: float
    per_factor: FloatArray
    matrix: FloatArray


@fits_of("sap")
def sap(train: Pairs, test: Pairs, *, continuous_factors: bool = False, seed: int = 0) -> SapResult:
    r"""Gap between the two codes that predict each factor best, each code alone.

    .. math:: SAP = \frac1n \sum_i \left(S_{(1)i} - S_{(2)i}\right)

    where :math:`S_{ji}` is the test accuracy of a linear support vector machine that predicts factor i from
    code j (C = 0.01, classes weighted evenly), or, for continuous factors, the squared correlation of the
    two in the training set; (1) and (2) are the two best codes.

    Assumes: at least two codes, any number of factors. Discrete factors, or continuous ones with
    `continuous_factors`. Independent factors: where they are correlated, a perfect code of one predicts the
    other too, and the gap shrinks.

    Args:
        train: codes (points, codes), at least two, and factors (points, factors) of the same points.
            Factors that never vary in it are left out, with a warning.
        test: the same of other points; not used for continuous factors.
        continuous_factors: whether the factors are numbers on a scale rather than classes.
        seed: of the support vector machines.

    Returns:
        `SapResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        >>> sap((v, v), (v, v)).score
        0.5
    """
    train, test = check_train_test(train, test, min_codes=2)
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    varying = varying_factors(train[1], "sap")
    matrix = np.full((num_codes, num_factors), np.nan)
    if continuous_factors:
        matrix[:, varying] = _squared_correlations(train[0], train[1][:, varying])
    else:
        matrix[:, varying] = _accuracies(train, test, varying, seed)
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


def _accuracies(train: Pairs, test: Pairs, columns: IntArray, seed: int) -> FloatArray:
    """(codes, columns): how often the factor of a test point is predicted from one code."""
    from sklearn.svm import LinearSVC

    codes, test_codes = (np.asarray(points, dtype=np.float64) for points in (train[0], test[0]))
    scores = np.empty((codes.shape[1], len(columns)))
    for j in range(codes.shape[1]):
        for i, column in enumerate(columns):
            machine = LinearSVC(C=0.01, class_weight="balanced", random_state=seed)
            fit_counted(machine, codes[:, [j]], train[1][:, column])
            scores[j, i] = np.mean(machine.predict(test_codes[:, [j]]) == test[1][:, column])
    return scores


def compute_sap(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 10_000,
    num_test: int = 5_000,
    batch_size: int = 16,
    continuous_factors: bool = False,
) -> dict[str, Any]:
    """`sap` of `num_train` and `num_test` sampled points; gin's ``sap_score``.

    Returns:
        ``SAP_score``.
    """
    train, test = (
        sample_codes(ground_truth_data, representation_function, num_points, random_state, batch_size)
        for num_points in (num_train, num_test)
    )
    seed = int(random_state.randint(2**31 - 1))  # after the last draw, so that it shifts none
    return {"SAP_score": sap(train, test, continuous_factors=continuous_factors, seed=seed).score}


@part("sap_score_validation", supplied=VALIDATION_ARGUMENTS)
def compute_sap_on_fixed_data(
    observations: FloatArray,
    labels: IntArray,
    representation_function: Representation,
    train_percentage: float = 0.9,
    continuous_factors: bool = False,
    batch_size: int = 100,
) -> dict[str, Any]:
    """`sap` of given observations (points, ...) and labels (factors, points); gin's ``sap_score_validation``.

    Returns:
        ``SAP_score``.
    """
    codes, factors = encode_fixed(observations, labels, representation_function, batch_size)
    train, test = split(codes, factors, train_percentage)
    return {"SAP_score": sap(train, test, continuous_factors=continuous_factors).score}
