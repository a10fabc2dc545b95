"""``l2``: the squared distance of the first codes from the labels."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from causal_disent.arguments import check_truth
from causal_disent.training.network_checks import check_enough_codes
from causal_disent_torch.supervision.scaled import normalise


class L2(nn.Module):
    r"""Squared error between labels and codes, one code per factor.

    .. math:: \sum_{ij} (b z_{ij} - y_{ij})^2 \quad\text{or}\quad \sum_{ij} (\sigma(z_{ij}) - y_{ij} / k_j)^2

    The first with a learned scale b, the second without, where :math:`k_j` is the number of values of factor j.
    """

    def __init__(self, num_latent: int, factor_sizes: Sequence[int], learn_scale: bool = True) -> None:
        super().__init__()
        check_enough_codes(num_latent, factor_sizes)
        self.factor_sizes = [int(size) for size in factor_sizes]
        self.scale = nn.Parameter(torch.ones(())) if learn_scale else None

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        used = codes[:, : labels.shape[1]]
        if self.scale is None:
            return (used.sigmoid() - normalise(labels, self.factor_sizes)).square().sum()
        return (used * self.scale - labels).square().sum()


def l2(num_latent: int, factor_sizes: Sequence[int], generator: torch.Generator, learn_scale: bool = True) -> L2:
    """Squared error."""
    check_truth("l2.learn_scale", learn_scale)
    return L2(num_latent, factor_sizes, learn_scale)
