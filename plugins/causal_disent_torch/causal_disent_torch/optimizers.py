"""Optimizers by the names that configs use; torch is imported when one is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.config import REQUIRED
from causal_disent.registry import part
from causal_disent_torch.bound import check_function, check_number

if TYPE_CHECKING:
    import torch

__all__ = ["adam", "discriminator_optimizer", "vae_optimizer"]

SUPPLIED = ("parameters",)
#: Where torch has an Adam that does its step in one go.
FUSED = ("cpu", "cuda")


@part("vae_optimizer", supplied=SUPPLIED)
def vae_optimizer(
    parameters: Sequence[Any], optimizer_fn: Callable[..., Any] = REQUIRED, learning_rate: float | None = None
) -> torch.optim.Optimizer:
    """The optimizer of encoder and decoder; `learning_rate` goes before the optimizer's own."""
    return _made("vae_optimizer", parameters, optimizer_fn, learning_rate)


@part("discriminator_optimizer", supplied=SUPPLIED)
def discriminator_optimizer(
    parameters: Sequence[Any], optimizer_fn: Callable[..., Any] = REQUIRED, learning_rate: float | None = None
) -> torch.optim.Optimizer:
    """The optimizer of the discriminator."""
    return _made("discriminator_optimizer", parameters, optimizer_fn, learning_rate)


def _made(
    owner: str, parameters: Sequence[Any], optimizer_fn: Callable[..., Any], learning_rate: float | None
) -> Any:
    check_function(f"{owner}.optimizer_fn", optimizer_fn, SUPPLIED)
    if callable(learning_rate):
        raise errors.InvalidInput("A learning rate is a number here; schedules are not supported.")
    if learning_rate is None:
        return optimizer_fn(parameters)
    check_number(f"{owner}.learning_rate", learning_rate, above=0)
    return optimizer_fn(parameters, learning_rate=learning_rate)


@part("AdamOptimizer", supplied=SUPPLIED)
def adam(
    parameters: Sequence[Any],
    learning_rate: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    use_locking: bool = False,
    name: str = "Adam",
) -> torch.optim.Optimizer:
    """Adam with TensorFlow's names and defaults; `use_locking` and `name` are taken and change nothing."""
    import torch

    check_number("AdamOptimizer.learning_rate", learning_rate, above=0)
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        check_number(f"AdamOptimizer.{name}", value, at_least=0, below=1)
    check_number("AdamOptimizer.epsilon", epsilon, at_least=0)
    fused = all(parameter.device.type in FUSED for parameter in parameters)
    return torch.optim.Adam(parameters, lr=learning_rate, betas=(beta1, beta2), eps=epsilon, fused=fused)
