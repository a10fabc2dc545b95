"""Mutual information gap (Chen et al. 2018, arXiv:1802.04942)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.arguments import check_at_least, check_pairs, varying_factors
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.metrics.tools.fixed_data import VALIDATION_ARGUMENTS, encode_fixed
from causal_disent.metrics.tools.information import codes_in_bins, entropies, mutual_information_matrix
from causal_disent.metrics.tools.sampling import sample_codes
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation
from causal_disent.registry import part

__all__ = ["MigResult", "compute_mig", "compute_mig_on_fixed_data", "mig", "mig_gaps"]


@dataclass(frozen=True)
class MigResult:
    """What `mig` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) gap of each factor; NaN for one that never varies.
        information: (codes, factors) mutual information in nats.
    """

    score: float
    per_factor: FloatArray
    information: FloatArray


def mig(codes: FloatArray, factors: IntArray, *, num_bins: int = 20) -> MigResult:
    r"""Gap between the two codes that say most about each factor.

    .. math:: MIG = \frac1n \sum_i \frac{I(z_{(1)}; g_i) - I(z_{(2)}; g_i)}{H(g_i)}

    where :math:`z_{(1)}` and :math:`z_{(2)}` are the codes with the most and the second most information
    on factor i.

    Assumes: discrete factors; at least two codes, any number of factors. Independent factors: where they are
    correlated, a perfect code of one has information on the other too, and the gap shrinks.

    Args:
        codes: (points, codes) floats, at least two codes.
        factors: (points, factors) integers, the same rows. Factors that never vary are left out, with a
            warning.
        num_bins: equally wide bins per code; compare scores only at equal bins.

    Returns:
        `MigResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mig(v, v, num_bins=2).score
        1.0
    """
    codes, factors = check_pairs(codes, factors, min_codes=2)
    check_at_least(1, num_bins=num_bins)
    return _result(histogram_discretizer(codes, num_bins), factors)


def mig_gaps(information: FloatArray, entropy: FloatArray) -> FloatArray:
    """Per factor, the largest less the second largest information (codes, factors), over the entropy."""
    second, first = np.sort(information, axis=0)[-2:]
    return (first - second) / entropy


def _result(binned_codes: IntArray, factors: IntArray) -> MigResult:
    varying = varying_factors(factors, "mig")
    information = mutual_information_matrix(binned_codes, factors)
    per_factor = np.full(factors.shape[1], np.nan)
    per_factor[varying] = mig_gaps(information[:, varying], entropies(factors[:, varying]))
    return MigResult(float(per_factor[varying].mean()), per_factor, information)


def compute_mig(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 10_000,
    batch_size: int = 16,
) -> dict[str, Any]:
    """`mig` of `num_train` sampled points, with the bins of gin's ``discretizer``.

    Returns:
        ``discrete_mig``.
    """
    codes, factors = sample_codes(ground_truth_data, representation_function, num_train, random_state, batch_size)
    return _keys(codes, factors)


@part("mig_validation", supplied=VALIDATION_ARGUMENTS)
def compute_mig_on_fixed_data(
    observations: FloatArray,
    labels: IntArray,
    representation_function: Representation,
    batch_size: int = 100,
) -> dict[str, Any]:
    """`mig` of given observations (points, ...) and labels (factors, points); gin's ``mig_validation``.

    Returns:
        ``discrete_mig``.
    """
    return _keys(*encode_fixed(observations, labels, representation_function, batch_size))


def _keys(codes: FloatArray, factors: IntArray) -> dict[str, Any]:
    codes, factors = check_pairs(codes, factors, min_codes=2)
    return {"discrete_mig": _result(codes_in_bins(codes), factors).score}
