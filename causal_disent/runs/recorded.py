"""What the folder of a saved model records of how it was made, and where the rest of the model is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.arguments import literal
from causal_disent.config import recorded_bindings
from causal_disent.files import inside

#: What disentanglement_lib can apply to a decoder's output, its default first.
DECODER_ACTIVATIONS = ("logits", "tanh")
#: Where disentanglement_lib's studies put the model that representations were made of, and how far above them.
MODEL, LEVELS = "model", 3


def recorded_values(folder: Path, step: str) -> dict[str, Any]:
    """The values that a step's config recorded; nothing if there is no such config.

    Args:
        folder: of the saved model.
        step: ``"train"`` or ``"postprocess"``.

    Returns:
        ``name.parameter`` -> the value, or its text where it is not a plain one, such as ``@conv_encoder``.
    """
    path = inside(folder, f"results/gin/{step}.gin")
    if not path.exists():
        return {}
    return {name: literal(text) for name, text in recorded_bindings(path).items()}


def decoder_activation(folder: Path) -> str:
    """What turns the output of the folder's decoder into pixels: ``"logits"`` or ``"tanh"``."""
    found = recorded_values(folder, "train").get("reconstruction_loss.activation", DECODER_ACTIVATIONS[0])
    if found not in DECODER_ACTIVATIONS:
        raise errors.unknown("activation", found, DECODER_ACTIVATIONS)
    return found


def sampling_seed(folder: Path) -> int:
    """The seed of a representation that draws its codes."""
    seed = recorded_values(folder, "postprocess").get("postprocess.random_seed", 0)
    return seed % 2**32 if isinstance(seed, int) else 0


def model_folders(folder: Path) -> Iterator[Path]:
    """Where the model may be that a representation was made of: in a ``model`` beside the folder, or above it."""
    own = folder.resolve()
    for above in own.parents[:LEVELS]:
        if (above / MODEL).is_dir() and above / MODEL != own:
            yield above / MODEL
