"""Files of a folder that a stranger may have made: none outside it, none larger than it should be."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from causal_disent import errors

__all__ = ["inside", "read_bounded", "unusable"]


def unusable(path: Path, reason: str) -> errors.InvalidInput:
    """The file `path` of a saved model cannot be used."""
    return errors.InvalidInput(f"The saved model's file {path} cannot be used: {reason}.")


def inside(folder: Path, name: str) -> Path:
    """The path of `name` in `folder`, if no part of it after `folder` is a symbolic link or leads upwards.

    The folder itself is the user's own word and may be reached through links.
    """
    path = folder
    for part in PurePosixPath(name).parts:
        path = path / part
        if part in ("..", "/"):
            raise unusable(folder / name, "it leads out of the model's folder")
        if path.is_symlink():
            raise unusable(path, "it is a symbolic link, and a saved model may not lead out of its folder")
    return path


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a regular file, if there are at most that many."""
    try:
        if not path.is_file():
            raise unusable(path, "it is not there, or is no regular file")
        size = path.stat().st_size
        if size > most:
            raise unusable(path, f"it has {size:,} bytes, and {most:,} are the most that are read")
        with path.open("rb") as file:
            return file.read(size)  # a buffer of the size that is asked for is taken at once
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from None
