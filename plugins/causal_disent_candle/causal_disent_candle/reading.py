"""Folders of numbered images with JSON beside them: which files there are, their labels, and reading them all."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from causal_disent_datasets.npz import map_npy

from causal_disent import errors
from causal_disent.checks import is_finite_number, is_number
from causal_disent.data.image_files import read_image
from causal_disent.data.state_space import StateSpace
from causal_disent.files import regular, unusable, within
from causal_disent.processes import usable_cores
from causal_disent.progress import track
from causal_disent.protocols import IntArray
from causal_disent.text import shown_value

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
    """Return the images in `folder`, or where it has none, in its folder ``images``."""
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
    """Pair images with their labels."""
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


#: A label takes some 300 bytes; a file that is much larger is something else.
MOST_LABEL_BYTES = 2**16

#: Factor -> its key in the description of the scene, or in that of the object.
OF_SCENE = {"scene": "scene", "light": "lights"}
OF_OBJECT = {"object": "object_type", "color": "color", "size": "size", "rotation": "rotation"}

#: xmin, ymin, xmax, ymax in pixels, y counted from the bottom.
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """What a file says: the place of each value among its factor's values, and the object's bounds."""

    row: list[int]
    bounds: Bounds


class LabelReader:
    """Reads labels of both flavours: an object with the scene, or that inside ``{"<index>": ...}``.

    Args:
        values: factor -> the name of each value -> how files write it.
        extra_values: factor -> names of further values, which files write as they are.

    Attributes:
        written: both together.
        space: the factors and the names of their values.

    Example:
        >>> LabelReader({"size": {"small": "1.5", "large": "2.5"}}, {"size": ["3"]}).space.value_names
        {'size': ('small', 'large', '3')}
    """

    def __init__(
        self,
        values: Mapping[str, Mapping[str, str]],
        extra_values: Mapping[str, Sequence[object]] | None = None,
    ) -> None:
        written = {factor: dict(names) for factor, names in values.items()}
        if not (extra_values is None or isinstance(extra_values, Mapping)):
            raise errors.InvalidInput(
                "`extra_values` is a mapping of factors to lists of names, such as {'object': ['monkey']}; given: "
                f"{shown_value(extra_values)}."
            )
        for factor, names in (extra_values or {}).items():
            if factor not in written:
                raise errors.unknown("factor", factor, written)
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise errors.InvalidInput(
                    f"`extra_values` takes a list of names for '{factor}'; given: {shown_value(names)}."
                )
            for name in names:
                _add_value(factor, written[factor], name)
        self.written = written
        self.space = StateSpace(written)
        self._places = {
            factor: {_simplify(text): place for place, text in enumerate(names.values())}
            # Names are understood too, where files use other texts.
            | {_simplify(name): place for place, name in enumerate(names)}
            for factor, names in written.items()
        }

    def read(self, path: Path, width: int, height: int) -> Label:
        """Return the label in a file, whose image has this many pixels."""
        content = _scene(path, _content(path))
        thing = _only_object(path, content)
        row = [
            self._place(path, factor, content, OF_SCENE[factor])
            if factor in OF_SCENE
            else self._place(path, factor, thing, OF_OBJECT[factor])
            for factor in self.space.factor_names
        ]
        return Label(row, _bounds(path, thing.get("bounds"), width, height))

    def _place(self, path: Path, factor: str, content: Mapping[str, Any], key: str) -> int:
        """Find the place of a value among those of its factor."""
        if key not in content:
            raise unusable(path, f"it has no '{key}'; it has: {errors.listing(content)}")
        place = self._places[factor].get(_simplify(content[key]))
        if place is None:
            names = self.space.value_names[factor]
            nearest = errors.nearest(_shorten(content[key]), names)
            raise unusable(
                path,
                f"its {factor} is {_shorten(content[key])}, which is unknown.{nearest} There are: "
                f"{errors.listing(self.written[factor].values())}; `extra_values` adds others",
            )
        return place


def _add_value(factor: str, written: dict[str, str], name: Any) -> None:
    """Add a value that files write as it is to the values of a factor, unless it would be taken for another."""
    text = _simplify(float(name)) if is_number(name) else name
    if not isinstance(text, str) or not _simplify(text).strip("\0"):
        raise errors.InvalidInput(f"`extra_values` of '{factor}' are text or numbers; given: {shown_value(name)}.")
    for known, known_text in written.items():
        if _simplify(text) in (_simplify(known), _simplify(known_text)):
            raise errors.InvalidInput(
                "`extra_values` adds "
                f"{shown_value(name)} to the factor '{factor}', which has '{known}' already; files do "
                "not tell the two apart. Leave it out, or call it something else."
            )
    written[text] = text


def _content(path: Path) -> Any:
    """Read the JSON of a label, within bounds."""
    try:
        with regular(path).open("rb") as stream:
            content = stream.read(MOST_LABEL_BYTES + 1)
        if len(content) > MOST_LABEL_BYTES:
            raise unusable(path, f"it has {path.stat().st_size:,} bytes, and a label at most {MOST_LABEL_BYTES:,}")
        return json.loads(content)
    except errors.CausalDisentError:
        raise
    except (ValueError, RecursionError) as error:
        raise unusable(path, f"it is not JSON ({error})") from None
    except OSError as error:
        raise unusable(path, f"it cannot be read ({error.strerror})") from None


def _scene(path: Path, content: Any) -> dict[str, Any]:
    """Return the description of the scene, which v1 has inside ``{"<index>": ...}``."""
    if isinstance(content, dict) and len(content) == 1:
        (index,) = content
        if re.fullmatch(r"\d+", index):
            if index != path.stem:
                raise unusable(path, f"it describes the image {index[:20]}")
            content = content[index]
    if not isinstance(content, dict):
        raise unusable(path, f"it should hold a JSON object, and holds {_shorten(content)}")
    return content


def _only_object(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    objects = content.get("objects")
    found = list(objects.values()) if isinstance(objects, dict) else []
    if len(found) != 1 or not isinstance(found[0], dict):
        raise unusable(path, f"its 'objects' should describe one object, and is {_shorten(objects)}")
    return found[0]


def _bounds(path: Path, given: Any, width: int, height: int) -> Bounds:
    """Check the bounds of the object."""
    try:
        (xmin, ymin), (xmax, ymax) = given
        bounds = (_number(xmin), _number(ymin), _number(xmax), _number(ymax))
    except (TypeError, ValueError):
        raise unusable(
            path, f"its 'bounds' should be [[xmin, ymin], [xmax, ymax]], and are {_shorten(given)}"
        ) from None
    if not (0 <= bounds[0] < bounds[2] <= width and 0 <= bounds[1] < bounds[3] <= height):
        raise unusable(
            path, f"its bounds {_shorten(given)} are no box inside the image of {width}x{height} pixels"
        )
    return bounds


def _number(value: Any) -> float:
    if not is_finite_number(value):
        raise ValueError(value)
    return float(value)


def _simplify(value: Any) -> str:
    """A text by which values are compared: ``City_Square`` and ``city square`` are the same, and 2 and 2.0."""
    if isinstance(value, str):
        return " ".join(value.lower().replace("_", " ").replace("-", " ").split())
    try:
        return f"{_number(value):g}"
    except (ValueError, OverflowError):
        return "\0"  # no name has it


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def to_box(bounds: Bounds, original: tuple[int, int], resized: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the smallest box of whole pixels that covers the bounds once the image is resized.

    Args:
        bounds: xmin, ymin, xmax, ymax in the original's pixels, y counted from the bottom.
        original: height and width.
        resized: height and width.

    Returns:
        xmin, ymin, xmax, ymax in pixels from the top left, half-open: rows ``ymin:ymax``, columns ``xmin:xmax``.

    Example:
        >>> to_box((95, 29, 154, 87), (240, 320), (240, 320))
        (95, 153, 154, 211)
        >>> to_box((95, 29, 154, 87), (240, 320), (64, 64))
        (19, 40, 31, 57)
    """
    (height, width), (new_height, new_width) = original, resized
    xmin, ymin, xmax, ymax = bounds
    return (
        math.floor(xmin * new_width / width),
        math.floor((height - ymax) * new_height / height),
        math.ceil(xmax * new_width / width),
        math.ceil((height - ymin) * new_height / height),
    )


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
    """Return what `save_contents` wrote, or None where it is not what it should be.

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
        """Return the label in a file, whose image has this many pixels."""


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
    """Return height and width of the first image that can be read, which all must have."""
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
