"""The backend that runs SavedModels through TensorFlow: disentanglement_lib's modules and later ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.steps.recorded import decoder_activation, model_folders, sampling_seed
from causal_disent_tf.representation import TfRepresentation
from causal_disent_tf.saved_model import Signature, load_saved_model, locate

__all__ = ["TfBackend"]

#: What turns images into codes, in the order of preference: signature -> its outputs, the codes first.
ENCODERS = {"representation": ("default",), "gaussian_encoder": ("mean", "logvar")}
DECODER = "decoder"


class TfBackend:
    """Any TF1-Hub folder and any SavedModel of TensorFlow 2 with disentanglement_lib's signatures.

    ``representation`` (images -> default) or ``gaussian_encoder`` (images -> mean, logvar), and ``decoder``
    (latent_vectors -> images).

    Args:
        trust: load graphs with operations that can reach files or the network.
    """

    name = "tf"

    def __init__(self, trust: bool = False) -> None:
        self._trust = trust

    def recognises(self, folder: Path) -> bool:
        """Whether `folder` holds a SavedModel."""
        return locate(folder) is not None

    def read(self, folder: Path, data: Any = None, *, model_dir: Path | None = None) -> TfRepresentation:
        """The representation in `folder`.

        Args:
            folder: a model's folder (codes are the mean) or a postprocessed representation's.
            data: the data set, whose images have to fit; not needed to encode images of one's own.
            model_dir: the model's folder, for the decoder; otherwise it is in `folder`, or in a ``model`` beside
                or above it.
        """
        signatures = self._load(folder)
        name = next((name for name in ENCODERS if name in signatures), None)
        if name is None:
            raise errors.InvalidInput(
                f"The model in {folder} has the signatures {errors.listing(sorted(signatures))}; one of "
                f"{errors.listing(ENCODERS)} is needed."
            )
        _check_sides(folder, name, signatures[name], "images", ENCODERS[name])
        _check_images(folder, signatures[name], data)
        encode = _encoder(signatures[name], ENCODERS[name])
        gaussian = name == "gaussian_encoder"
        found = self._decoder(folder, signatures, model_dir)
        if found is None:
            representation = TfRepresentation(encode, gaussian=gaussian)
            representation.folders = {"representation": folder}
            return representation
        source, decoder = found
        _check_sides(source, DECODER, decoder, "latent_vectors", ("images",))
        activation = decoder_activation(source)
        representation = TfRepresentation(encode, _decoder(decoder), activation=activation, gaussian=gaussian)
        representation.folders = {"representation": folder, "decoder": source}
        return representation

    def _load(self, folder: Path) -> dict[str, Signature]:
        return load_saved_model(folder, trust=self._trust, seed=sampling_seed(folder))

    def _decoder(
        self, folder: Path, signatures: Mapping[str, Signature], model_dir: Path | None
    ) -> tuple[Path, Signature] | None:
        """The folder with the decoder, and the decoder."""
        if model_dir is not None:
            found = self._load(model_dir)
            if DECODER not in found:
                raise errors.InvalidInput(
                    f"The model in {model_dir} has no decoder: its signatures are {errors.listing(sorted(found))}."
                )
            return model_dir, found[DECODER]
        if DECODER in signatures:
            return folder, signatures[DECODER]
        for near in filter(self.recognises, model_folders(folder)):
            found = self._load(near)
            if DECODER in found:
                return near, found[DECODER]
        return None


def _encoder(signature: Signature, outputs: tuple[str, ...]) -> Callable[[Any], Any]:
    return lambda images: tuple(signature(images=images)[name] for name in outputs)


def _decoder(signature: Signature) -> Callable[[Any], Any]:
    return lambda codes: signature(latent_vectors=codes)["images"]


def _check_sides(folder: Path, name: str, signature: Signature, given: str, outputs: Sequence[str]) -> None:
    """Raise unless the signature takes `given` and gives the `outputs`."""
    if list(signature.inputs) != [given] or not set(outputs) <= set(signature.outputs):
        raise errors.InvalidInput(
            f"The signature '{name}' of the model in {folder} takes {errors.listing(signature.inputs)} and gives "
            f"{errors.listing(signature.outputs)}; it should take {given} and give {errors.listing(outputs)}."
        )


def _check_images(folder: Path, signature: Signature, data: Any) -> None:
    expected = signature.inputs["images"][1:]
    given = tuple(getattr(data, "observation_shape", expected))
    fits = len(given) == len(expected) and all(b in (None, a) for a, b in zip(given, expected, strict=True))
    if expected and not fits:
        raise errors.InvalidInput(
            f"The model in {folder} takes images of shape {expected}, and those of the data set have shape "
            f"{given}. Name the data set that the model was trained on with dataset.name."
        )
