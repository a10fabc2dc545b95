"""The arrays of a checkpoint to torch modules."""

from __future__ import annotations

from typing import Any

from torch import nn

from causal_disent import errors
from causal_disent.training.networks import make_saved
from causal_disent_torch.representation import TorchRepresentation
from causal_disent_torch.tf1.read import Checkpoint, Weights
from causal_disent_torch.tf1.variables import load_tf_variables


def module_of(kind: str, weights: Weights) -> nn.Module:
    """The module of an ``"encoder"`` or a ``"decoder"``."""
    sizes: dict[str, Any] = {"image_shape": weights.image_shape, "num_latent": weights.num_latent}
    module = make_saved(kind, weights.architecture, "torch", **sizes, generator=None)
    load_tf_variables(module, weights.variables)
    return module


def rebuild(checkpoint: Checkpoint, source: Checkpoint, device: str) -> TorchRepresentation:
    """The representation of a checkpoint.

    Args:
        checkpoint: gives the encoder.
        source: gives the decoder, if it has one.
        device: where torch runs.
    """
    decoder, encoder = source.decoder, checkpoint.encoder
    if decoder is not None and decoder.num_latent != encoder.num_latent:
        raise errors.InvalidInput(
            f"The decoder takes {decoder.num_latent} codes, and the representation has {encoder.num_latent}: they "
            "belong to different models. Name the folder of the representation's own model with --model_dir."
        )
    if decoder is not None and decoder.image_shape != encoder.image_shape:
        raise errors.InvalidInput(
            f"The decoder gives images of shape {decoder.image_shape}, and the representation takes images of "
            f"shape {encoder.image_shape}: they belong to different models. Name the folder of the "
            "representation's own model with --model_dir."
        )
    return TorchRepresentation(
        module_of("encoder", encoder),
        None if decoder is None else module_of("decoder", decoder),
        activation=source.activation,
        device=device,
        sample_seed=checkpoint.sample_seed,
    )
