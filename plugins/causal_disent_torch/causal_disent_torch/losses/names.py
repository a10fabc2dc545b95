"""The reconstruction losses by the names that configs use; torch is imported when one is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from causal_disent import errors
from causal_disent.config import REQUIRED
from causal_disent.registry import part
from causal_disent_torch.bound import check_function, check_truth

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ReconstructionLoss", "bernoulli", "reconstruction_loss", "squared_error"]

SUPPLIED = ("images", "output", "activation")


class ReconstructionLoss:
    """A loss for each image, from images and what the decoder gives; remembers the activation it was made for."""

    def __init__(self, loss_fn: Callable[[Tensor, Tensor, str], Tensor], activation: str) -> None:
        if activation not in ("logits", "tanh"):
            raise errors.unknown("activation", activation, ("logits", "tanh"))
        self.loss_fn, self.activation = loss_fn, activation

    def __call__(self, images: Tensor, output: Tensor) -> Tensor:
        """(n,) losses."""
        return self.loss_fn(images, output, self.activation)


@part("reconstruction_loss")
def reconstruction_loss(
    loss_fn: Callable[[Tensor, Tensor, str], Tensor] = REQUIRED, activation: str = "logits"
) -> ReconstructionLoss:
    """The bound loss."""
    check_function("reconstruction_loss.loss_fn", loss_fn, SUPPLIED)
    return ReconstructionLoss(loss_fn, activation)


@part("bernoulli_loss", supplied=SUPPLIED)
def bernoulli(
    images: Tensor, output: Tensor, activation: str, subtract_true_image_entropy: bool = False
) -> Tensor:
    """Cross entropy of the pixels."""
    from causal_disent_torch.losses.bernoulli import bernoulli_loss

    check_truth("bernoulli_loss.subtract_true_image_entropy", subtract_true_image_entropy)
    return bernoulli_loss(images, output, activation, subtract_true_image_entropy)


@part("l2_loss", supplied=SUPPLIED)
def squared_error(images: Tensor, output: Tensor, activation: str) -> Tensor:
    """Squared error of the pixels."""
    from causal_disent_torch.losses.squared_error import l2_loss

    return l2_loss(images, output, activation)
