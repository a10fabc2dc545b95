"""Data that is a folder of rendered images, each with its factors in a JSON file."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from causal_disent_datasets.files import FromFiles, incomplete

from causal_disent.data.table_data import TableData
from causal_disent.protocols import IntArray
from causal_disent_candle.contents import IMAGES
from causal_disent_candle.images import MappedImages
from causal_disent_candle.kept import SIDES, folder_of, height_and_width, kept_contents
from causal_disent_candle.labels import LabelReader
from causal_disent_candle.listing import list_folder
from causal_disent_candle.rule_check import ObeyedRules, recognise

if TYPE_CHECKING:
    import networkx as nx

SIZE = 64


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
        shape = height_and_width(size)
        listing = list_folder(folder_of(self.publication, folder))
        contents = kept_contents(
            listing,
            labels,
            shape,
            cache,
            unique=self.unique,
            skip_broken=skip_broken,
            name=self.publication.files[0],
        )
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
