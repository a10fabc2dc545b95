"""``embed``: each value of a factor has a place on the line, and a code should be near the place of its value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from causal_disent.arguments import check_truth
from causal_disent.config import REQUIRED
from causal_disent.training.network_checks import check_enough_codes, check_sigma


class Embed(nn.Module):
    r"""Cross entropy of the values under a softmax of squared distances, summed over the factors.

    .. math:: \sum_j \frac1n \sum_i -\log \frac{e^{-(\sigma (z_{ij} - e_{j, y_{ij}}))^2}}
              {\sum_k e^{-(\sigma (z_{ij} - e_{jk}))^2}}

    Args:
        num_latent: number of codes.
        factor_sizes: number of values of each factor.
        sigma: how sharp the softmax is; ``"learn"`` to learn it, factor by factor.
        use_order: the places of a factor's values are equally spaced, in order; otherwise each is learned.
        generator: of the places at the start; seed 0 without it.
    """

    def __init__(
        self,
        num_latent: int,
        factor_sizes: Sequence[int],
        sigma: Any,
        use_order: bool = False,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        check_enough_codes(num_latent, factor_sizes)
        check_sigma(sigma)
        generator = torch.Generator().manual_seed(0) if generator is None else generator
        self.use_order = use_order
        self.sizes = [int(size) for size in factor_sizes]
        self.places = nn.ParameterList(
            [_glorot(1, 2, generator) if use_order else _glorot(size, size, generator) for size in self.sizes]
        )
        self.sigma = nn.Parameter(torch.ones(len(self.sizes))) if sigma == "learn" else float(sigma)

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        losses = []
        for factor, places in enumerate(self.places):
            if self.use_order:
                slope, start = places
                places = torch.arange(self.sizes[factor], device=codes.device) * slope + start
            sigma = self.sigma[factor] if isinstance(self.sigma, nn.Parameter) else self.sigma
            logits = -((codes[:, factor, None] - places) * sigma).square()
            losses.append(cross_entropy(logits, labels[:, factor].long()))
        return torch.stack(losses).sum()


def embed(
    num_latent: int,
    factor_sizes: Sequence[int],
    generator: torch.Generator,
    sigma: Any = REQUIRED,
    use_order: bool = False,
) -> Embed:
    """Distance from a learned place of each value."""
    check_truth("embed.use_order", use_order)
    return Embed(num_latent, factor_sizes, sigma, use_order, generator)


def _glorot(size: int, number: int, generator: torch.Generator) -> nn.Parameter:
    """`number` draws as TensorFlow initialises a vector of `size`, whose fans are both `size`."""
    limit = math.sqrt(3 / size)
    return nn.Parameter(torch.empty(number).uniform_(-limit, limit, generator=generator))
