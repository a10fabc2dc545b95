"""How far the codes' Gaussians are from the standard normal."""

from __future__ import annotations

from torch import Tensor


def gaussian_kl(mean: Tensor, log_var: Tensor) -> Tensor:
    r"""Kullback-Leibler divergence from the prior, averaged over the batch.

    .. math:: \frac1n \sum_i \frac12 \sum_j (\mu_{ij}^2 + e^{l_{ij}} - l_{ij} - 1)

    Args:
        mean: (n, codes).
        log_var: (n, codes).

    Returns:
        A scalar, at least 0; 0 if every Gaussian is the standard normal.

    Example:
        >>> import torch
        >>> gaussian_kl(torch.ones(3, 2), torch.zeros(3, 2))
        tensor(1.)
    """
    return 0.5 * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean()
