"""The total correlation of codes, estimated on a batch (arXiv:1802.04942)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def total_correlation(codes: Tensor, mean: Tensor, log_var: Tensor) -> Tensor:
    r"""How far the codes are from independence, up to a constant.

    .. math:: \frac1n \sum_j \left( \log \sum_i \prod_l q_{jil} - \sum_l \log \sum_i q_{jil} \right)

    where :math:`q_{jil}` is the density of code :math:`l` of sample :math:`j` under the Gaussian of image
    :math:`i`. The constant that is left out is (codes - 1) log(n times the number of images); it does not change
    the minimum.

    Args:
        codes: (n, codes), drawn from the Gaussians.
        mean: (n, codes).
        log_var: (n, codes).

    Returns:
        A scalar; lower is more independent. With a single code it is 0.

    Example:
        >>> total_correlation(torch.zeros(4, 1), torch.zeros(4, 1), torch.zeros(4, 1))
        tensor(0.)
    """
    difference = codes[:, None] - mean[None]
    log_density = -0.5 * (difference.square() * torch.exp(-log_var)[None] + log_var[None] + math.log(2 * math.pi))
    joint = log_density.sum(2).logsumexp(1)
    product = log_density.logsumexp(1).sum(1)
    return (joint - product).mean()
