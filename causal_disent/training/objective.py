"""What a model adds to the reconstruction loss; everything else of training is shared."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from causal_disent import errors
from causal_disent.protocols import IntArray
from causal_disent.training.bound import as_bound, takes

#: Of the framework that trains.
Tensor = Any
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
        kl: scalar, the divergence of the codes' Gaussians from the standard normal, averaged over the batch.
        activation: of `output`.
        weights: what the objective's `weights` gives for this step.
        losses: the functions of the framework (`causal_disent.training.forward`).
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
    weights: Mapping[str, Any]
    losses: Any
    logits: Tensor | None = None
    supervised_loss: Tensor | None = None
    boxes: Tensor | None = None


@dataclass(frozen=True)
class Batch:
    """One batch on its way to an `OwnLoss`.

    Attributes:
        step: how many steps were made before.
        images: (n, h, w, c) in [0, 1].
        indices: (n,) of the images, where the data set is finite.
        reconstruction: images and a decoder's output -> (n,) losses, as the config binds it.
        draw: a shape -> standard normal noise, where the networks are.
    """

    step: int
    images: Tensor
    indices: IntArray | None
    reconstruction: Callable[[Tensor, Tensor], Tensor]
    draw: Callable[[Sequence[int]], Tensor]


class Objective:
    """Base of all models that can be trained.

    Attributes:
        discriminates: a discriminator is trained beside encoder and decoder.
        needs_boxes: the data set must have bounding boxes.
        factor_sizes: number of values of each label, or None if no labels are used.
    """

    discriminates: bool = False
    needs_boxes: bool = False
    factor_sizes: list[int] | None = None

    def weights(self, step: int) -> dict[str, float]:
        """What changes from step to step: numbers by name, which `penalties` finds in the pass."""
        return {}

    def penalties(self, passed: Pass) -> Penalties:
        """The terms that are added to the reconstruction loss."""
        raise NotImplementedError


class OwnLoss(Objective):
    """Base of models that lead the images through the networks by themselves.

    Attributes:
        in_order: the images come as the data set has them, over and over, instead of being drawn.
    """

    in_order: bool = False

    def prepare(self, data: Any, networks: Any, seed: int) -> None:
        """Look at the data set and the networks before the first step; an error says what does not fit."""

    def losses(self, networks: Any, batch: Batch) -> Penalties:
        """The terms of the loss, weighted; the loss is their sum."""
        raise NotImplementedError


def objective_of(model: Any, factor_sizes: Sequence[int] | None = None) -> Objective:
    """The objective that ``model.model`` stands for.

    Args:
        model: an objective, as ``@vae()`` is, or what makes one, as ``@vae`` is.
        factor_sizes: number of values of each label, if there are labels.
    """
    given = model
    if not isinstance(model, Objective) and takes(model, 0):
        takes_sizes = "factor_sizes" in inspect.signature(model).parameters
        model = model(factor_sizes) if takes_sizes and factor_sizes is not None else model()
    if not isinstance(model, Objective):
        raise errors.InvalidInput(
            f"model.model must be a model, such as @vae(); given: {as_bound('model.model', given)}."
        )
    return model
