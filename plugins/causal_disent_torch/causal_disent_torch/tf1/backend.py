"""The backend that reads disentanglement_lib's folders without TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.runs.representation import model_folders
from causal_disent.training.saved import MODEL, REPRESENTATION, check_images_fit
from causal_disent_torch.converted import write_converted
from causal_disent_torch.representation import TorchRepresentation
from causal_disent_torch.tf1.read import SAVED_MODEL, Checkpoint, read_checkpoint
from causal_disent_torch.tf1.rebuild import rebuild


class Tf1Backend:
    """Rebuilds the known architectures in torch: conv, fc and test.

    Args:
        trust: not needed, for nothing in a folder is run.
        device: where torch runs, as ``choose_device`` takes it.
    """

    name = "tf_free"

    def __init__(self, trust: bool = False, device: str = "auto") -> None:
        self._device = device

    def recognises(self, folder: Path) -> bool:
        """Whether disentanglement_lib may have written `folder`."""
        return (folder / SAVED_MODEL).exists()

    def read(self, folder: Path, data: Any = None, *, model_dir: Path | None = None) -> TorchRepresentation:
        """The representation in `folder`.

        Args:
            folder: a model's folder (codes are the mean) or a postprocessed representation's.
            data: the data set, whose images have to fit; not needed to encode images of one's own.
            model_dir: the model's folder, for the decoder; otherwise the one in `folder` is taken, which
                representations have too, or that of a ``model`` beside or above it.

        Raises:
            UnknownGraph: if the graph is not one of disentanglement_lib's known architectures.
            causal_disent.errors.InvalidInput: if a file is damaged or leads out of the folder.
        """
        checkpoint = read_checkpoint(folder)
        check_images_fit(folder, checkpoint.encoder.image_shape, data)
        if model_dir is None and checkpoint.decoder is None:
            return self._with_decoder_nearby(folder, checkpoint)
        source = folder if model_dir is None else model_dir
        decoder = checkpoint if model_dir is None else self._named_model(model_dir)
        representation = rebuild(checkpoint, decoder, self._device)
        representation.folders = {"representation": folder, **({"decoder": source} if decoder.decoder else {})}
        return representation

    def convert(self, source: Path, folder: Path, to: str, *, model_dir: Path | None = None) -> None:
        """Write the model or the representation in `source` into `folder` as safetensors, or with ONNX files."""
        part = REPRESENTATION if read_checkpoint(source).postprocessed else MODEL
        write_converted(folder / part, self.read(source, model_dir=model_dir), source, to)

    def _named_model(self, folder: Path) -> Checkpoint:
        if not self.recognises(folder):
            raise errors.InvalidInput(
                f"The folder {folder} given by --model_dir holds no model of disentanglement_lib: there is no "
                f"{SAVED_MODEL} in it."
            )
        return read_checkpoint(folder)

    def _with_decoder_nearby(self, folder: Path, checkpoint: Checkpoint) -> TorchRepresentation:
        """The representation with the decoder of a model beside or above it, if one has a known decoder.

        Nobody named that model, so what is wrong with it is reported only where its decoder is used.
        """
        for near in filter(self.recognises, model_folders(folder)):
            try:
                found = read_checkpoint(near)
                if found.decoder is None:
                    continue
                representation = rebuild(checkpoint, found, self._device)
            except errors.NotForThisBackend:
                continue
            except errors.InvalidInput as error:
                representation = rebuild(checkpoint, checkpoint, self._device)
                representation.decode = _raising(
                    f"The decoder of the model in {near}, which lies near {folder}, cannot be used: "
                    f"{error.message}"
                )
            representation.folders = {"representation": folder, "decoder": near}
            return representation
        representation = rebuild(checkpoint, checkpoint, self._device)
        representation.folders = {"representation": folder}
        return representation


def _raising(message: str) -> Callable[[Any], Any]:
    def decode(codes: Any) -> Any:
        raise errors.InvalidInput(message)

    return decode
