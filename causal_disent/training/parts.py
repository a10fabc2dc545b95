"""``encoder.*``, ``vae_optimizer.*`` and the like: what a config binds to be trained, as a backend asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_number, check_whole
from causal_disent.config import REQUIRED
from causal_disent.registry import ROLES, Part, part
from causal_disent.training.bound import check_function
from causal_disent.training.networks import make_bound

#: What turns the output of a decoder that is trained into pixels.
ACTIVATIONS = ("logits", "tanh")


@part("encoder", supplied=("image_shape", "generator"))
def encoder(
    image_shape: Sequence[int],
    generator: Any,
    num_latent: int = REQUIRED,
    encoder_fn: Callable[..., Any] = REQUIRED,
) -> tuple[Any, int]:
    """The encoder that the config binds, and the number of codes."""
    check_whole("encoder.num_latent", num_latent, 1)
    sizes = {"image_shape": image_shape, "num_latent": num_latent}
    return make_bound("encoder", encoder_fn, **sizes, generator=generator), num_latent


@part("decoder", supplied=ROLES["decoder"])
def decoder(
    image_shape: Sequence[int], num_latent: int, generator: Any, decoder_fn: Callable[..., Any] = REQUIRED
) -> Any:
    """The decoder that the config binds."""
    sizes = {"image_shape": image_shape, "num_latent": num_latent}
    return make_bound("decoder", decoder_fn, **sizes, generator=generator)


@part("discriminator", supplied=ROLES["discriminator"])
def discriminator(num_latent: int, generator: Any, discriminator_fn: Callable[..., Any] = REQUIRED) -> Any:
    """The discriminator that the config binds."""
    return make_bound("discriminator", discriminator_fn, num_latent=num_latent, generator=generator)


def _optimizer(name: str) -> Part:
    """The part that makes one of the optimizers."""

    def made(
        parameters: Sequence[Any], optimizer_fn: Callable[..., Any] = REQUIRED, learning_rate: float | None = None
    ) -> Any:
        """The optimizer that the config binds; `learning_rate` goes before the optimizer's own."""
        check_function(f"{name}.optimizer_fn", optimizer_fn, "optimizer")
        if callable(learning_rate):
            raise errors.InvalidInput("A learning rate is a number here; schedules are not supported.")
        if learning_rate is None:
            return optimizer_fn(parameters)
        check_number(f"{name}.learning_rate", learning_rate, above=0)
        return optimizer_fn(parameters, learning_rate=learning_rate)

    return Part(name, made, ROLES["optimizer"])


#: Of encoder and decoder, and of the discriminator.
vae_optimizer, discriminator_optimizer = _optimizer("vae_optimizer"), _optimizer("discriminator_optimizer")


class ReconstructionLoss:
    """A loss for each image, from images and what the decoder gives; remembers the activation it was made for."""

    def __init__(self, loss_fn: Callable[[Any, Any, str], Any], activation: str) -> None:
        if activation not in ACTIVATIONS:
            raise errors.unknown("activation", activation, ACTIVATIONS)
        self.loss_fn, self.activation = loss_fn, activation

    def __call__(self, images: Any, output: Any) -> Any:
        """(n,) losses."""
        return self.loss_fn(images, output, self.activation)


@part("reconstruction_loss")
def reconstruction_loss(
    loss_fn: Callable[[Any, Any, str], Any] = REQUIRED, activation: str = ACTIVATIONS[0]
) -> ReconstructionLoss:
    """The loss that the config binds."""
    check_function("reconstruction_loss.loss_fn", loss_fn, "reconstruction_loss")
    return ReconstructionLoss(loss_fn, activation)


@part("supervised_loss", supplied=ROLES["supervised_loss"])
def supervised_loss(
    num_latent: int, factor_sizes: Sequence[int], generator: Any, loss_fn: Callable[..., Any] = REQUIRED
) -> Any:
    """The loss that the config binds: a module that takes codes (n, codes) and labels (n, factors)."""
    check_function("supervised_loss.loss_fn", loss_fn, "supervised_loss")
    return loss_fn(num_latent, factor_sizes, generator)
