"""Networks by name, which configs bind; they are causal_disent's, of torch or TensorFlow."""

from __future__ import annotations

from typing import Any

from disentanglement_lib._core import part, refuse

NETWORKS = (
    "conv_encoder",
    "deconv_decoder",
    "fc_decoder",
    "fc_discriminator",
    "fc_encoder",
    "test_decoder",
    "test_encoder",
)
_INSTEAD = "Bind the network in a config: encoder.encoder_fn = @conv_encoder, say."


def make_gaussian_encoder(input_tensor: Any, is_training: bool = True, **settings: Any) -> Any:
    """Refuse: networks are made when a model is trained or read."""
    refuse("`make_gaussian_encoder`", _INSTEAD)


def make_decoder(latent_tensor: Any, output_shape: Any, is_training: bool = True, **settings: Any) -> Any:
    """Refuse, likewise."""
    refuse("`make_decoder`", _INSTEAD)


def make_discriminator(input_tensor: Any, is_training: bool = False, **settings: Any) -> Any:
    """Refuse, likewise."""
    refuse("`make_discriminator`", _INSTEAD)


def __getattr__(name: str) -> Any:
    # A network loads its framework, which an import of this module does not.
    if name in NETWORKS:
        return part(name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
