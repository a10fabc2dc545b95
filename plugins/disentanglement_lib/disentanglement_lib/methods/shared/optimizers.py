"""Optimizers, which configs bind."""

from __future__ import annotations

from typing import Any

from disentanglement_lib._core import refuse

_INSTEAD = "Bind the optimizer in a config: vae_optimizer.optimizer_fn = @AdamOptimizer, say."


def make_optimizer(optimizer_fn: Any, learning_rate: Any) -> Any:
    """Refuse: optimizers are made when a model is trained."""
    refuse("`make_optimizer`", _INSTEAD)


def make_vae_optimizer(optimizer_fn: Any = None, learning_rate: Any = None) -> Any:
    """Refuse, likewise."""
    refuse("`make_vae_optimizer`", _INSTEAD)


def make_discriminator_optimizer(optimizer_fn: Any = None, learning_rate: Any = None) -> Any:
    """Refuse, likewise."""
    refuse("`make_discriminator_optimizer`", _INSTEAD)
