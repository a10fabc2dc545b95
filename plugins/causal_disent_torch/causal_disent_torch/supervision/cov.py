"""``cov``: a code may vary with its own factor only."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class Cov(nn.Module):
    r"""Squared covariances between codes and labels, the diagonal left out.

    .. math:: \sum_{i \ne j} \mathrm{Cov}[z_i, y_j]^2
    """

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        covariance = (codes - codes.mean(0)).T @ (labels - labels.mean(0)) / len(codes)
        # The two triangles: the diagonal can be so large that subtracting it would leave rounding errors alone.
        squares = covariance.square()
        return squares.tril(-1).sum() + squares.triu(1).sum()


def cov(num_latent: int, factor_sizes: Sequence[int], generator: torch.Generator) -> Cov:
    """Covariance of codes with other factors than their own."""
    return Cov()
