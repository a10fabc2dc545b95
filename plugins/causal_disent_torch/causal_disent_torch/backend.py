"""Trains models, and writes and reads the folders of ``dlib_train`` and ``dlib_postprocess``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.training.loop import Keeping, run
from causal_disent.training.plan import Plan
from causal_disent.training.saved import MODEL, part_of, read_saved
from causal_disent_torch.devices import choose_device, flush_denormals, seed_generators
from causal_disent_torch.representation import TorchRepresentation, represent
from causal_disent_torch.saved import read_model, save_model, write_converted
from causal_disent_torch.training import make_trainer


class TorchBackend:
    """Folders with a ``representation/`` or a ``model/`` that holds ``model.json`` and ``weights.safetensors``.

    Args:
        trust: has no meaning here: a model of this kind cannot run anything.
        device: where the networks run.
        compiled: train with compiled networks, if steps are the faster for it.
    """

    def __init__(self, trust: bool = False, device: str = "auto", compiled: bool = False) -> None:
        self.device, self.compiled = device, compiled

    def train(self, plan: Plan, keeping: Keeping) -> tuple[TorchRepresentation, dict[str, Any]]:
        """Return the trained model, and the terms of its loss."""
        device = choose_device(self.device)
        # A user's own modules draw from torch's global generators.
        with flush_denormals(), seed_generators(plan.model_seed, device):
            trainer = make_trainer(plan, device, compiled=self.compiled)
            scores = run(trainer, plan, keeping)
        networks, activation = trainer.networks, trainer.reconstruction.activation
        return represent(networks["encoder"], networks["decoder"], activation=activation, device=device), scores

    def write(self, folder: Path, model: Any, codes: str = "mean", seed: int = 0) -> None:
        """Save a model into `folder`, with codes that are the means or are drawn with that seed."""
        if not isinstance(model, TorchRepresentation) or model.decoder is None:
            raise errors.InvalidInput(
                "The model is not one that dlib_train could have written: torch has no encoder and decoder of it."
            )
        save_model(folder, model.encoder, model.decoder, model.activation, codes, seed)

    def convert(self, source: Path, folder: Path, to: str, *, model_dir: Path | None = None) -> None:
        """Write the model in `source` into `folder`, with ONNX files."""
        model = self.read(source, model_dir=model_dir)
        write_converted(folder / (part_of(source) or MODEL), model, source, to)

    def recognises(self, folder: Path) -> bool:
        """Tell whether there is a model of this kind in `folder`."""
        return part_of(folder) is not None

    def read(self, folder: Path, data: Any = None, *, model_dir: Path | None = None) -> TorchRepresentation:
        """Return the representation in `folder`, with its decoder.

        Args:
            folder: of a representation, or of a model, whose codes are then the means.
            data: if given, its images must be of the shape that the model takes.
            model_dir: take the decoder from the model in this folder.
        """
        return read_saved(
            folder,
            data,
            model_dir,
            lambda where, part: read_model(where, part, self.device),
            lambda model, other: represent(
                model.encoder,
                other.decoder,
                activation=other.activation,
                device=model.device,
                sample_seed=model.sample_seed,
            ),
        )
