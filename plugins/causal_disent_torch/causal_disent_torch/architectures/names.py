"""Architectures by the names that configs and saved models use; torch is imported when one is made."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.config import REQUIRED, configurable
from causal_disent.registry import component

if TYPE_CHECKING:
    import torch

__all__ = ["KINDS", "architecture", "decoder", "discriminator", "encoder", "is_architecture", "make_architecture"]

#: What an architecture can be.
KINDS = ("encoder", "decoder", "discriminator")
SUPPLIED = ("image_shape", "num_latent", "generator")

_architectures: dict[str, dict[str, Callable[..., Any]]] = {kind: {} for kind in KINDS}


def architecture(name: str, kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for an architecture, and saved models be read that have it.

    Args:
        name: what configs call it; saved models store it.
        kind: one of `KINDS`.

    The function takes ``(image_shape, num_latent, generator)``, a discriminator's ``(num_latent, generator)``, and
    returns a module: an encoder's gives mean and log variance (n, num_latent) for images (n, h, w, c), a decoder's
    images before the activation for codes, a discriminator's logits (n, 2) for codes. What else it takes, configs
    can bind.
    """
    if kind not in KINDS:
        raise errors.unknown("kind of architecture", kind, KINDS)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            module = function(*args, **kwargs)
            module.name = name
            return module

        _architectures[kind][name] = configurable(name, supplied=SUPPLIED)(named)
        return _architectures[kind][name]

    return register


def make_architecture(kind: str, name: str, **sizes: Any) -> Any:
    """The registered architecture of this name, for a model that was saved."""
    if name not in _architectures[kind]:
        raise errors.unknown(kind, name, sorted(_architectures[kind]))
    return _architectures[kind][name](**sizes)


@component("encoder", supplied=("image_shape", "generator"))
def encoder(
    image_shape: Sequence[int],
    generator: torch.Generator,
    num_latent: int = REQUIRED,
    encoder_fn: Callable[..., Any] = REQUIRED,
) -> torch.nn.Module:
    """The encoder that the config binds."""
    if not isinstance(num_latent, int) or num_latent < 1:
        raise errors.InvalidInput(
            f"encoder.num_latent must be a whole number of at least 1; given: {num_latent!r}."
        )
    return _named("encoder", encoder_fn(image_shape=image_shape, num_latent=num_latent, generator=generator))


@component("decoder", supplied=SUPPLIED)
def decoder(
    image_shape: Sequence[int],
    num_latent: int,
    generator: torch.Generator,
    decoder_fn: Callable[..., Any] = REQUIRED,
) -> torch.nn.Module:
    """The decoder that the config binds."""
    return _named("decoder", decoder_fn(image_shape=image_shape, num_latent=num_latent, generator=generator))


@component("discriminator", supplied=("num_latent", "generator"))
def discriminator(
    num_latent: int, generator: torch.Generator, discriminator_fn: Callable[..., Any] = REQUIRED
) -> torch.nn.Module:
    """The discriminator that the config binds."""
    return _named("discriminator", discriminator_fn(num_latent=num_latent, generator=generator))


def is_architecture(kind: str, module: Any) -> bool:
    """Whether a saved model with `module` could be read again."""
    return getattr(module, "name", None) in _architectures[kind]


def _named(kind: str, module: Any) -> Any:
    if not is_architecture(kind, module):
        raise errors.InvalidInput(
            f"{kind}.{kind}_fn must be a registered {kind}: {errors.listing(sorted(_architectures[kind]))}, or "
            f"one's own, decorated with @architecture('its_name', '{kind}') of "
            "causal_disent_torch.architectures.names."
        )
    return module


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
