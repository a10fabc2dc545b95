"""The folders ``train`` and ``test`` that a published program wrote, none of their files trusted."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from causal_disent_datasets.files import unusable

from causal_disent import errors
from causal_disent.data.image_files import read_image
from causal_disent.files import path_of, within
from causal_disent.progress import track
from causal_disent.protocols import IntArray
from causal_disent_crl.draws import SPLITS, Draws

#: Files that a thread reads between two steps of the progress bar.
CHUNK = 32
_NAME = re.compile(r"a(_-?\d{1,4}){4}\.png")


@dataclass(frozen=True)
class FoundFiles:
    """The images of a folder.

    Attributes:
        paths: in the order of the draws.
        rows: (n,) which draw each one shows.
        state: changes when a file is added, removed or written to.
    """

    paths: list[Path]
    rows: IntArray
    state: list[tuple[str, int, int]]


def find_files(folder: str | Path, draws: Draws, split: str, form: str) -> FoundFiles:
    """The images of one split, or of all; some may be missing, but none may be there that was not published.

    Args:
        folder: with a folder for each split.
        draws: what the program drew.
        split: ``train``, ``test`` or ``all``.
        form: how a file is called, for errors.
    """
    root = path_of("folder", folder)
    if not root.is_dir():
        raise errors.InvalidInput(f"The folder {folder} does not exist.")
    files = zip(draws.splits.tolist(), draws.names.tolist(), strict=True)
    # A later draw of the same name has overwritten the earlier one.
    row_of = {file: row for row, file in enumerate(files)}
    found: dict[int, tuple[Path, os.stat_result]] = {}
    for part in SPLITS if split == "all" else (split,):
        if not (root / part).is_dir():
            raise unusable(root, f"it has no folder '{part}', which split='{split}' needs")
        with os.scandir(within(root, root / part)) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                # Hidden files are not the program's: some systems leave one beside each that they unpack.
                if entry.name.lower().endswith(".png") and not entry.name.startswith("."):
                    found[_row(row_of, part, entry, form)] = Path(entry.path), entry.stat()
    if not found:
        raise unusable(root, f"it has no images {form}")
    rows = sorted(found)
    state = [(str(found[row][0]), found[row][1].st_size, found[row][1].st_mtime_ns) for row in rows]
    return FoundFiles([found[row][0] for row in rows], np.array(rows), state)


def _row(row_of: dict[tuple[str, str], int], part: str, entry: os.DirEntry[str], form: str) -> int:
    path = Path(entry.path)
    if not entry.is_file(follow_symlinks=False):
        raise unusable(path, "it is no regular file")
    if not _NAME.fullmatch(entry.name):
        raise unusable(path, f"a file should be called {form}, with whole numbers")
    if (part, entry.name) not in row_of:
        other = next((name for name in SPLITS if (name, entry.name) in row_of), None)
        hint = f"; it belongs to '{other}'" if other else ""
        raise unusable(path, f"the mechanism makes no image of this name for '{part}'{hint}")
    return row_of[part, entry.name]


def read_files(paths: list[Path], side: int, images: np.ndarray) -> None:
    """Fill `images` (n, size, size, 3) from files of `side` x `side` pixels, several at a time."""

    def read(start: int) -> None:
        for place in range(start, min(start + CHUNK, len(paths))):
            images[place] = read_image(paths[place], (side, side, 3), images.shape[1:3])

    starts = range(0, len(paths), CHUNK)
    label = f"reading {paths[0].parent.parent}, once"
    # Decoding a PNG and resizing it leave the interpreter's lock free, so that threads are enough.
    with ThreadPoolExecutor() as pool:
        for _ in track(pool.map(read, starts), label, total=len(starts), unit="batch"):
            pass
