"""Optimizers by the names that configs use."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from causal_disent.checks import checked
from causal_disent.training.objective import Decay, Epsilon, Rate

#: Where torch has an Adam that does its step in one go.
FUSED = ("cpu", "cuda")


@checked
def adam(
    parameters: Sequence[torch.nn.Parameter],
    learning_rate: Rate = 0.001,
    beta1: Decay = 0.9,
    beta2: Decay = 0.999,
    epsilon: Epsilon = 1e-8,
    use_locking: bool = False,
    name: str = "Adam",
) -> torch.optim.Optimizer:
    """Adam with TensorFlow's names and defaults; `use_locking` and `name` are taken and change nothing."""
    fused = all(parameter.device.type in FUSED for parameter in parameters)
    return torch.optim.Adam(parameters, lr=learning_rate, betas=(beta1, beta2), eps=epsilon, fused=fused)
