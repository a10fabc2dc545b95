"""Optimizers by the names that configs use; torch is imported when one is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.config import REQUIRED
from causal_disent.registry import component

if TYPE_CHECKING:
    import torch

__all__ = ["adam", "discriminator_optimizer", "vae_optimizer"]

#: Where torch has an Adam that does its step in one go.
FUSED = ("cpu", "cuda")


@component("vae_optimizer", supplied=("parameters",))
def vae_optimizer(
    parameters: Sequence[Any], optimizer_fn: Callable[..., Any] = REQUIRED, learning_rate: float | None = None
) -> torch.optim.Optimizer:
    """The optimizer of encoder and decoder; `learning_rate` goes before the optimizer's own."""
    return _made(parameters, optimizer_fn, learning_rate)


@component("discriminator_optimizer", supplied=("parameters",))
def discriminator_optimizer(
    parameters: Sequence[Any], optimizer_fn: Callable[..., Any] = REQUIRED, learning_rate: float | None = None
) -> torch.optim.Optimizer:
    """The optimizer of the discriminator."""
    return _made(parameters, optimizer_fn, learning_rate)


def _made(parameters: Sequence[Any], optimizer_fn: Callable[..., Any], learning_rate: float | None) -> Any:
    if callable(learning_rate):
        raise errors.InvalidInput("A learning rate is a number here; schedules are not supported.")
    chosen = {} if learning_rate is None else {"learning_rate": learning_rate}
    return optimizer_fn(parameters, **chosen)


@component("AdamOptimizer", supplied=("parameters",))
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

    if not learning_rate > 0:
        raise errors.InvalidInput(f"AdamOptimizer.learning_rate must be greater than 0; given: {learning_rate}.")
    fused = all(parameter.device.type in FUSED for parameter in parameters)
    return torch.optim.Adam(parameters, lr=learning_rate, betas=(beta1, beta2), eps=epsilon, fused=fused)
