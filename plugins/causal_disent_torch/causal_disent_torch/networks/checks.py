"""What an encoder, a decoder and a discriminator must be like, found out before training starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.training.bound import as_bound
from causal_disent.training.description import is_plain
from causal_disent_torch.outputs import described


def check_network(role: str, network: Any) -> Any:
    """`network`, if it is a module and what is bound for it can be stored with the model."""
    if not isinstance(network, nn.Module):
        name = getattr(network, "name", None) or as_bound(f"{role}.{role}_fn", None).removeprefix("@")
        raise errors.InvalidInput(
            f"The {role} '{name}' must be a torch.nn.Module; its function returns a {type(network).__name__}."
        )
    named: Any = network
    for option, value in named.bound_options.items():
        if not is_plain(value):
            raise errors.InvalidInput(
                f"{named.name}.{option} is stored with the model, so that it must be a finite number, a text, a "
                f"truth value, None or a list of these, in square brackets; given: {value!r}."
            )
    return network


def check_sizes(encoder: Any, image_shape: Sequence[int], num_latent: int) -> None:
    """Raise unless the encoder tells the sizes that it was made for."""
    for attribute, size in (("image_shape", tuple(image_shape)), ("num_latent", num_latent)):
        found = getattr(encoder, attribute, None)
        if (tuple(found) if isinstance(found, Iterable) else found) != size:
            raise errors.InvalidInput(
                f"The encoder '{encoder.name}' must have the attribute {attribute}, here {size}; it has {found!r}."
            )


def check_outputs(networks: nn.ModuleDict, images: Tensor) -> None:
    """Raise unless each network gives what the losses take.

    Args:
        networks: in evaluation mode.
        images: (n, h, w, c), a few.
    """
    encoder: Any = networks["encoder"]
    encoded = _applied("encoder", encoder, images)
    if not isinstance(encoded, tuple) or len(encoded) != 2:
        raise _unfit("encoder", encoder, "a tuple of two tensors, mean and log variance", encoded)
    num = len(images)
    for what, part in zip(("means", "log variances"), encoded, strict=True):
        _check_tensor("encoder", encoder, what, part, (num, encoder.num_latent))
    decoded = _applied("decoder", networks["decoder"], encoded[0])
    _check_tensor("decoder", networks["decoder"], "images", decoded, tuple(images.shape))
    if "discriminator" in networks:
        logits = _applied("discriminator", networks["discriminator"], encoded[0])
        _check_tensor("discriminator", networks["discriminator"], "logits", logits, (num, 2))


def _applied(kind: str, module: Any, given: Tensor) -> Any:
    """What a user's module gives; whatever it raises becomes a readable error."""
    try:
        return module(given)
    except Exception as error:
        raise errors.InvalidInput(
            f"The {kind} '{module.name}' cannot be applied to {described(given)}: {type(error).__name__}: {error}"
            ". --debug shows where it happened."
        ) from error


def _check_tensor(kind: str, module: Any, what: str, given: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(given, torch.Tensor) or given.shape != shape or given.dtype != torch.float32:
        raise _unfit(kind, module, f"{what} of shape {shape}, float32, for a batch of {shape[0]}", given)


def _unfit(kind: str, module: Any, needed: str, given: Any) -> errors.InvalidInput:
    return errors.InvalidInput(f"The {kind} '{module.name}' must give {needed}; it gives {described(given)}.")
