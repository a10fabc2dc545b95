"""Trains models, reads and writes their folders, and runs SavedModels: disentanglement_lib's and later ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.runs.representation import decoder_activation, model_folders, sampling_seed
from causal_disent.training.loop import Keeping, run
from causal_disent.training.plan import Plan
from causal_disent.training.saved import check_images_fit, part_of, read_saved
from causal_disent_tf._tensorflow import choose_device, tensorflow
from causal_disent_tf.keras_files import SERVING, OneFunction, is_keras_file, wrap_keras_file, wrap_signature
from causal_disent_tf.representation import TfRepresentation, activate
from causal_disent_tf.saved_model import Shape, Signature, load_saved_model, locate, signature_names

#: What turns images into codes, in the order of preference: signature -> its outputs, the codes first.
ENCODERS = {"representation": ("default",), "gaussian_encoder": ("mean", "logvar")}
DECODER = "decoder"
AnySignature = Signature | OneFunction


class TfBackend:
    """Folders of ``dlib_train``; any TF1-Hub folder and SavedModel with disentanglement_lib's signatures.

    These are ``representation`` (images -> default) or ``gaussian_encoder`` (images -> mean, logvar), and
    ``decoder`` (latent_vectors -> images).

    Args:
        trust: load graphs with operations that can reach files or the network.
        device: one of `causal_disent_tf._tensorflow.DEVICES`; ``"auto"`` takes a GPU where TensorFlow sees one.
    """

    name = "tf"

    def __init__(self, trust: bool = False, device: str = "auto") -> None:
        self._trust, self._device = trust, device

    def train(self, plan: Plan, keeping: Keeping) -> tuple[TfRepresentation, dict[str, Any]]:
        """Return the trained model, and the terms of its loss."""
        with tensorflow().device(choose_device(self._device)):
            from causal_disent_tf.saved import TrainedRepresentation  # imports TensorFlow
            from causal_disent_tf.training import make_trainer

            trainer = make_trainer(plan)
            scores = run(trainer, plan, keeping)
            networks, activation = trainer.networks, trainer.reconstruction.activation
            pair = networks["encoder"], networks["decoder"]
            return TrainedRepresentation(*pair, activation=activation, device=self._device), scores

    def write(self, folder: Path, model: Any, codes: str = "mean", seed: int = 0) -> None:
        """Save a model into `folder`, with codes that are the means or are drawn with that seed."""
        tensorflow()
        from causal_disent_tf.saved import TrainedRepresentation, save_model

        if not isinstance(model, TrainedRepresentation):
            raise errors.InvalidInput(
                "The model is not one that dlib_train could have written: TensorFlow has no encoder and decoder "
                "of it."
            )
        save_model(folder, model.encoder, model.decoder, model.activation, codes, seed)

    def convert(self, source: Path, folder: Path, to: str, *, model_dir: Path | None = None) -> None:
        """Write the model in `source` for disentanglement_lib: ``model/tfhub``, ``postprocessed/mean/tfhub``."""
        if part_of(source) is None:
            raise errors.InvalidInput(
                f"{source} holds a SavedModel already; folders of dlib_train and dlib_postprocess are converted."
            )
        model: Any = self.read(source, model_dir=model_dir)
        if model.activation != decoder_activation(source):
            raise errors.InvalidInput(
                f"The decoder's activation is '{model.activation}', and disentanglement_lib would take it for "
                f"'{decoder_activation(source)}', as reconstruction_loss.activation in "
                f"{source / 'results/gin/train.gin'} has it or leaves it."
            )
        from causal_disent_tf.saved import write_model, write_representation

        write_model(folder / "model/tfhub", model)
        codes = "mean" if model.sample_seed is None else "sampled"
        write_representation(folder / f"postprocessed/{codes}/tfhub", model)

    def recognises(self, folder: Path) -> bool:
        """Tell whether `folder` holds a model of ``dlib_train``, or a SavedModel, or is a Keras file."""
        return part_of(folder) is not None or locate(folder) is not None or is_keras_file(folder)

    def read(self, folder: Path, data: Any = None, *, model_dir: Path | None = None) -> TfRepresentation:
        """Return the representation in `folder`.

        Args:
            folder: a model's folder (codes are the mean), a postprocessed representation's, or a Keras file.
            data: the data set, whose images have to fit; not needed to encode images of one's own.
            model_dir: the model's folder or the Keras file for the decoder; otherwise it is in `folder`, or in a
                ``model`` beside or above it.
        """
        with tensorflow().device(choose_device(self._device)):
            read = self._read_saved if part_of(folder) is None else self._read_trained
            return read(folder, data, model_dir)

    def _read_trained(self, folder: Path, data: Any, model_dir: Path | None) -> Any:
        """Return a model of ``dlib_train``."""
        from causal_disent_tf.saved import TrainedRepresentation, read_model

        def mixed(model: TrainedRepresentation, other: TrainedRepresentation) -> TrainedRepresentation:
            options = {"activation": other.activation, "sample_seed": model.sample_seed, "device": self._device}
            return TrainedRepresentation(model.encoder, other.decoder, **options)

        return read_saved(folder, data, model_dir, partial(read_model, device=self._device), mixed)

    def _read_saved(self, folder: Path, data: Any, model_dir: Path | None) -> TfRepresentation:
        """Return a SavedModel, or a Keras file."""
        signatures = self._encoders(folder)
        name = next((name for name in ENCODERS if name in signatures), None)
        if name is None:
            raise errors.InvalidInput(
                f"The model in {folder} has the signatures {errors.listing(sorted(signatures))}; one of "
                f"{errors.listing(ENCODERS)} is needed."
            )
        _check_sides(folder, name, signatures[name], "images", ENCODERS[name])
        check_images_fit(folder, signatures[name].inputs["images"][1:], data)
        encoder = _Encoder(folder, signatures[name], ENCODERS[name])
        gaussian = name == "gaussian_encoder"
        if model_dir is None and DECODER not in signatures:
            return self._with_decoder_nearby(encoder, gaussian)
        source = folder if model_dir is None else model_dir
        found = signatures if model_dir is None else self._decoders(model_dir)
        decode = _decoder(encoder, source, found)
        # Pixels, if nobody says otherwise; disentanglement_lib's decoders say it in their results.
        activation = "none" if isinstance(found[DECODER], OneFunction) else decoder_activation(source)
        options: Any = {"activation": activation, "gaussian": gaussian, "device": self._device}
        representation = TfRepresentation(encoder, decode, **options)
        representation.folders = {"representation": folder, "decoder": source}
        return representation

    def _encoders(self, path: Path) -> dict[str, AnySignature]:
        """Return the signatures of a model that has one of `ENCODERS`, or one function, which is taken for one."""
        return self._find_signatures(path, "representation", "images", "default", set(ENCODERS))

    def _decoders(self, path: Path) -> dict[str, AnySignature]:
        return self._find_signatures(path, DECODER, "latent_vectors", "images", {DECODER})

    def _find_signatures(
        self, path: Path, name: str, given: str, result: str, known: Set[str]
    ) -> dict[str, AnySignature]:
        """Load the signatures of a model; one function stands for the signature of this name."""
        if is_keras_file(path):
            return {name: wrap_keras_file(path, given, result, trust=self._trust)}
        signatures = self._load(path)
        if SERVING in signatures and not known & signatures.keys():
            return {name: wrap_signature(path, signatures[SERVING], given, result)}
        return {**signatures}

    def _load(self, folder: Path) -> dict[str, Signature]:
        return load_saved_model(folder, trust=self._trust, seed=sampling_seed(folder))

    def _with_decoder_nearby(self, encoder: _Encoder, gaussian: bool) -> TfRepresentation:
        """Return the representation with the decoder of a model beside or above it, if one has a decoder.

        Nobody named that model, so it is loaded, and what is wrong with it reported, when it decodes first.
        """
        near = next(filter(self._may_have_decoder, model_folders(encoder.folder)), None)
        if near is None:
            representation = TfRepresentation(encoder, gaussian=gaussian, device=self._device)
            representation.folders = {"representation": encoder.folder}
            return representation
        source = near

        @cache
        def load() -> tuple[Callable[[Any], Any], str]:
            """Load the decoder, once."""
            try:
                return _decoder(encoder, source, self._load(source)), decoder_activation(source)
            except errors.CausalDisentError as error:
                raise errors.InvalidInput(
                    f"The decoder of the model in {source}, which lies near {encoder.folder}, cannot be used: "
                    f"{error.message}"
                ) from None

        def decode(codes: Any) -> Any:
            function, activation = load()
            return activate(function(codes), activation)

        representation = TfRepresentation(encoder, decode, gaussian=gaussian, device=self._device)
        representation.folders = {"representation": encoder.folder, "decoder": source}
        return representation

    def _may_have_decoder(self, folder: Path) -> bool:
        """Tell whether a model is there that has one, or that is too damaged to tell."""
        if not self.recognises(folder):
            return False
        try:
            return DECODER in signature_names(folder)
        except errors.InvalidInput:
            return True


@dataclass(frozen=True)
class _Encoder:
    """What turns images into codes, and where it is from.

    Attributes:
        folder: of the model.
        signature: of the encoder.
        outputs: the signature's outputs that count, the codes first.
    """

    folder: Path
    signature: AnySignature
    outputs: tuple[str, ...]

    def __call__(self, images: Any) -> tuple[Any, ...]:
        found = self.signature(images=images)
        return tuple(found[name] for name in self.outputs)


def _decoder(encoder: _Encoder, folder: Path, signatures: Mapping[str, AnySignature]) -> Callable[[Any], Any]:
    """Return the decoder among the signatures of the model in `folder`, if it fits the encoder."""
    if DECODER not in signatures:
        raise errors.InvalidInput(
            f"The model in {folder} has no decoder: its signatures are {errors.listing(sorted(signatures))}."
        )
    signature = signatures[DECODER]
    _check_sides(folder, DECODER, signature, "latent_vectors", ("images",))
    takes, gives = signature.inputs["latent_vectors"], signature.outputs["images"]
    codes, images = encoder.signature.outputs[encoder.outputs[0]], encoder.signature.inputs["images"]
    if not (_can_match(takes, codes) and _can_match(gives, images)):
        raise errors.InvalidInput(
            f"The decoder in {folder} takes codes of shape {takes} and gives images of shape {gives}; the "
            f"representation in {encoder.folder} gives codes of shape {codes} and takes images of shape {images}: "
            "they belong to different models. Name the folder of the representation's own model with --model_dir."
        )
    return lambda codes: signature(latent_vectors=codes)["images"]


def _can_match(one: Shape, other: Shape) -> bool:
    """Tell whether two tensors can have the same shape, as far as it is known."""
    if not (one and other):
        return True
    return len(one) == len(other) and all(
        a is None or b is None or a == b for a, b in zip(one, other, strict=True)
    )


def _check_sides(folder: Path, name: str, signature: AnySignature, given: str, outputs: Sequence[str]) -> None:
    """Raise unless the signature takes `given` and gives the `outputs`."""
    if list(signature.inputs) != [given] or not set(outputs) <= set(signature.outputs):
        raise errors.InvalidInput(
            f"The signature '{name}' of the model in {folder} takes {errors.listing(signature.inputs)} and gives "
            f"{errors.listing(signature.outputs)}; it should take {given} and give {errors.listing(outputs)}."
        )
