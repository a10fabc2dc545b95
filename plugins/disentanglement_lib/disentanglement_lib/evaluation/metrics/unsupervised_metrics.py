"""Metrics that need no factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics.others import gaussian_total_correlation, gaussian_wasserstein_correlation
from disentanglement_lib._core import metric

__all__ = [
    "gaussian_total_correlation",
    "gaussian_wasserstein_correlation",
    "kl_gaussians_numerically_unstable",
    "unsupervised_metrics",
]

unsupervised_metrics = metric("unsupervised_metrics")


def kl_gaussians_numerically_unstable(mean_0: Any, cov_0: Any, mean_1: Any, cov_1: Any, k: int) -> Any:
    """Divergence of a Gaussian of k dimensions from another, by determinants and an inverse."""
    inverse, apart = np.linalg.inv(cov_1), mean_1 - mean_0
    volumes = np.log(np.linalg.det(cov_1) / np.linalg.det(cov_0))
    return (np.trace(inverse @ cov_0) + apart @ inverse @ apart - k + volumes) * 0.5
