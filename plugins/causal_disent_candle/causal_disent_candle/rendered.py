"""Data sets of rendered images: mapped from their cache, with the rule set that they obey."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from causal_disent_datasets.files import FromFiles, incomplete

from causal_disent.data.confounding import allowed_combinations
from causal_disent.data.rule_sets import statements
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import TableData
from causal_disent.files import regular
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_candle.cache import SIDES, folder_of, height_and_width, read_contents
from causal_disent_candle.reading import IMAGES, LabelReader, list_folder

if TYPE_CHECKING:
    import networkx as nx


#: Images that are turned into floats at a time: few enough to stay in the processor's cache.
CHUNK = 64


class MappedImages:
    """The source of a `TableData`: images, boxes and the graph.

    Args:
        path: an ``.npy`` file of (files, h, w, 3) uint8.
        boxes: (files, 4).
        graph: over the factors, their confounders and ``image``.
    """

    def __init__(self, path: Path, boxes: IntArray, graph: nx.DiGraph) -> None:
        self._path = path
        self._boxes = boxes
        self.graph = graph
        self.observation_shape: tuple[int, ...] = self._pixels.shape[1:]

    @cached_property
    def _pixels(self) -> np.ndarray:
        return np.asarray(np.load(regular(self._path), mmap_mode="r", allow_pickle=False))

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process maps the file again; pickling the map would read all of it.
        return {name: value for name, value in self.__dict__.items() if name != "_pixels"}

    def observations(self, indices: IntArray) -> FloatArray:
        """Return the images (n, h, w, 3) of these indices, float32 in [0, 1]."""
        indices = np.asarray(indices)
        images = np.empty((len(indices), *self.observation_shape), dtype=np.float32)
        for start in range(0, len(indices), CHUNK):
            part = slice(start, start + CHUNK)
            np.divide(self._pixels[indices[part]], np.float32(255), out=images[part])
        return images

    def bounding_boxes(self, indices: IntArray) -> IntArray:
        """(n, 4): xmin, ymin, xmax, ymax around the object, in pixels from the top left, half-open."""
        return self._boxes[np.asarray(indices)]


#: Every combination of the factors is there.
NONE = "none"
#: Combinations are missing, and no rule set is obeyed.
OTHER = "other"


@dataclass(frozen=True)
class ObeyedRules:
    """Which rules a set of images obeys.

    Attributes:
        name: ``"none"``, the name of a rule set, or ``"other"``. Of several that are obeyed it is the one whose
            combinations are all there, else the one that allows the fewest.
        images: how many images there are.
        combinations: how many combinations of the factors they show.
        allowed: how many combinations the rules allow; all there are for ``"none"`` and ``"other"``.
        obeyed: every rule set that was compared and that no image breaks.
    """

    name: str
    images: int
    combinations: int
    allowed: int
    obeyed: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every combination that the rules allow is there."""
        return self.combinations == self.allowed

    def __str__(self) -> str:
        images = "1 image shows" if self.images == 1 else f"{self.images:,} images show"
        text = f"{self.name}: {images} {self.combinations:,} of {self.allowed:,} combinations"
        others = [name for name in self.obeyed if name != self.name]
        return f"{text}; they obey {', '.join(others)} too" if others else text


def recognise(space: StateSpace, rows: IntArray, rule_sets: Sequence[str]) -> ObeyedRules:
    """Compare images with rule sets.

    Args:
        space: the factors.
        rows: (images, factors) of value indices.
        rule_sets: the names of those that are compared.

    Example:
        >>> space = StateSpace({"object": ("cylinder", "cone", "cube"), "color": ("red", "green", "blue")})
        >>> print(recognise(space, np.array([[0, 0], [1, 1], [2, 2], [2, 2]]), ["synthetic_full"]))
        synthetic_full: 4 images show 3 of 3 combinations
    """
    present = np.unique(space.to_index(rows))
    allowed = {name: allowed_combinations(space, statements(name))[0] for name in rule_sets}
    obeyed = [name for name in rule_sets if np.isin(present, allowed[name]).all()]
    # False comes first: a rule set whose combinations are all there, then the tightest.
    obeyed.sort(key=lambda name: (len(allowed[name]) != len(present), len(allowed[name])))
    name, total = OTHER, space.num_combinations
    if len(present) == total:
        name = NONE
    elif obeyed:
        name, total = obeyed[0], len(allowed[obeyed[0]])
    return ObeyedRules(name, len(rows), len(present), total, tuple(obeyed))


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
        contents = read_contents(
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
        """Return the causal graph, over confounders, factors and ``image``; each node has ``observed``."""
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
