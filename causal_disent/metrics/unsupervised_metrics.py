"""How far codes depend on each other; no factors needed (Locatello et al. 2019, arXiv:1811.12359)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_at_least, check_matrix
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.metrics.tools.information import codes_in_bins, mutual_information_matrix
from causal_disent.metrics.tools.sampling import sample_codes
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation

__all__ = [
    "UnsupervisedResult",
    "compute_unsupervised_metrics",
    "gaussian_total_correlation",
    "gaussian_wasserstein_correlation",
    "unsupervised_scores",
]


@dataclass(frozen=True)
class UnsupervisedResult:
    """What `unsupervised_scores` returns; 0 means independent, and lower is better.

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


def unsupervised_scores(codes: FloatArray, *, num_bins: int = 20) -> UnsupervisedResult:
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
        num_bins: equally wide bins per code, for MI; compare scores only at equal bins.

    Returns:
        `UnsupervisedResult`. All scores are at least 0, lower is more independent. Codes that never vary
        depend on nothing; TC is infinite where a code is a linear function of others.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> unsupervised_scores(v).mutual_info_score
        0.0
    """
    codes = _check_codes(codes)
    check_at_least(1, num_bins=num_bins)
    return _result(codes, histogram_discretizer(codes, num_bins))


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


def _check_codes(codes: Any) -> FloatArray:
    codes = check_matrix("codes", codes, columns="codes")
    if min(codes.shape) < 2:
        raise errors.InvalidInput(
            f"At least 2 points and 2 codes are needed; given: {codes.shape[0]} and {codes.shape[1]}."
        )
    return codes


def _result(codes: FloatArray, binned_codes: IntArray) -> UnsupervisedResult:
    covariance = np.cov(codes, rowvar=False)
    constant = codes.min(axis=0) == codes.max(axis=0)
    covariance[constant] = covariance[:, constant] = (
        0.0  # the mean of equal numbers may be off by a rounding error
    )
    distance, total = gaussian_wasserstein_correlation(covariance), float(np.trace(covariance))
    information = mutual_information_matrix(binned_codes, binned_codes)
    pairs = information[~np.eye(len(information), dtype=bool)]
    return UnsupervisedResult(
        gaussian_total_correlation(covariance),
        distance,
        distance / total if total > 0 else 0.0,
        float(pairs.mean()),
        information,
    )


def compute_unsupervised_metrics(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 10_000,
    batch_size: int = 16,
) -> dict[str, Any]:
    """`unsupervised_scores` of `num_train` sampled points, with the bins of gin's ``discretizer``.

    Returns:
        ``gaussian_total_correlation``, ``gaussian_wasserstein_correlation``,
        ``gaussian_wasserstein_correlation_norm`` and ``mutual_info_score``.
    """
    codes, _ = sample_codes(ground_truth_data, representation_function, num_train, random_state, batch_size)
    codes = _check_codes(codes)
    result = _result(codes, codes_in_bins(codes))
    return {
        "gaussian_total_correlation": result.gaussian_total_correlation,
        "gaussian_wasserstein_correlation": result.gaussian_wasserstein_correlation,
        "gaussian_wasserstein_correlation_norm": result.gaussian_wasserstein_correlation_norm,
        "mutual_info_score": result.mutual_info_score,
    }
