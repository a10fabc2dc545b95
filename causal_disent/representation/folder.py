"""What an input folder holds: a file that names a model, or a saved model."""

from __future__ import annotations

from pathlib import Path

from causal_disent import errors

REPRESENTATION_FILE = "representation.gin"


def names_a_model(folder: Path) -> bool:
    """Whether a file in the folder names a registered model."""
    return (folder / REPRESENTATION_FILE).is_file()


def check_folder(folder: Path, flag: str = "--input_dir", *, or_file: bool = False) -> None:
    """An error that says what to give, unless `folder` is one, or is a file where that will do."""
    if not (folder.is_dir() or (or_file and folder.is_file())):
        raise errors.missing_input(folder, flag)
