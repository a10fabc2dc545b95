"""Which files a folder has: numbered images with JSON beside them."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from causal_disent.files import unusable, within

IMAGES = (".png", ".jpg", ".jpeg")
LABEL = ".json"
#: Other files, such as a table or a contact sheet, are left alone.
_NUMBERED = re.compile(r"(\d{1,18})(\.png|\.jpe?g|\.json)", re.IGNORECASE)


@dataclass(frozen=True)
class Listing:
    """The images of a folder.

    Attributes:
        folder: where they are.
        images: file names, in the order of their numbers.
        labels: the file with the label of each, which may be the image itself.
        alone: a message for each image without a label and each label without an image.
        fingerprint: changes when a file is added, removed or written to.
    """

    folder: Path
    images: list[str] = field(repr=False)
    labels: list[str] = field(repr=False)
    alone: list[str] = field(repr=False)
    fingerprint: str


def list_folder(folder: Path) -> Listing:
    """The images in `folder`, or where it has none, in its folder ``images``."""
    for place in (folder, folder / "images"):
        states = file_states(within(folder, place), _NUMBERED)
        if states:
            return _listing(place, states)
    raise unusable(folder, "it has no images <number>.png or <number>.jpg with <number>.json beside them")


def file_states(folder: Path, names: re.Pattern[str]) -> dict[str, tuple[int, int]]:
    """Name -> bytes and time of the last change, of each file whose name is one of the `names`."""
    if not folder.is_dir():
        return {}
    with os.scandir(folder) as entries:
        found = {
            entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns)
            for entry in entries
            if names.fullmatch(entry.name) and entry.is_file()
        }
    return dict(sorted(found.items()))


def fingerprint(states: dict[str, tuple[int, int]]) -> str:
    """Changes when a file does."""
    return hashlib.sha256(repr(list(states.items())).encode()).hexdigest()


def _listing(folder: Path, states: dict[str, tuple[int, int]]) -> Listing:
    by_stem: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"images": [], "labels": []})
    for name in states:
        stem, suffix = os.path.splitext(name)
        by_stem[stem]["labels" if suffix.lower() == LABEL else "images"].append(name)
    images, labels, alone = [], [], []
    for stem in sorted(by_stem, key=lambda stem: (int(stem), stem)):
        found = by_stem[stem]
        if len(found["images"]) == len(found["labels"]) == 1:
            images += found["images"]
            labels += found["labels"]
        else:
            files = [*found["images"], *found["labels"]]
            reason = "an image and its JSON should go together, and there are: " + " ".join(files)
            alone.append(unusable(folder / files[0], reason).message)
    return Listing(folder, images, labels, alone, fingerprint(states))
