"""Data that is a folder of rendered images, each with its factors in a JSON file."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from causal_disent_datasets.files import FromFiles, incomplete

from causal_disent import errors
from causal_disent.arguments import is_whole
from causal_disent.data.table_data import TableData
from causal_disent.protocols import IntArray
from causal_disent_candle.cache import cache_folders, remembered
from causal_disent_candle.contents import IMAGES, Contents, open_contents
from causal_disent_candle.images import MappedImages
from causal_disent_candle.labels import LabelReader
from causal_disent_candle.listing import Listing, list_folder
from causal_disent_candle.reading import read_folder
from causal_disent_candle.rule_check import ObeyedRules, recognise

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["RenderedData"]

SIZE = 64
#: The shortest and the longest side that images may get.
SIDES = (8, 1024)
#: Changes when the same files would be read into something else.
VERSION = 1
#: Broken files that an error names.
MOST_NAMED = 10


class RenderedData(FromFiles, TableData):
    """Images and their factors, read once into a cache and mapped from there.

    A subclass says which factors there are, how files write their values, and which rule sets to look for.
    Combinations without an image are never drawn, and asking for one is an error.

    Args:
        folder: with ``<number>.png`` or ``.jpg`` and ``<number>.json``; that of `locate` if not given.
        size: what images are resized to: one number for square images, or height and width, as (240, 320) or
            "240x320".
        skip_broken: leave out files that cannot be used, where otherwise they are an error.
        cache: a folder for what was read. If not given it is in the folder of the data, or where that cannot be
            written to, in the user's cache folder.
        extra_values: factor -> names of values that a renderer added.

    Attributes:
        folder: where the images are.
        files: the name of each image's file, by image.
        broken: a message for each file that was left out.
        rule_set: which named rule set the images obey.
    """

    #: Factor -> the name of each value -> how files write it.
    values: ClassVar[Mapping[str, Mapping[str, str]]]
    #: Whether a combination of the factors has one image.
    unique: ClassVar[bool]
    #: The names of the rule sets that the images are compared with.
    rule_sets: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        folder: str | Path | None = None,
        size: int | str | Sequence[int] = SIZE,
        skip_broken: bool = False,
        cache: str | Path | None = None,
        extra_values: Mapping[str, Sequence[object]] | None = None,
    ) -> None:
        labels = LabelReader(self.values, extra_values)
        shape = _height_and_width(size)
        listing = list_folder(self._folder(folder))
        contents = self._contents(listing, labels, shape, cache)
        if contents.broken and not skip_broken:
            raise self._broken(listing.folder, contents.broken)
        if not len(contents.positions):
            raise errors.InvalidInput(f"No image of {listing.folder} can be used. {contents.broken[0]}")
        source = MappedImages(contents.path / IMAGES, contents.boxes, self.make_graph())
        super().__init__(source, labels.space, contents.rows, images=contents.positions)
        self.folder = listing.folder
        self.files = np.array(listing.images)
        self.broken = contents.broken
        self.original_size = contents.original

    @classmethod
    def make_graph(cls) -> nx.DiGraph:
        """The causal graph, over confounders, factors and ``image``; each node has ``observed``."""
        raise NotImplementedError

    @cached_property
    def rule_set(self) -> ObeyedRules:
        """Which of `rule_sets` the images obey, and how many images there are."""
        return recognise(self.space, self._rows, self.rule_sets)

    @cached_property
    def missing(self) -> IntArray:
        """(n, factors): the combinations that have no image, by the place of each value."""
        present = np.zeros(self.space.num_combinations, dtype=bool)
        present[self.space.to_index(self._rows)] = True
        return self.space.to_factors(np.flatnonzero(~present))

    @classmethod
    def verify(
        cls,
        folder: str | Path | None = None,
        skip_broken: bool = False,
        extra_values: Mapping[str, Sequence[object]] | None = None,
    ) -> list[str]:
        """Read all files, whatever was read before, and say what they hold."""
        with tempfile.TemporaryDirectory(prefix="causal_disent") as cache:
            data = cls(folder, size=SIDES[0], skip_broken=skip_broken, cache=cache, extra_values=extra_values)
            height, width = data.original_size
            lines = [
                f"{data.folder}: {data.rule_set.images:,} images of {width}x{height} pixels, each with its JSON",
                f"rule set {data.rule_set}",
                f"{len(data.missing):,} of {data.space.num_combinations:,} combinations have no image",
                "no checksums are published for this data set",
            ]
            lines += [f"left out: {message}" for message in data.broken]
            found, allowed = data.rule_set.combinations, data.rule_set.allowed
            return lines if data.rule_set.is_complete else [*lines, incomplete(found, allowed, "combinations")]

    @classmethod
    def _folder(cls, folder: str | Path | None) -> Path:
        if folder is None:
            return cls.publication.find()[0]
        path = Path(str(folder))  # on the command line a folder called 5 comes as a number
        if not path.is_dir():
            raise errors.InvalidInput(f"The folder {folder} does not exist.")
        return path

    @classmethod
    def _broken(cls, folder: Path, messages: Sequence[str]) -> errors.InvalidInput:
        named = "\n".join(f"  {message}" for message in messages[:MOST_NAMED])
        more = f"\n  ... and {len(messages) - MOST_NAMED:,} more" if len(messages) > MOST_NAMED else ""
        count = "is 1 image" if len(messages) == 1 else f"are {len(messages):,} images"
        (name,) = cls.publication.files
        return errors.InvalidInput(
            f"In {folder} there {count} that cannot be used:\n{named}{more}\nRepair or remove them, or leave them "
            f"out: skip_broken=True in Python, {name}.skip_broken = True in a config, --options skip_broken=True "
            "on the command line."
        )

    def _contents(
        self, listing: Listing, labels: LabelReader, size: tuple[int, int], cache: str | Path | None
    ) -> Contents:
        height, width = size
        # Part of the name, so that what is read with other values is kept beside this and does not replace it.
        values = _digest(labels.written, self.unique)[:8]

        def read(path: Path) -> Contents | None:
            return open_contents(path, len(listing.images), size, labels.space)

        def make(path: Path) -> None:
            read_folder(listing, labels, size, path, unique=self.unique)

        return remembered(
            cache_folders(listing.folder, cache),
            f"{height}x{width}-{values}",
            _digest(VERSION, listing.fingerprint, labels.written, self.unique, size),
            len(listing.images) * (height * width * 3 + 100),
            read,
            make,
        )


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _height_and_width(size: Any) -> tuple[int, int]:
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
            f"{size!r}."
        )
    return int(sides[0]), int(sides[1])
