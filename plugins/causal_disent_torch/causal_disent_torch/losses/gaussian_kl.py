"""The codes' Gaussians: draws from them, and how far they are from the standard normal."""

from __future__ import annotations

import torch
from torch import Tensor


def draw_codes(mean: Tensor, log_var: Tensor, noise: Tensor) -> Tensor:
    r"""Codes (n, codes) that follow the weights of the encoder: :math:`\mu + e^{l / 2} \epsilon`."""
    return mean + torch.exp(log_var / 2) * noise


def batch_mean(values: Tensor) -> Tensor:
    """The mean of (n,) values."""
    return values.mean()


def gaussian_kl(mean: Tensor, log_var: Tensor) -> Tensor:
    r"""Kullback-Leibler divergence from the prior, averaged over the batch.

    .. math:: \frac1n \sum_i \frac12 \sum_j (\mu_{ij}^2 + e^{l_{ij}} - l_{ij} - 1)

    Args:
        mean: (n, codes).
        log_var: (n, codes).

    Returns:
        A scalar, at least 0; 0 if every Gaussian is the standard normal.

    Example:
        >>> gaussian_kl(torch.ones(3, 2), torch.zeros(3, 2))
        tensor(1.)
    """
    return 0.5 * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean()
