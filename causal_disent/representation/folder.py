"""Which model an input folder holds."""

from __future__ import annotations

from pathlib import Path

from causal_disent import errors

__all__ = ["REPRESENTATION_FILE", "check_input"]

REPRESENTATION_FILE = "representation.gin"


def check_input(folder: Path, flag: str = "--input_dir") -> Path:
    """The file that names the folder's model, or an error that says what a folder needs."""
    if not folder.is_dir():
        raise errors.missing_input(folder, flag)
    file = folder / REPRESENTATION_FILE
    if not file.is_file():
        raise errors.InvalidInput(
            f"The folder {folder} holds no model: there is no {REPRESENTATION_FILE} in it. Such a file names a "
            "registered model (`causal-disent models` lists them), for instance:\n"
            "    representation.name = 'perfect_oracle'\n    dataset.name = 'candle_mini'"
        )
    return file
