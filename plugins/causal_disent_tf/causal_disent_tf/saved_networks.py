"""The folders of ``dlib_train``, ``model.json`` and ``weights.safetensors``, as torch has them too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from causal_disent.files import inside
from causal_disent.training.checkpoint import read_tensors, write_packed
from causal_disent.training.saved import (
    DESCRIPTION,
    WEIGHTS,
    describe,
    make_described,
    read_description,
    write_description,
)
from causal_disent_tf.representation import TfRepresentation
from causal_disent_tf.weights import tf, weights_of

BACKEND = "tf"


class TrainedRepresentation(TfRepresentation):
    """An encoder and a decoder that were trained here, or by another backend.

    The arguments are those of `TfRepresentation`; the encoder gives mean and log variance.
    """

    encoder: Any

    def __init__(self, encoder: Any, decoder: Any, **options: Any) -> None:
        super().__init__(encoder, decoder, gaussian=True, **options)
        self._traced = {
            network: tf.function(lambda batch, network=network: network(batch, training=False), autograph=False)
            for network in (encoder, decoder)
        }

    def _applied(self, function: Any, tensor: Any) -> Any:
        return self._traced[function](tensor)


def save_model(
    folder: Path, encoder: Any, decoder: Any, activation: str = "logits", codes: str = "mean", seed: int = 0
) -> None:
    """Write both files into `folder`, which is made.

    Args:
        folder: to write.
        encoder: a registered network.
        decoder: a registered network.
        activation: of the decoder's output.
        codes: ``"mean"`` or ``"sampled"``.
        seed: of the draws.
    """
    description = describe(encoder, decoder, BACKEND, activation, codes, seed)
    folder.mkdir(parents=True)
    write_description(folder, description)
    weights = weights_of({"encoder": encoder, "decoder": decoder})
    write_packed(folder / WEIGHTS, save({name: weight.stored() for name, weight in weights.items()}))


def read_model(folder: Path, part: str, device: str = "auto") -> TrainedRepresentation:
    """The model in the part of `folder` of this name.

    The description is checked, then the shapes in the file of weights; only then is memory taken.
    """
    path, weights_path = inside(folder, f"{part}/{DESCRIPTION}"), inside(folder, f"{part}/{WEIGHTS}")
    description = read_description(path)
    with tf.Graph().as_default():  # shapes without memory
        needed = {
            name: (weight.shape, weight.variable.dtype)
            for name, weight in weights_of(make_described(description, path, BACKEND)).items()
        }
    what = f"the architectures that {path} names"
    found = read_tensors(weights_path, "np", needed, what, lambda array: np.isfinite(array).all())
    networks = make_described(description, path, BACKEND)
    for name, weight in weights_of(networks).items():
        weight.load(found[name])
    return TrainedRepresentation(
        networks["encoder"],
        networks["decoder"],
        activation=description.activation,
        device=device,
        sample_seed=description.sample_seed,
    )
