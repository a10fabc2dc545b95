"""DIP-VAE: the covariance of the codes is drawn towards the identity (Kumar et al. 2018, equations 6 and 7)."""

from __future__ import annotations

import torch
from torch import Tensor


def code_covariance(mean: Tensor, log_var: Tensor, dip_type: str) -> Tensor:
    r"""Covariance (codes, codes) over the batch: of the means, or of the codes.

    .. math:: \mathrm{Cov}[\mu] \quad\text{or}\quad \mathrm{Cov}[\mu] + \mathrm{diag}(\frac1n \sum_i e^{l_i})

    Args:
        mean: (n, codes).
        log_var: (n, codes).
        dip_type: ``"i"`` for the means, ``"ii"`` for the codes.
    """
    centred = mean - mean.mean(0)
    covariance = centred.T @ centred / len(mean)
    return covariance if dip_type == "i" else covariance + torch.diag(log_var.exp().mean(0))


def dip_penalty(covariance: Tensor, lambda_od: float, lambda_d: float) -> Tensor:
    r"""Squared distance from the identity, with one weight off the diagonal and one on it.

    .. math:: \lambda_{od} \sum_{i \ne j} C_{ij}^2 + \lambda_d \sum_i (C_{ii} - 1)^2

    Example:
        >>> dip_penalty(torch.tensor([[2.0, 3.0], [3.0, 1.0]]), lambda_od=1.0, lambda_d=10.0)
        tensor(28.)
    """
    diagonal = covariance.diagonal()
    off_diagonal = covariance - torch.diag(diagonal)
    return lambda_od * off_diagonal.square().sum() + lambda_d * (diagonal - 1).square().sum()
