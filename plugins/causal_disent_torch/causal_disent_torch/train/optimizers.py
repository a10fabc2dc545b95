"""Optimizers by the names that configs use."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from causal_disent.arguments import check_number

#: Where torch has an Adam that does its step in one go.
FUSED = ("cpu", "cuda")


def adam(
    parameters: Sequence[torch.nn.Parameter],
    learning_rate: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    use_locking: bool = False,
    name: str = "Adam",
) -> torch.optim.Optimizer:
    """Adam with TensorFlow's names and defaults; `use_locking` and `name` are taken and change nothing."""
    check_number("AdamOptimizer.learning_rate", learning_rate, above=0)
    for parameter, value in (("beta1", beta1), ("beta2", beta2)):
        check_number(f"AdamOptimizer.{parameter}", value, at_least=0, below=1)
    check_number("AdamOptimizer.epsilon", epsilon, at_least=0)
    fused = all(parameter.device.type in FUSED for parameter in parameters)
    return torch.optim.Adam(parameters, lr=learning_rate, betas=(beta1, beta2), eps=epsilon, fused=fused)
