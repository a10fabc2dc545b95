"""Folders of images that are read once and kept: in a cache beside the data, or the user's."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from causal_disent_datasets.files import Publication, has_room, user_cache

from causal_disent import errors
from causal_disent.checks import check_truth, is_whole
from causal_disent.files import new_folder, path_of, within
from causal_disent.text import shown_value
from causal_disent_candle.reading import Contents, Labels, Listing, open_contents, read_folder

#: The folder beside the data.
BESIDE = ".causal_disent"

Kept = TypeVar("Kept")


def cache_folders(data: Path, chosen: str | Path | None) -> list[Path]:
    """Return where contents may be, first choice first: with the data, or in the user's cache folder."""
    own = f"{data.resolve().name}-" + hashlib.sha256(str(data.resolve()).encode()).hexdigest()[:16]
    if chosen is not None:
        return [path_of("cache", chosen) / own]
    # A link that came with the data could lead anywhere, and would be written through.
    beside = [] if (data / BESIDE).is_symlink() else [data / BESIDE]
    return [*beside, user_cache() / own]


def open_or_make(
    folders: list[Path],
    name: str,
    fingerprint: str,
    num_bytes: int,
    read: Callable[[Path], Kept | None],
    make: Callable[[Path], object],
) -> Kept:
    """Return what was made before, or is made now.

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
    """Find the first folder that can be written to and has room."""
    for folder in folders:
        if has_room(folder, num_bytes):
            return folder
    raise errors.InvalidInput(
        "What is read has to be kept in a folder that can be written to and has room for "
        f"{num_bytes / 1e6:,.0f} MB; none of these is one: {errors.listing(folders)}. "
        "The option `cache` names another."
    )


#: The shortest and the longest side that images may get.
SIDES = (8, 1024)
#: Changes when the same files would be read into something else.
VERSION = 1
#: Broken files that an error names.
MOST_NAMED = 10


def folder_of(publication: Publication, folder: str | Path | None) -> Path:
    """Return the folder that is given, or else the one in which published files are looked for."""
    if folder is None:
        return publication.find()[0]
    path = path_of("folder", folder)
    if not path.is_dir():
        raise errors.InvalidInput(f"The folder {path} does not exist.")
    return path


def height_and_width(size: Any) -> tuple[int, int]:
    """Return what images are resized to, from one number, ``"240x320"`` or (240, 320)."""
    if isinstance(size, str):
        match = re.fullmatch(r"(\d{1,5})(?:x(\d{1,5}))?", size.strip())
        sides = tuple(int(side) for side in match.groups() if side) if match else ()
    else:
        sides = tuple(size) if isinstance(size, Sequence) else (size,)
    if len(sides) == 1:
        sides *= 2
    lowest, highest = SIDES
    whole = all(is_whole(side) and lowest <= side <= highest for side in sides)
    if len(sides) != 2 or not whole:
        raise errors.InvalidInput(
            f"`size` is one number, or height and width such as 240x320, each from {lowest} to {highest}; given: "
            f"{shown_value(size)}."
        )
    return int(sides[0]), int(sides[1])


def read_contents(
    listing: Listing,
    labels: Labels,
    size: tuple[int, int],
    cache: str | Path | None,
    *,
    unique: bool,
    skip_broken: bool,
    name: str,
) -> Contents:
    """Return what the files hold, from the cache if they have been read before.

    Args:
        listing: the files.
        labels: reads their labels.
        size: height and width that images get.
        cache: a folder for what was read; in the folder of the data, or else in the user's cache folder, if not
            given.
        unique: whether a second image of a combination of factors counts as broken.
        skip_broken: leave out files that cannot be used, where otherwise they are an error.
        name: of the data set, for that error.
    """
    check_truth("`skip_broken`", skip_broken)
    height, width = size
    # Part of the name, so that what is read with other values is kept beside this and does not replace it.
    values = _digest(labels.written, unique)[:8]

    def read(path: Path) -> Contents | None:
        return open_contents(path, len(listing.images), size, labels.space)

    def make(path: Path) -> None:
        read_folder(listing, labels, size, path, unique=unique)

    contents = open_or_make(
        cache_folders(listing.folder, cache),
        f"{height}x{width}-{values}",
        _digest(VERSION, listing.fingerprint, labels.written, unique, size),
        len(listing.images) * (height * width * 3 + 100),
        read,
        make,
    )
    if contents.broken and not skip_broken:
        raise _broken_error(listing.folder, contents.broken, name)
    if not len(contents.positions):
        raise errors.InvalidInput(f"No image of {listing.folder} can be used. {contents.broken[0]}")
    return contents


def _broken_error(folder: Path, messages: Sequence[str], name: str) -> errors.InvalidInput:
    """Return the error that names the files that cannot be used."""
    named = "\n".join(f"  {message}" for message in messages[:MOST_NAMED])
    more = f"\n  ... and {len(messages) - MOST_NAMED:,} more" if len(messages) > MOST_NAMED else ""
    count = "is 1 image" if len(messages) == 1 else f"are {len(messages):,} images"
    return errors.InvalidInput(
        f"In {folder} there {count} that cannot be used:\n{named}{more}\nRepair or remove them, or leave them "
        f"out: skip_broken=True in Python, {name}.skip_broken = True in a config, --options skip_broken=True "
        "on the command line."
    )


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
