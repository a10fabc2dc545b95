"""What an encoder, a decoder and a discriminator must be like, found out before training starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from causal_disent import errors
from causal_disent.checks import is_finite_number
from causal_disent.text import shown_value
from causal_disent.training.bound import as_bound
from causal_disent.training.description import is_plain
from causal_disent.training.outputs import Tensors


@dataclass(frozen=True)
class Framework:
    """What the checks must know of a framework.

    Attributes:
        module: the class of its networks.
        module_name: what users call that.
        is_float32: a value and a shape -> whether it is a tensor of that shape, in single precision.
        tensors: of the framework.
    """

    module: type
    module_name: str
    is_float32: Callable[[Any, tuple[int, ...]], bool]
    tensors: Tensors


def check_image_shape(name: str, image_shape: Sequence[int], divisor: int) -> tuple[int, int, int]:
    """The shape (h, w, c), if the network of this name takes it: height and width divisible by `divisor`."""
    shape = tuple(int(side) for side in image_shape)
    if len(shape) != 3 or min(shape) < 1:
        raise errors.InvalidInput(f"An image has a shape (height, width, channels); given: {list(shape)}.")
    height, width, channels = shape
    if height % divisor or width % divisor:
        raise errors.InvalidInput(
            f"'{name}' takes images whose height and width can be divided by {divisor}; these are "
            f"{height}x{width}. Resize them, or take the fully connected architecture."
        )
    return height, width, channels


def check_enough_codes(num_latent: int, factor_sizes: Sequence[int]) -> None:
    """Raise unless there is a code for each labelled factor."""
    if num_latent < len(factor_sizes):
        raise errors.InvalidInput(
            f"The supervised loss needs a code for each of the {len(factor_sizes)} labelled factors; "
            f"encoder.num_latent is {num_latent}."
        )


def check_sigma(sigma: Any) -> None:
    """Raise unless `sigma` is what ``embed`` takes."""
    if sigma != "learn" and not is_finite_number(sigma):
        raise errors.InvalidInput(f"embed.sigma is a number or 'learn'; given: {shown_value(sigma)}.")


def check_network(role: str, network: Any, framework: Framework) -> Any:
    """`network`, if it is a module and what is bound for it can be stored with the model."""
    if not isinstance(network, framework.module):
        name = getattr(network, "name", None) or as_bound(f"{role}.{role}_fn", None).removeprefix("@")
        raise errors.InvalidInput(
            f"The {role} '{name}' must be a {framework.module_name}; its function returns a "
            f"{type(network).__name__}."
        )
    named: Any = network
    for option, value in named.bound_options.items():
        if not is_plain(value):
            raise errors.InvalidInput(
                f"{named.name}.{option} is stored with the model, so that it must be a finite number, a text, a "
                f"truth value, None or a list of these, in square brackets; given: {shown_value(value)}."
            )
    return network


def check_sizes(encoder: Any, image_shape: Sequence[int], num_latent: int) -> None:
    """Raise unless the encoder tells the sizes that it was made for."""
    for attribute, size in (("image_shape", tuple(image_shape)), ("num_latent", num_latent)):
        found = getattr(encoder, attribute, None)
        if (tuple(found) if isinstance(found, Iterable) else found) != size:
            raise errors.InvalidInput(
                f"The encoder '{encoder.name}' must have the attribute {attribute}, here {size}; it has "
                f"{shown_value(found)}."
            )


def check_outputs(networks: Mapping[str, Any], images: Any, framework: Framework) -> None:
    """Raise unless each network gives what the losses take.

    Args:
        networks: in evaluation mode.
        images: (n, h, w, c), a few.
        framework: whose tensors they are.
    """
    encoder = networks["encoder"]
    encoded = _applied("encoder", encoder, images, framework)
    if not isinstance(encoded, tuple) or len(encoded) != 2:
        raise _unfit("encoder", encoder, "a tuple of two tensors, mean and log variance", encoded, framework)
    num = len(images)
    for what, part in zip(("means", "log variances"), encoded, strict=True):
        _check_tensor("encoder", encoder, what, part, (num, encoder.num_latent), framework)
    decoded = _applied("decoder", networks["decoder"], encoded[0], framework)
    _check_tensor("decoder", networks["decoder"], "images", decoded, tuple(images.shape), framework)
    if "discriminator" in networks:
        logits = _applied("discriminator", networks["discriminator"], encoded[0], framework)
        _check_tensor("discriminator", networks["discriminator"], "logits", logits, (num, 2), framework)


def _applied(kind: str, module: Any, given: Any, framework: Framework) -> Any:
    """What a user's module gives; whatever it raises becomes a readable error."""
    try:
        return module(given)
    except Exception as error:
        raise errors.InvalidInput(
            f"The {kind} '{module.name}' cannot be applied to {framework.tensors.described(given)}: "
            f"{type(error).__name__}: {error}. --debug shows where it happened."
        ) from error


def _check_tensor(
    kind: str, module: Any, what: str, given: Any, shape: tuple[int, ...], framework: Framework
) -> None:
    if not framework.is_float32(given, shape):
        raise _unfit(
            kind, module, f"{what} of shape {shape}, float32, for a batch of {shape[0]}", given, framework
        )


def _unfit(kind: str, module: Any, needed: str, given: Any, framework: Framework) -> errors.InvalidInput:
    return errors.InvalidInput(
        f"The {kind} '{module.name}' must give {needed}; it gives {framework.tensors.described(given)}."
    )
