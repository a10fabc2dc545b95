"""What a run keeps until it is over, beside its folder: a checkpoint, and what trackers write."""

from __future__ import annotations

from pathlib import Path

from causal_disent import errors
from causal_disent.training.trackers import clear_tracked

CHECKPOINT = "checkpoint.safetensors"


def partial_folder(model_dir: Path) -> Path:
    """Where a run into `model_dir` keeps these."""
    return model_dir.with_name(f"{model_dir.name}.partial")


def has_checkpoint(folder: Path) -> bool:
    """Whether a run left a checkpoint in `folder`."""
    return (folder / CHECKPOINT).exists()


def clear(folder: Path) -> None:
    """Remove what a run keeps in `folder`, and the folder if nothing else is in it."""
    path = folder / CHECKPOINT
    if path.is_dir() or (folder.exists() and not folder.is_dir()):
        raise errors.InvalidInput(
            f"{path} is the place of the checkpoint, and something else is there. Move it away."
        )
    # A kill in the middle of writing leaves a file under its temporary name.
    for file in (path, *folder.glob(f".{CHECKPOINT}.*.partial")):
        file.unlink(missing_ok=True)
    clear_tracked(folder)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
