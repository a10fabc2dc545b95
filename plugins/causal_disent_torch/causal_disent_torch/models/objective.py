"""What a model adds to the reconstruction loss; everything else of training is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Objective", "Pass", "Penalties"]

#: Name of a term -> its value, weighted as it goes into the loss.
Penalties = dict[str, Any]


@dataclass
class Pass:
    """One batch on its way through the networks.

    Attributes:
        step: how many steps were made before.
        images: (n, h, w, c) in [0, 1].
        mean: (n, codes).
        log_var: (n, codes).
        codes: (n, codes), drawn.
        output: (n, h, w, c), what the decoder gives, before the activation.
        kl: scalar, `causal_disent_torch.losses.gaussian_kl`.
        activation: of `output`.
        logits: (n, 2) of the discriminator for `codes`, where there is one.
        supervised_loss: scalar, not weighted, where there are labels.
        boxes: (n, 4), where the objective asks for them.
    """

    step: int
    images: Tensor
    mean: Tensor
    log_var: Tensor
    codes: Tensor
    output: Tensor
    kl: Tensor
    activation: str
    logits: Tensor | None = None
    supervised_loss: Tensor | None = None
    boxes: Tensor | None = None


class Objective:
    """Base of all models.

    Attributes:
        discriminates: a discriminator is trained beside encoder and decoder.
        needs_boxes: the data set must have bounding boxes.
        factor_sizes: number of values of each label, or None if no labels are used.
    """

    discriminates: bool = False
    needs_boxes: bool = False
    factor_sizes: list[int] | None = None

    def penalties(self, passed: Pass) -> Penalties:
        """The terms that are added to the reconstruction loss."""
        raise NotImplementedError
