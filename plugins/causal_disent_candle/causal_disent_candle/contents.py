"""What a folder was read into: a few arrays, kept as files so that later they are only mapped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from causal_disent_datasets.npz import map_npy

from causal_disent.data.state_space import StateSpace
from causal_disent.files import regular
from causal_disent.protocols import IntArray

IMAGES = "images.npy"
FACTS = "facts.json"
#: More than any list of broken files takes.
MOST_BYTES = 2**24


@dataclass(frozen=True)
class Contents:
    """The images that could be read, by their position in the listing.

    Attributes:
        path: the folder with the arrays; ``images.npy`` is (files, h, w, 3) uint8, black where a file is broken.
        boxes: (files, 4) xmin, ymin, xmax, ymax in pixels from the top left, half-open.
        positions: (images,) of the files that are not broken, ascending.
        rows: (images, factors) their factors.
        original: height and width of the images in the files.
        broken: a message for each file that cannot be used.
    """

    path: Path
    boxes: IntArray
    positions: IntArray
    rows: IntArray
    original: tuple[int, int]
    broken: list[str]


def save_contents(contents: Contents) -> None:
    """Write all but the images, which are there already."""
    for name in ("boxes", "positions", "rows"):
        np.save(contents.path / f"{name}.npy", getattr(contents, name).astype(np.int64), allow_pickle=False)
    facts = {"original": contents.original, "broken": contents.broken}
    (contents.path / FACTS).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def open_contents(path: Path, num_files: int, size: tuple[int, int], space: StateSpace) -> Contents | None:
    """What `save_contents` wrote, or None where it is not what it should be.

    The folder may have come with the data from a stranger, so that everything is checked.
    """
    try:
        if regular(path / FACTS).stat().st_size > MOST_BYTES:
            return None
        facts = json.loads((path / FACTS).read_text(encoding="utf-8"))
        height, width = (int(length) for length in facts["original"])
        broken = [str(message) for message in facts["broken"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError, EOFError):
        return None
    images = map_npy(path / IMAGES, "|u1", num_files, (*size, 3))
    boxes, positions, rows = (
        map_npy(path / f"{name}.npy", "<i8", num_files, trailing)
        for name, trailing in (("boxes", (4,)), ("positions", ()), ("rows", (space.num_factors,)))
    )
    if images is None or boxes is None or positions is None or rows is None:
        return None
    if not (len(images) == len(boxes) == num_files and len(rows) == len(positions)):
        return None
    if not (_within(boxes, 0, max(size) + 1) and _ascending(positions, num_files)):
        return None
    if not _within(rows, 0, np.asarray(space.sizes)):
        return None
    return Contents(path, np.array(boxes), np.array(positions), np.array(rows), (height, width), broken)


def _within(array: IntArray, low: int, high: int | Sequence[int] | IntArray) -> bool:
    return bool(((array >= low) & (array < np.asarray(high))).all())


def _ascending(positions: IntArray, below: int) -> bool:
    return _within(positions, 0, below) and bool((np.diff(positions) > 0).all())
