"""Checks that the supervised losses share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from causal_disent import errors


def check_enough_codes(num_latent: int, factor_sizes: Sequence[int]) -> None:
    """Raise unless there is a code for each labelled factor."""
    if num_latent < len(factor_sizes):
        raise errors.InvalidInput(
            f"The supervised loss needs a code for each of the {len(factor_sizes)} labelled factors; "
            f"encoder.num_latent is {num_latent}."
        )


def normalise(labels: Tensor, factor_sizes: Sequence[int]) -> Tensor:
    """Labels divided by the number of values of their factor, so that they are in [0, 1)."""
    return labels / torch.tensor(list(factor_sizes), dtype=labels.dtype, device=labels.device)
