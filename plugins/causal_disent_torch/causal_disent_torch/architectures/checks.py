"""What an encoder, a decoder and a discriminator must be like, found out before training starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent_torch.bound import is_finite_number

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["check_options", "check_outputs", "check_sizes", "is_plain"]


def is_plain(value: Any) -> bool:
    """Whether ``model.json`` can hold it: a finite number, a text, a truth value, None or a list of these."""
    if isinstance(value, list):
        return all(is_plain(part) and not isinstance(part, list) for part in value)
    if type(value) in (int, float):
        return is_finite_number(value)
    return value is None or isinstance(value, (str, bool))


def check_options(module: Any) -> None:
    """Raise unless what is bound for the architecture can be stored with the model."""
    for option, value in module.bound_options.items():
        if not is_plain(value):
            raise errors.InvalidInput(
                f"{module.name}.{option} is stored with the model, so that it must be a finite number, a text, a "
                f"truth value, None or a list of these, in square brackets; given: {value!r}."
            )


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
    from causal_disent_torch.outputs import described

    try:
        return module(given)
    except Exception as error:
        raise errors.InvalidInput(
            f"The {kind} '{module.name}' cannot be applied to {described(given)}: {type(error).__name__}: {error}"
            ". --debug shows where it happened."
        ) from error


def _check_tensor(kind: str, module: Any, what: str, given: Any, shape: tuple[int, ...]) -> None:
    import torch

    if not isinstance(given, torch.Tensor) or given.shape != shape or given.dtype != torch.float32:
        raise _unfit(kind, module, f"{what} of shape {shape}, float32, for a batch of {shape[0]}", given)


def _unfit(kind: str, module: Any, needed: str, given: Any) -> errors.InvalidInput:
    from causal_disent_torch.outputs import described

    return errors.InvalidInput(f"The {kind} '{module.name}' must give {needed}; it gives {described(given)}.")
