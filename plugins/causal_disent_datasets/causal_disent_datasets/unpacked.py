"""Compressed arrays, unpacked once to a file that can be mapped into memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from causal_disent import errors
from causal_disent.files import new_file, unusable
from causal_disent.progress import track


def unpack_once(source: Path, tag: str, size: int, write: Callable[[BinaryIO], Iterable[int]]) -> Path:
    """The file with what `write` unpacks from `source`.

    Args:
        source: the compressed file. The other one goes beside it, or where that folder cannot be written to,
            into the user's cache folder.
        tag: part of the file's name. It changes when the source does.
        size: bytes the file must have.
        write: writes to a stream and gives the number of bytes of each step.

    Returns:
        ``<source's name>.<tag>.npy``, which has its name only when it is whole.
    """
    name = f"{source.stem}.{tag}.npy"
    for folder in (source.parent, user_cache()):
        if _has_size(folder / name, size):
            return folder / name
    target = _folder_for(source, size) / name
    with new_file(target) as temporary:
        with temporary.open("wb") as stream:
            written = sum(track(_bounded(write(stream), size), f"unpacking {source.name}, once", unit="chunk"))
        if written != size:
            raise unusable(source, f"{size:,} bytes should come out of it, and {written:,} do")
    return target


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _bounded(steps: Iterable[int], size: int) -> Iterator[int]:
    """The steps, as far as they stay within `size`, and the one that goes beyond."""
    total = 0
    for step in steps:
        total += step
        yield step
        if total > size:
            return


def user_cache() -> Path:
    """The folder for what can be made again, where the folder of the data cannot be written to."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "causal_disent"


def has_room(folder: Path, num_bytes: int) -> bool:
    """Whether so much can be written to a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > num_bytes


def _folder_for(source: Path, size: int) -> Path:
    """A folder that can be written to and has room."""
    candidates = [source.parent, user_cache()]
    for folder in candidates:
        if has_room(folder, size):
            return folder
    raise errors.InvalidInput(
        f"To read {source} it has to be unpacked once, and neither {candidates[0]} nor {candidates[1]} can be "
        f"written to and has room for {size / 1e9:.1f} GB. XDG_CACHE_HOME sets another place for the second."
    )
