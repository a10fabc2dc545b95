"""The file system: what is written appears whole or not at all; what a stranger made is read within bounds.

Files of a folder that a stranger may have made: none outside it, none larger than it should be.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from causal_disent import errors

__all__ = [
    "check_free",
    "check_place",
    "inside",
    "new_file",
    "new_folder",
    "read_bounded",
    "unusable",
]

#: What is as long as the longest ending of a temporary name.
LONGEST_ENDING = ".12345678.replaced"


@contextmanager
def new_folder(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """A temporary folder that takes the name `path` when the block ends well, and vanishes otherwise.

    An existing folder is replaced only then, and only with `overwrite`.
    """
    _check_absent(path, overwrite=overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent))
    try:
        temporary.chmod(0o755)  # mkdtemp makes it private
        yield temporary
        _check_absent(path, overwrite=overwrite)
        if path.exists():
            replaced = temporary.with_suffix(".replaced")
            path.rename(replaced)
            temporary.rename(path)
            shutil.rmtree(replaced)
        else:
            temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary name that becomes `path` when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise if no folder can be made at `path`, or if something is there that must not be replaced.

    For the beginning of a long run, so that it does not fail at its end.
    """
    check_place(path)
    _check_absent(path, overwrite=overwrite)


def check_place(path: Path) -> None:
    """Raise if the file system allows nothing new at `path`: a missing permission, say, or a name too long."""
    if path.name in ("", ".."):
        raise errors.no_output_at(path, "it has no name of its own that a new folder could take")
    temporary = f".{path.name}{LONGEST_ENDING}"
    missing, above = [temporary], path.parent
    while not os.path.exists(above):  # unlike that of a Path, it says False where looking is not allowed
        missing.append(above.name)
        above = above.parent
    if not above.is_dir():
        raise errors.no_output_at(path, f"{above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise errors.no_output_at(path, f"the folder {above} may not be written to")
    for place in (path.parent / temporary, *(above / name for name in missing)):
        try:
            place.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise errors.no_output_at(path, f"{error.strerror}") from None


def _check_absent(path: Path, *, overwrite: bool) -> None:
    if path.exists() and not (overwrite and path.is_dir()):
        raise errors.output_exists(path)


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
