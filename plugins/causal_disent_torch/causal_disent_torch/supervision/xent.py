"""``xent``: the first codes are logits of the labels, scaled to [0, 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from causal_disent.training.network_checks import check_enough_codes
from causal_disent_torch.supervision.scaled import normalise


class Xent(nn.Module):
    r"""Cross entropy between labels and codes, one code per factor.

    .. math:: -\sum_{ij} \left( y_{ij} \log \sigma(z_{ij}) + (1 - y_{ij}) \log (1 - \sigma(z_{ij})) \right)

    with :math:`y_{ij}` the label divided by the number of its values.
    """

    def __init__(self, num_latent: int, factor_sizes: Sequence[int]) -> None:
        super().__init__()
        check_enough_codes(num_latent, factor_sizes)
        self.factor_sizes = [int(size) for size in factor_sizes]

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        target = normalise(labels, self.factor_sizes)
        return binary_cross_entropy_with_logits(codes[:, : labels.shape[1]], target, reduction="sum")


def xent(num_latent: int, factor_sizes: Sequence[int], generator: torch.Generator) -> Xent:
    """Cross entropy."""
    return Xent(num_latent, factor_sizes)
