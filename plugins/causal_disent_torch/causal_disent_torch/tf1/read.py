"""A folder of disentanglement_lib to the arrays of its networks, by numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from causal_disent.runs.representation import decoder_activation, sampling_seed
from causal_disent_torch.tf1.bundle import Bundle
from causal_disent_torch.tf1.damage import UnknownGraph, clear_errors
from causal_disent_torch.tf1.graph import NotALayer
from causal_disent_torch.tf1.networks import Network, Networks, find_networks
from causal_disent_torch.tf1.saved_model import read_saved_model

SAVED_MODEL = "tfhub/saved_model.pb"
VARIABLES = "tfhub/variables/variables"


@dataclass(frozen=True)
class Weights:
    """A network and its arrays.

    Attributes:
        architecture: what configs call it.
        image_shape: (height, width, channels).
        num_latent: number of codes.
        variables: TensorFlow's usual name -> array.
    """

    architecture: str
    image_shape: tuple[int, int, int]
    num_latent: int
    variables: Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Checkpoint:
    """What a folder holds.

    Attributes:
        encoder: images to mean and log variance.
        decoder: codes to images, if it is there.
        postprocessed: whether it is a representation that was made of a model.
        sample_seed: where codes are drawn, the seed of the draws; None where they are the mean.
        activation: what turns the decoder's output into pixels: ``"logits"`` or ``"tanh"``.
    """

    encoder: Weights
    decoder: Weights | None
    postprocessed: bool
    sample_seed: int | None
    activation: str


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read a model's or a postprocessed representation's folder.

    Args:
        folder: it holds ``tfhub`` and ``results``.

    Raises:
        UnknownGraph: if the graph is not one of disentanglement_lib's known architectures.
        causal_disent.errors.InvalidInput: if a file is damaged or leads out of the folder.
    """
    networks, bundle = _networks(folder)
    return Checkpoint(
        encoder=_weights(networks.encoder, bundle),
        decoder=None if networks.decoder is None else _weights(networks.decoder, bundle),
        postprocessed=networks.postprocessed,
        sample_seed=sampling_seed(folder) if networks.sampled else None,
        activation=decoder_activation(folder),
    )


def _networks(folder: Path) -> tuple[Networks, Bundle]:
    """The networks of the graph, and where their variables are; no variable is read yet."""
    with clear_errors(folder / SAVED_MODEL):
        try:
            model = read_saved_model(folder, SAVED_MODEL)
            bundle = Bundle(folder, VARIABLES)
            shapes = {name: variable.shape for name, variable in bundle.variables.items()}
            return find_networks(model, shapes), bundle
        except NotALayer as error:
            raise UnknownGraph(folder, str(error)) from None


def _weights(network: Network, bundle: Bundle) -> Weights:
    arrays = bundle.read(network.names.values())
    variables = {name: arrays[stored] for name, stored in network.names.items()}
    return Weights(network.architecture, network.image_shape, network.num_latent, variables)
