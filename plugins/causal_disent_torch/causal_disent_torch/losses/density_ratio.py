"""FactorVAE's total correlation: a discriminator tells codes from shuffled codes (arXiv:1802.05983)."""

from __future__ import annotations

import torch
from torch import Tensor


def density_ratio(logits: Tensor) -> Tensor:
    """The discriminator's estimate of the total correlation: the mean log odds of "as drawn".

    Args:
        logits: (n, 2) for the codes: "as drawn", "shuffled".

    Example:
        >>> density_ratio(torch.tensor([[3.0, 1.0], [1.0, 1.0]]))
        tensor(1.)
    """
    return (logits[:, 0] - logits[:, 1]).mean()


def discriminator_loss(logits: Tensor, shuffled_logits: Tensor) -> Tensor:
    r"""What the discriminator minimises.

    .. math:: -\frac12 \frac1n \sum_i \left( \log p_i(\text{drawn}) + \log \tilde p_i(\text{shuffled}) \right)

    Args:
        logits: (n, 2) for the codes.
        shuffled_logits: (n, 2) for the shuffled codes.

    Returns:
        A scalar, at least 0; log 2 for a discriminator that only guesses.
    """
    return -0.5 * (logits.log_softmax(1)[:, 0].mean() + shuffled_logits.log_softmax(1)[:, 1].mean())


def shuffle_codes(codes: Tensor, generator: torch.Generator) -> Tensor:
    """Each code permuted over the batch by itself, which makes the codes independent.

    Args:
        codes: (n, codes).
        generator: of the permutations, on the CPU.
    """
    order = torch.rand(codes.shape, generator=generator).argsort(0)
    return codes.gather(0, order.to(codes.device))
