"""How far codes depend on each other; no factors needed (Locatello et al. 2019, arXiv:1811.12359)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_matrix
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.information import GIN_BINS, Bins, in_bins, mutual_information_matrix
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.recount import Again
from causal_disent.metrics.tools.result import Result
from causal_disent.protocols import FloatArray


@dataclass(frozen=True)
class UnsupervisedResult(Result, score="gaussian_total_correlation"):
    """What `unsupervised_metrics` returns; 0 means independent, and lower is better.

    Attributes:
        gaussian_total_correlation: in nats, at least 0.
        gaussian_wasserstein_correlation: squared distance, at least 0, in the codes' squared units.
        gaussian_wasserstein_correlation_norm: the same over the total variance.
        mutual_info_score: mean over the pairs of codes, in nats, at least 0.
        information: (codes, codes) mutual information of the binned codes.
    """

    gaussian_total_correlation: float
    gaussian_wasserstein_correlation: float
    gaussian_wasserstein_correlation_norm: float
    mutual_info_score: float
    information: FloatArray


def _covariance(codes: FloatArray) -> FloatArray:
    covariance = np.cov(codes, rowvar=False)
    constant = codes.min(axis=0) == codes.max(axis=0)
    # The mean of equal numbers may be off by a rounding error.
    covariance[constant] = covariance[:, constant] = 0.0
    return covariance


def _again(codes: FloatArray, factors: Any, **_: Any) -> Again:
    """The first score of other draws alone: it is of the covariance, and the same in any order."""
    return Again(
        lambda rows: gaussian_total_correlation(_covariance(codes[rows])),
        lambda order: gaussian_total_correlation(_covariance(codes)),
    )


@metric(
    "unsupervised_metrics",
    needs=points(),
    reports={
        name: name
        for name in (
            "gaussian_total_correlation",
            "gaussian_wasserstein_correlation",
            "gaussian_wasserstein_correlation_norm",
            "mutual_info_score",
        )
    },
    range=(0, inf),
    better="lower",
    by_chance="none: no factor is looked at",
    compared="disentanglement_lib 1.5, 13 stored cases: the same to rounding",
    summary="how far the codes are from independent",
    assumes="nothing of the factors; two or more codes",
    takes=(),
    also=("gaussian_wasserstein_correlation_norm", "mutual_info_score"),
    invariances=("permutation", "rescaling"),
    known_failures={"perfect_beats_noise": "codes of noise are as independent as perfect ones"},
    supplies=GIN_BINS,
    resampling={"again": _again},
)
def unsupervised_metrics(codes: FloatArray, factors: Any = None, *, num_bins: Bins = 20) -> UnsupervisedResult:
    r"""How far the codes are from independent.

    With :math:`\Sigma` the covariance of the codes and :math:`D` its diagonal,

    .. math::
        TC = \tfrac12 (\log\det D - \log\det\Sigma), \quad
        W = 2 \operatorname{tr} \Sigma - 2 \operatorname{tr} (D^{1/2} \Sigma D^{1/2})^{1/2}, \quad
        MI = \frac{1}{m (m - 1)} \sum_{j \ne k} I(z_j; z_k)

    TC and W compare a Gaussian of that covariance with the product of its marginals.

    Assumes: nothing of the factors. At least two codes; TC and W see linear dependence alone.

    Args:
        codes: (points, codes) floats, at least two of each.
        factors: not looked at.
        num_bins: as for `mig`, for MI.

    Returns:
        `UnsupervisedResult`. All scores are at least 0, lower is more independent. Codes that never vary
        depend on nothing; TC is infinite where a code is a linear function of others.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> unsupervised_metrics(v).mutual_info_score
        0.0
    """
    codes = check_matrix("codes", codes, columns="codes")
    if min(codes.shape) < 2:
        raise errors.InvalidInput(
            f"At least 2 points and 2 codes are needed; given: {codes.shape[0]} and {codes.shape[1]}."
        )
    covariance = _covariance(codes)
    distance, total = gaussian_wasserstein_correlation(covariance), float(np.trace(covariance))
    binned = in_bins(codes, num_bins)
    information = mutual_information_matrix(binned, binned)
    pairs = information[~np.eye(len(information), dtype=bool)]
    return UnsupervisedResult(
        gaussian_total_correlation(covariance),
        distance,
        distance / total if total > 0 else 0.0,
        float(pairs.mean()),
        information,
    )


def gaussian_total_correlation(covariance: FloatArray) -> float:
    """Kullback-Leibler divergence of a Gaussian from the product of its marginals, in nats.

    Example:
        >>> round(gaussian_total_correlation(np.array([[1.0, 0.9], [0.9, 1.0]])), 3)
        0.83
    """
    variances = np.diag(covariance)
    varies = variances > 0
    deviations = np.sqrt(variances[varies])
    correlation = covariance[np.ix_(varies, varies)] / np.outer(deviations, deviations)
    if not varies.any():
        return 0.0
    eigenvalues = np.linalg.eigvalsh(correlation)
    # The tolerance of np.linalg.matrix_rank: below it an eigenvalue is a rounded zero.
    if eigenvalues[0] <= eigenvalues[-1] * len(eigenvalues) * np.finfo(np.float64).eps:
        return float("inf")
    return max(float(-0.5 * np.linalg.slogdet(correlation)[1]), 0.0)


def gaussian_wasserstein_correlation(covariance: FloatArray) -> float:
    """Squared 2-Wasserstein distance of a Gaussian to the product of its marginals.

    Example:
        >>> gaussian_wasserstein_correlation(np.diag([1.0, 4.0]))
        0.0
    """
    deviations = np.sqrt(np.diag(covariance))
    # D Sigma, whose root the distance needs, has the eigenvalues of this symmetric matrix.
    eigenvalues = np.linalg.eigvalsh(covariance * np.outer(deviations, deviations))
    roots = np.sqrt(np.clip(eigenvalues, 0.0, None))
    return max(float(2 * np.trace(covariance) - 2 * roots.sum()), 0.0)
