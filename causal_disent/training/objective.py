"""What is minimised: the pass of a batch through the networks, the losses, and what a model adds to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from causal_disent import errors
from causal_disent.checks import number
from causal_disent.config import REQUIRED
from causal_disent.protocols import IntArray
from causal_disent.registry import ROLES, Part, part
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.settings import as_bound, can_take, check_function

#: What turns the output of a decoder that is trained into pixels.
ACTIVATIONS = ("logits", "tanh")


#: What ``AdamOptimizer`` takes, in any framework.
Rate = Annotated[float, number(above=0)]
Decay = Annotated[float, number(at_least=0, below=1)]
Epsilon = Annotated[float, number(at_least=0)]


def _optimizer(name: str) -> Part:
    """Return the part that makes one of the optimizers."""

    def made(
        parameters: Sequence[Any], optimizer_fn: Callable[..., Any] = REQUIRED, learning_rate: Rate | None = None
    ) -> Any:
        """Return the optimizer that the config binds; `learning_rate` goes before the optimizer's own."""
        check_function(f"{name}.optimizer_fn", optimizer_fn, "optimizer")
        own = {} if learning_rate is None else {"learning_rate": learning_rate}
        return optimizer_fn(parameters, **own)

    return Part(name, made, ROLES["optimizer"])


#: Of encoder and decoder, and of the discriminator.
vae_optimizer, discriminator_optimizer = _optimizer("vae_optimizer"), _optimizer("discriminator_optimizer")


class ReconstructionLoss:
    """`weight` times a loss for each image, from images and what the decoder gives, whose activation it knows."""

    def __init__(self, loss_fn: Callable[[Any, Any, str], Any], activation: str, weight: float = 1.0) -> None:
        if activation not in ACTIVATIONS:
            raise errors.unknown("activation", activation, ACTIVATIONS)
        self.loss_fn, self.activation, self.weight = loss_fn, activation, weight

    def __call__(self, images: Any, output: Any) -> Any:
        """(n,) losses."""
        loss = self.loss_fn(images, output, self.activation)
        return loss if self.weight == 1 else self.weight * loss


@part("reconstruction_loss")
def reconstruction_loss(
    loss_fn: Callable[[Any, Any, str], Any] = REQUIRED, activation: str = ACTIVATIONS[0], weight: Rate = 1.0
) -> ReconstructionLoss:
    """The loss that the config binds, `weight` times (3,000 in figure 14 of the AAAI paper)."""
    check_function("reconstruction_loss.loss_fn", loss_fn, "reconstruction_loss")
    return ReconstructionLoss(loss_fn, activation, weight)


@part("supervised_loss", supplied=ROLES["supervised_loss"])
def supervised_loss(
    num_latent: int, factor_sizes: Sequence[int], generator: Any, loss_fn: Callable[..., Any] = REQUIRED
) -> Any:
    """The loss that the config binds: a module that takes codes (n, codes) and labels (n, factors)."""
    check_function("supervised_loss.loss_fn", loss_fn, "supervised_loss")
    return loss_fn(num_latent, factor_sizes, generator)


#: How sharp the softmax of `embed` is; learned factor by factor, or a number.
Sigma = Literal["learn"] | float

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
        losses: the functions of the framework (`causal_disent.training.objective`).
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
        needs_pairs: a batch is of pairs of images: the first of each pair, then the second of each.
        needs_boxes: the data set must have bounding boxes.
        factor_sizes: number of values of each label, or None if no labels are used.
    """

    discriminates: bool = False
    needs_pairs: bool = False
    needs_boxes: bool = False
    factor_sizes: list[int] | None = None

    def weights(self, step: int) -> dict[str, float]:
        """Return what changes from step to step: numbers by name, which `penalties` finds in the pass."""
        return {}

    def share(self, mean: Tensor, log_var: Tensor, changed: Tensor | None, losses: Any) -> tuple[Tensor, Tensor]:
        """The Gaussians that codes are drawn from, of those that the encoder gives; of pairs, some are shared."""
        return mean, log_var

    def penalties(self, passed: Pass) -> Penalties:
        """Return the terms that are added to the reconstruction loss."""
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
        """Return the terms of the loss, weighted; the loss is their sum."""
        raise NotImplementedError


def objective_of(model: Any, factor_sizes: Sequence[int] | None = None) -> Objective:
    """Return the objective that ``model.model`` stands for.

    Args:
        model: an objective, as ``@vae()`` is, or what makes one, as ``@vae`` is.
        factor_sizes: number of values of each label, if there are labels.
    """
    given = model
    if not isinstance(model, Objective) and can_take(model, 0):
        takes_sizes = "factor_sizes" in inspect.signature(model).parameters
        model = model(factor_sizes) if takes_sizes and factor_sizes is not None else model()
    if not isinstance(model, Objective):
        raise errors.InvalidInput(
            f"model.model must be a model, such as @vae(); given: {as_bound('model.model', given)}."
        )
    return model


@dataclass(frozen=True)
class Given:
    """What goes into one step.

    Attributes:
        images: (n, h, w, c) in [0, 1].
        noise: (n, codes), standard normal.
        step: how many steps were made before.
        weights: what the objective's `weights` gives for this step.
        boxes: (n, 4), where the objective asks for them.
        changed: (n / 2,) the factor in which the images of each pair differ, where the objective asks for pairs.
        labelled: images and their labels (n, factors), where the objective has labels.
    """

    images: Tensor
    noise: Tensor
    step: Any
    weights: Mapping[str, Any] = field(default_factory=dict)
    boxes: Tensor | None = None
    changed: Tensor | None = None
    labelled: tuple[Tensor, Tensor] | None = None


def forward(
    networks: Any, objective: Objective, reconstruction: ReconstructionLoss, losses: Any, given: Given
) -> Pass:
    """Encode, draw, decode.

    Args:
        networks: ``encoder``, ``decoder``, and ``discriminator`` and ``supervision`` where the objective has them.
        objective: what is minimised.
        reconstruction: the reconstruction loss.
        losses: the functions of the framework.
        given: the batch.
    """
    mean, log_var = networks["encoder"](given.images)
    mean, log_var = objective.share(mean, log_var, given.changed, losses)
    codes = losses.draw_codes(mean, log_var, given.noise)
    passed = Pass(
        step=given.step,
        images=given.images,
        mean=mean,
        log_var=log_var,
        codes=codes,
        output=networks["decoder"](codes),
        kl=losses.gaussian_kl(mean, log_var),
        activation=reconstruction.activation,
        weights=given.weights,
        losses=losses,
        boxes=given.boxes,
    )
    if objective.discriminates:
        passed.logits = networks["discriminator"](codes)
    if objective.factor_sizes is not None and given.labelled is not None:
        images, labels = given.labelled
        passed.supervised_loss = networks["supervision"](networks["encoder"](images)[0], labels)
    return passed


def terms_of(objective: Objective, reconstruction: ReconstructionLoss, passed: Pass) -> dict[str, Tensor]:
    """Each term by disentanglement_lib's name, the weighted ones that it does not name, and the whole ``loss``."""
    error = passed.losses.batch_mean(reconstruction(passed.images, passed.output))
    penalties = objective.penalties(passed)
    regularizer = sum(penalties.values())
    terms = {
        "reconstruction_loss": error,
        "kl_loss": passed.kl,
        **{f"weighted_{name}": term for name, term in penalties.items() if name != "kl_loss"},
        "regularizer": regularizer,
        "elbo": -(error + passed.kl),
        "loss": error + regularizer,
    }
    if passed.supervised_loss is not None:
        terms["supervised_loss"] = passed.supervised_loss
    return terms


class BaseTrainer:
    """Networks, optimizers and images of one run; a subclass for each framework makes the steps.

    Args:
        networks: ``encoder`` and ``decoder``; ``discriminator`` and ``supervision`` where the objective needs
            them.
        objective: what is minimised beside the reconstruction loss.
        reconstruction: the reconstruction loss.
        optimizers: ``vae``, and ``discriminator`` where there is one.
        batches: the images to train on.
        labelled: the labelled images, where the objective needs them.
    """

    def __init__(
        self,
        networks: Any,
        objective: Objective,
        reconstruction: ReconstructionLoss,
        optimizers: dict[str, Any],
        batches: Batches,
        labelled: LabelledImages | None = None,
    ) -> None:
        self.networks, self.objective, self.reconstruction = networks, objective, reconstruction
        self.optimizers, self.batches, self.labelled = optimizers, batches, labelled
        self.num_steps = 0

    def draw_inputs(
        self, batches: Batches, labelled: LabelledImages | None, number: int, as_tensor: Callable[[Any], Tensor]
    ) -> dict[str, Any]:
        """Draw the batch of that number, in the state of the steps that were made: arguments of `Given`."""
        pixels, told = batches.draw()
        inputs = {"images": as_tensor(pixels), "weights": self.objective.weights(self.num_steps)}
        inputs |= {name: as_tensor(values) for name, values in told.items()}
        if self.objective.factor_sizes is not None and labelled is not None:
            inputs["labelled"] = tuple(map(as_tensor, labelled.batch(number, batches.batch_size)))
        return inputs
