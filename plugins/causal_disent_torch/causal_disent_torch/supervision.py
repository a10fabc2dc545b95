"""How the codes of labelled images are compared with their labels; configs have the names of the functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from causal_disent.checks import check_truth
from causal_disent.config import REQUIRED
from causal_disent.training.networks import check_enough_codes, check_sigma


def normalise(labels: Tensor, factor_sizes: Sequence[int]) -> Tensor:
    """Labels divided by the number of values of their factor, so that they are in [0, 1)."""
    return labels / torch.tensor(list(factor_sizes), dtype=labels.dtype, device=labels.device)


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
