"""Where the contents of a folder are kept once it has been read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from causal_disent_datasets.unpacked import has_room, user_cache

from causal_disent import errors
from causal_disent.files import new_folder, path_of, within

#: The folder beside the data.
BESIDE = ".causal_disent"

Contents = TypeVar("Contents")


def cache_folders(data: Path, chosen: str | Path | None) -> list[Path]:
    """Where contents may be, first choice first: with the data, or in the user's cache folder."""
    own = f"{data.resolve().name}-" + hashlib.sha256(str(data.resolve()).encode()).hexdigest()[:16]
    if chosen is not None:
        return [path_of("cache", chosen) / own]
    # A link that came with the data could lead anywhere, and would be written through.
    beside = [] if (data / BESIDE).is_symlink() else [data / BESIDE]
    return [*beside, user_cache() / own]


def remembered(
    folders: list[Path],
    name: str,
    fingerprint: str,
    num_bytes: int,
    read: Callable[[Path], Contents | None],
    make: Callable[[Path], object],
) -> Contents:
    """What was made before, or is made now.

    Args:
        folders: of `cache_folders`.
        name: of what is kept; what other fingerprints have left under it is removed once it is made anew.
        fingerprint: of the files it is made from.
        num_bytes: how much room it takes.
        read: opens it from a folder, or gives None where it is damaged.
        make: writes it to an empty folder, which gets its name only when it is whole.
    """
    own = f"{name}-{fingerprint[:16]}"
    for folder in folders:
        if within(folder, folder / own).is_dir():
            found = read(folder / own)
            if found is not None:
                return found
            shutil.rmtree(folder / own, ignore_errors=True)
    folder = _writable(folders, num_bytes)
    try:
        with new_folder(folder / own, overwrite=False, wait=True) as temporary:
            make(temporary)
    except (errors.OutputExists, OSError):
        # Another process made the same meanwhile.
        if not (folder / own).is_dir():
            raise
    for path in folder.glob(f"{name}-*"):
        if path.name != own:
            shutil.rmtree(path, ignore_errors=True)
    made = read(folder / own)
    if made is None:
        raise errors.InvalidInput(f"What was written to {folder / own} cannot be read back; is the disk full?")
    return made


def _writable(folders: list[Path], num_bytes: int) -> Path:
    for folder in folders:
        if has_room(folder, num_bytes):
            return folder
    raise errors.InvalidInput(
        "What is read has to be kept in a folder that can be written to and has room for "
        f"{num_bytes / 1e6:,.0f} MB; none of these is one: {errors.listing(folders)}. "
        "The option `cache` names another."
    )
