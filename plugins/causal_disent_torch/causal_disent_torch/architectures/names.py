"""Architectures by the names that configs and saved models use; torch is imported when one is made."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.config import REQUIRED, given_to_gin
from causal_disent.registry import Entry, part
from causal_disent_torch.architectures.checks import check_options, check_sizes
from causal_disent_torch.bound import as_bound, check_whole

if TYPE_CHECKING:
    import torch

__all__ = [
    "KINDS",
    "architecture",
    "architecture_names",
    "decoder",
    "discriminator",
    "encoder",
    "is_architecture",
    "make_architecture",
]

#: What an architecture can be.
KINDS = ("encoder", "decoder", "discriminator")
SUPPLIED = ("image_shape", "num_latent", "generator")

#: Kind -> name -> the function as configs see it, and as it is without a config.
_architectures: dict[str, dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {kind: {} for kind in KINDS}


def architecture(name: str, kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for an architecture, and saved models be read that have it.

    Args:
        name: what configs call it; saved models store it.
        kind: one of `KINDS`.

    The function takes ``(image_shape, num_latent, generator)``, a discriminator's ``(num_latent, generator)``, and
    returns a module: an encoder's gives mean and log variance (n, num_latent) for images (n, h, w, c), a decoder's
    images before the activation for codes, a discriminator's logits (n, 2) for codes; all in float32. What else it
    takes, configs can bind, and what they bind is stored with the model. The module gets the attributes ``name``
    and ``bound_options``.
    """
    if kind not in KINDS:
        raise errors.unknown("kind of architecture", kind, KINDS)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _check_signature(name, kind, function)

        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            from torch import nn

            # Copies, since the function may change a list that it is given.
            bound = {option: value for option, value in kwargs.items() if option not in SUPPLIED}
            options = {option: [*value] if isinstance(value, list) else value for option, value in bound.items()}
            made: Any = function(*args, **kwargs)
            if not isinstance(made, nn.Module):
                raise errors.InvalidInput(
                    f"The {kind} '{name}' must be a torch.nn.Module; its function returns a {type(made).__name__}."
                )
            module: Any = made
            module.name, module.bound_options = name, options
            return module

        named.kind_of_architecture = kind  # type: ignore[attr-defined]
        _architectures[kind][name] = (
            given_to_gin(Entry("parts", name, __name__, named, facts={"supplied": SUPPLIED})),
            named,
        )
        return _architectures[kind][name][0]

    return register


def _check_signature(name: str, kind: str, function: Callable[..., Any]) -> None:
    """Raise unless `function` takes what the program supplies."""
    signature = inspect.signature(function)
    supplied = SUPPLIED[1:] if kind == "discriminator" else SUPPLIED
    try:
        signature.bind_partial(**dict.fromkeys(supplied))
    except TypeError:
        raise errors.InvalidInput(
            f"The function of the {kind} '{name}' must take {errors.listing(supplied)}; it takes {signature}."
        ) from None


def make_architecture(kind: str, name: str, options: Mapping[str, Any] | None = None, /, **sizes: Any) -> Any:
    """The registered architecture of this name, for a model that was saved.

    Args:
        kind: one of `KINDS`.
        name: what configs call it.
        options: what was bound for it when the model was trained; None if that is not known, so that the config of
            today decides.
        sizes: what the program supplies.
    """
    if name not in _architectures[kind]:
        raise errors.unknown(kind, name, sorted(_architectures[kind]))
    configured, plain = _architectures[kind][name]
    if options is None:
        return configured(**sizes)
    parameters = inspect.signature(plain).parameters.values()
    taken = [parameter.name for parameter in parameters if parameter.name not in SUPPLIED]
    excess = [option for option in options if option not in taken]
    if excess and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        raise errors.InvalidInput(
            f"The {kind} '{name}' takes no {errors.listing(excess)}. What it takes: {errors.listing(taken)}."
        )
    return plain(**sizes, **options)


@part("encoder", supplied=("image_shape", "generator"))
def encoder(
    image_shape: Sequence[int],
    generator: torch.Generator,
    num_latent: int = REQUIRED,
    encoder_fn: Callable[..., Any] = REQUIRED,
) -> torch.nn.Module:
    """The encoder that the config binds."""
    check_whole("encoder.num_latent", num_latent, 1)
    sizes = {"image_shape": image_shape, "num_latent": num_latent}
    module = _made("encoder", encoder_fn, **sizes, generator=generator)
    check_options(module)
    check_sizes(module, image_shape, num_latent)
    return module


@part("decoder", supplied=SUPPLIED)
def decoder(
    image_shape: Sequence[int],
    num_latent: int,
    generator: torch.Generator,
    decoder_fn: Callable[..., Any] = REQUIRED,
) -> torch.nn.Module:
    """The decoder that the config binds."""
    sizes = {"image_shape": image_shape, "num_latent": num_latent}
    module = _made("decoder", decoder_fn, **sizes, generator=generator)
    check_options(module)
    return module


@part("discriminator", supplied=("num_latent", "generator"))
def discriminator(
    num_latent: int, generator: torch.Generator, discriminator_fn: Callable[..., Any] = REQUIRED
) -> torch.nn.Module:
    """The discriminator that the config binds."""
    return _made("discriminator", discriminator_fn, num_latent=num_latent, generator=generator)


def is_architecture(kind: str, module: Any) -> bool:
    """Whether a saved model with `module` could be read again."""
    return getattr(module, "name", None) in _architectures[kind]


def architecture_names() -> list[str]:
    """What configs call the architectures of all kinds."""
    return [name for kind in KINDS for name in _architectures[kind]]


def _made(kind: str, function: Any, **supplied: Any) -> Any:
    """The module that the bound function makes."""
    if getattr(function, "kind_of_architecture", None) != kind:
        parameter = f"{kind}.{kind}_fn"
        raise errors.InvalidInput(
            f"{parameter} must be a registered {kind}, written @its_name without brackets: "
            f"{errors.listing(sorted(_architectures[kind]))}, or one's own, decorated with "
            f"@architecture('its_name', '{kind}') of causal_disent_torch.architectures.names; given: "
            f"{as_bound(parameter, function)}."
        )
    return function(**supplied)


@architecture("conv_encoder", "encoder")
def conv_encoder(image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None) -> Any:
    """Four convolutions and a dense layer."""
    from causal_disent_torch.architectures.conv import ConvEncoder

    return ConvEncoder(image_shape, num_latent, generator)


@architecture("deconv_decoder", "decoder")
def deconv_decoder(image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None) -> Any:
    """Two dense layers and four transposed convolutions."""
    from causal_disent_torch.architectures.conv import DeconvDecoder

    return DeconvDecoder(image_shape, num_latent, generator)


@architecture("fc_encoder", "encoder")
def fc_encoder(image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None) -> Any:
    """Two dense layers of 1200."""
    from causal_disent_torch.architectures.fc import FcEncoder

    return FcEncoder(image_shape, num_latent, generator)


@architecture("fc_decoder", "decoder")
def fc_decoder(image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None) -> Any:
    """Three dense layers of 1200."""
    from causal_disent_torch.architectures.fc import FcDecoder

    return FcDecoder(image_shape, num_latent, generator)


@architecture("test_encoder", "encoder")
def linear_encoder(image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None) -> Any:
    """A linear map."""
    from causal_disent_torch.architectures.linear import LinearEncoder

    return LinearEncoder(image_shape, num_latent, generator)


@architecture("test_decoder", "decoder")
def linear_decoder(image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None) -> Any:
    """A linear map."""
    from causal_disent_torch.architectures.linear import LinearDecoder

    return LinearDecoder(image_shape, num_latent, generator)


@architecture("fc_discriminator", "discriminator")
def fc_discriminator(num_latent: int, generator: torch.Generator | None = None) -> Any:
    """Six dense layers of 1000."""
    from causal_disent_torch.architectures.discriminator import FcDiscriminator

    return FcDiscriminator(num_latent, generator)
