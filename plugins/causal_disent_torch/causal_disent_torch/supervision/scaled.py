"""Labels as the supervised losses take them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def normalise(labels: Tensor, factor_sizes: Sequence[int]) -> Tensor:
    """Labels divided by the number of values of their factor, so that they are in [0, 1)."""
    return labels / torch.tensor(list(factor_sizes), dtype=labels.dtype, device=labels.device)
