"""A folder of images and JSON read into arrays, several files at a time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from causal_disent import errors
from causal_disent.data.image_files import read_image
from causal_disent.data.state_space import StateSpace
from causal_disent.files import unusable
from causal_disent.processes import usable_cores
from causal_disent.progress import track
from causal_disent.protocols import IntArray
from causal_disent_candle.boxes import to_box
from causal_disent_candle.contents import IMAGES, Contents, save_contents
from causal_disent_candle.labels import Label
from causal_disent_candle.listing import Listing

#: Files that a thread reads between two steps of the progress bar.
CHUNK = 32


class Labels(Protocol):
    """Reads the label of an image."""

    @property
    def space(self) -> StateSpace:
        """The factors and the names of their values."""

    @property
    def written(self) -> object:
        """What labels depend on: other contents are read when its ``repr`` is another."""

    def read(self, path: Path, width: int, height: int) -> Label:
        """The label in a file, whose image has this many pixels."""


def read_folder(
    listing: Listing, labels: Labels, size: tuple[int, int], target: Path, *, unique: bool
) -> Contents:
    """Read every file, and save what is in them.

    Args:
        listing: the files.
        labels: reads them.
        size: height and width that the images get, nearly as with CANDLE's authors (`read_image`).
        target: an empty folder for the arrays.
        unique: whether a second image of a combination of factors counts as broken.

    Returns:
        The contents, as `open_contents` finds them in `target`. Files that cannot be used are listed in it.
    """
    total = len(listing.images)
    original = _original_size(listing)
    images = np.lib.format.open_memmap(target / IMAGES, mode="w+", dtype=np.uint8, shape=(total, *size, 3))
    boxes = np.zeros((total, 4), dtype=np.int64)
    rows = np.full((total, labels.space.num_factors), -1, dtype=np.int64)
    read = partial(_read_some, listing, labels, original, images, boxes, rows)
    starts = range(0, total, CHUNK)
    broken = list(listing.alone)
    with ThreadPoolExecutor(usable_cores()) as pool:
        # Decoding a PNG and resizing it leave the interpreter's lock free, so that threads are enough.
        steps = track(pool.map(read, starts), f"reading {listing.folder}, once", total=len(starts), unit="batch")
        for messages in steps:
            broken += messages
    if unique:
        broken += _drop_duplicates(listing, labels.space, rows)
    positions = np.flatnonzero(rows[:, 0] >= 0)
    contents = Contents(target, boxes, positions, rows[positions], original, broken)
    save_contents(contents)
    return contents


def _original_size(listing: Listing) -> tuple[int, int]:
    """Height and width of the first image that can be read, which all must have."""
    for name in listing.images:
        try:
            height, width = read_image(listing.folder / name).shape[:2]
            return height, width
        except errors.InvalidInput:
            continue
    reason = "none of its images can be read" if listing.images else "it has no image with its JSON"
    raise unusable(
        listing.folder, f"{reason}{''.join(f'. {message}' for message in listing.alone[:1])}".rstrip(".")
    )


def _read_some(
    listing: Listing,
    labels: Labels,
    original: tuple[int, int],
    images: np.ndarray,
    boxes: IntArray,
    rows: IntArray,
    start: int,
) -> list[str]:
    """Fill the places from `start` on; a message for each file that cannot be used."""
    broken = []
    height, width = original
    size = images.shape[1:3]
    for place in range(start, min(start + CHUNK, len(images))):
        try:
            label = labels.read(listing.folder / listing.labels[place], width, height)
            images[place] = read_image(listing.folder / listing.images[place], (height, width, 3), size)
        except errors.InvalidInput as error:
            broken.append(error.message)
            continue
        boxes[place] = to_box(label.bounds, original, size)
        rows[place] = label.row
    return broken


def _drop_duplicates(listing: Listing, space: StateSpace, rows: IntArray) -> Iterator[str]:
    """Mark all but the first image of each combination as unusable; a message for each."""
    positions = np.flatnonzero(rows[:, 0] >= 0)
    _, firsts, which = np.unique(space.to_index(rows[positions]), return_index=True, return_inverse=True)
    for place, first in zip(positions, positions[firsts[which]], strict=True):
        if place != first:
            same = f"it shows what {listing.images[first]} shows: {space.describe(rows[first].tolist())}"
            rows[place] = -1
            yield unusable(listing.folder / listing.images[place], same).message
