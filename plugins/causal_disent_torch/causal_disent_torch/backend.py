"""Reads the folders that ``dlib_train`` and ``dlib_postprocess`` write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors

if TYPE_CHECKING:
    from causal_disent_torch.representation import TorchRepresentation

__all__ = ["MODEL", "REPRESENTATION", "TorchBackend"]

#: Where in a folder the model is, and where the representation that was made of it.
MODEL, REPRESENTATION = "model", "representation"


class TorchBackend:
    """Folders with a ``representation/`` or a ``model/`` that holds ``model.json`` and ``weights.safetensors``.

    Args:
        trust: has no meaning here: a model of this kind cannot run anything.
        device: where the networks run.
    """

    def __init__(self, trust: bool = False, device: str = "auto") -> None:
        self.device = device

    def recognises(self, folder: Path) -> bool:
        """Whether there is a model of this kind in `folder`."""
        return _part(folder) is not None

    def read(self, folder: Path, data: Any = None, *, model_dir: Path | None = None) -> TorchRepresentation:
        """The representation in `folder`, with its decoder.

        Args:
            folder: of a representation, or of a model, whose codes are then the means.
            data: if given, its images must be of the shape that the model takes.
            model_dir: take the decoder from the model in this folder.
        """
        from causal_disent_torch.representation import TorchRepresentation

        model = self._read(folder)
        shape = tuple(model.encoder.image_shape)
        if data is not None and tuple(data.observation_shape) != shape:
            raise errors.InvalidInput(
                f"The model in {folder} takes images of shape {shape}; those of the data set are of shape "
                f"{tuple(data.observation_shape)}. Evaluate it on the data set it was trained on."
            )
        if model_dir is None:
            model.folders = {"representation": folder, "decoder": folder}
            return model
        other = self._read(model_dir)
        if (tuple(other.encoder.image_shape), other.num_codes) != (shape, model.num_codes):
            raise errors.InvalidInput(
                f"The decoder in {model_dir} takes {other.num_codes} codes and gives images of shape "
                f"{tuple(other.encoder.image_shape)}; {folder} has {model.num_codes} codes and images of shape "
                f"{shape}."
            )
        mixed = TorchRepresentation(
            model.encoder,
            other.decoder,
            activation=other.activation,
            device=model.device,
            sample_seed=model.sample_seed,
        )
        mixed.folders = {"representation": folder, "decoder": model_dir}
        return mixed

    def _read(self, folder: Path) -> TorchRepresentation:
        from causal_disent_torch.saved_model import read_model

        part = _part(folder)
        if part is None:
            raise errors.InvalidInput(
                f"{folder} has no model: neither {MODEL}/model.json nor {REPRESENTATION}/model.json is there."
            )
        return read_model(folder, part, self.device)


def _part(folder: Path) -> str | None:
    """The part of `folder` that holds a model."""
    return next((part for part in (REPRESENTATION, MODEL) if (folder / part / "model.json").is_file()), None)
