"""Images that a known mechanism makes of a few numbers, drawn or read, with true counterfactuals."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from causal_disent_datasets.files import incomplete, unusable
from causal_disent_datasets.pictures import graph_of

from causal_disent import errors
from causal_disent.checks import check_choice, is_whole
from causal_disent.data.factor_columns import read_columns
from causal_disent.data.image_files import read_image
from causal_disent.data.table_data import TableData
from causal_disent.files import path_of, within
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value
from causal_disent_crl.images import KeptImages, as_floats, open_or_draw, resized

if TYPE_CHECKING:
    import networkx as nx


#: The folders of the published files.
SPLITS = ("train", "test")


@dataclass(frozen=True)
class Draws:
    """Rows in the order in which the program drew them.

    Attributes:
        values: (n, factors) the factors before the program truncated them for the file's name.
        noise: (n,) what the image shows and no factor says; 0 where there is none.
        names: (n,) of the files.
        splits: (n,) one of `SPLITS`.
        overwritten: (n,) whether a later draw wrote to the same file.
    """

    values: FloatArray
    noise: FloatArray
    names: np.ndarray
    splits: np.ndarray
    overwritten: np.ndarray

    @classmethod
    def numbered(cls, values: FloatArray, noise: FloatArray, is_test: np.ndarray) -> Draws:
        """Return the draws whose files are called ``a_<factor>_<factor>_....png``, in whole numbers."""
        names = np.array(
            ["a_" + "_".join(map(str, row)) + ".png" for row in truncate(values).astype(int).tolist()]
        )
        splits = np.where(is_test, "test", "train")
        files = np.char.add(np.char.add(splits, "/"), names)
        # Seen from the end, the first of a name is the one that stays.
        overwritten = np.ones(len(files), dtype=bool)
        overwritten[len(files) - 1 - np.unique(files[::-1], return_index=True)[1]] = False
        return cls(values, noise, names, splits, overwritten)

    def take(self, rows: IntArray | np.ndarray) -> Draws:
        """These draws alone."""
        return Draws(*(getattr(self, field.name)[rows] for field in fields(self)))

    def rows_of(self, split: str) -> IntArray:
        """Return the draws of ``train``, ``test`` or ``all``."""
        check_choice("split", split, (*SPLITS, "all"))
        return np.flatnonzero((self.splits == split) | (split == "all"))


def truncate(values: FloatArray) -> FloatArray:
    """Return the numbers in the files' names: all factors are cut to whole numbers."""
    return np.trunc(values)


#: Factor -> what it is set to, or one value for each image: a number, or the name of a value that has one.
Do = Mapping[str, Any]


def set_values(
    do: Do,
    limits: Mapping[str, tuple[float, float]],
    number: int,
    named: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, FloatArray]:
    """Factor -> (number,) what it is set to.

    Args:
        do: what was asked for.
        limits: factor -> the least and the greatest number that it can have.
        number: of images.
        named: factor -> the names of its values, where these have names; what is set is their place.

    Example:
        >>> set_values({"angle": 3, "color": "blue"}, {"angle": (-100, 100)}, 2, {"color": ("red", "blue")})
        {'angle': array([3., 3.]), 'color': array([1., 1.])}
    """
    named = named or {}
    given = {}
    for factor, value in do.items():
        if factor not in (*limits, *named):
            raise errors.unknown("factor", factor, (*limits, *named))
        names = named.get(factor, ())
        numbers = _numbers(factor, value, number, names)
        low, high = limits.get(factor, (0, len(names) - 1))
        wrong = np.flatnonzero(~((numbers >= low) & (numbers <= high)) | (bool(names) & (numbers % 1 != 0)))
        if wrong.size:
            raise errors.InvalidInput(
                f"The factor '{factor}' can be set to {low:g} to {high:g}"
                + (f", the places of {errors.listing(names)}" if names else "")
                + f"; given: {numbers[wrong[0]]:g}."
            )
        given[factor] = numbers
    return given


def _numbers(factor: str, value: Any, number: int, names: Sequence[str]) -> FloatArray:
    """(number,): numbers as they are, and names as their places."""
    try:
        found = np.asarray(value, dtype=object if names else None)
        if names:
            places = [_place(factor, part, names) for part in found.ravel().tolist()]
            found = np.array(places).reshape(found.shape)
        if found.dtype.kind not in "iuf":
            raise TypeError
        return np.broadcast_to(found.astype(np.float64), number)
    except (TypeError, ValueError):
        raise errors.InvalidInput(
            f"The factor '{factor}' is set to a number{' or a name' if names else ''}, or to one for each of the "
            f"{number} images; given: {shown_value(value)}."
        ) from None


def _place(factor: str, value: Any, names: Sequence[str]) -> Any:
    if not isinstance(value, str):
        return value
    if value not in names:
        raise errors.unknown(f"value of the factor '{factor}'", value, names)
    return names.index(value)


#: Scalings that are taken from the data, as DEAR does: to [0, 1] for a cross entropy, to mean 0 and variance 1
#: for a squared error.
DERIVED = ("min_max", "z_score")


@dataclass(frozen=True)
class Scaling:
    """A pair of numbers for each factor."""

    centre: tuple[float, ...]
    scale: tuple[float, ...]

    def apply(self, values: FloatArray) -> FloatArray:
        """Return factors (n, factors) as a model sees them."""
        return (values - np.array(self.centre)) / np.array(self.scale)

    def undo(self, values: FloatArray, column: int) -> FloatArray:
        """One factor as it was before `apply`."""
        return values * self.scale[column] + self.centre[column]


def find_scaling(
    name: str | None, published: Mapping[str, tuple[tuple[float, float], ...]], values: FloatArray
) -> Scaling | None:
    """Return the scaling of this name, or None for ``None``.

    Args:
        name: one of `published` or `DERIVED`.
        published: name -> centre and scale of each factor.
        values: (n, factors) what the `DERIVED` ones are computed from.
    """
    if name is None:
        return None
    check_choice("scaling", name, (*published, *DERIVED))
    if name in published:
        centre, scale = zip(*published[name], strict=True)
        return Scaling(centre, scale)
    if name == "min_max":
        low, high = values.min(axis=0), values.max(axis=0)
        return Scaling(tuple(low.tolist()), tuple((high - low).tolist()))
    return Scaling(tuple(values.mean(axis=0).tolist()), tuple(values.std(axis=0).tolist()))


#: Files that a thread reads between two steps of the progress bar.
FILES_READ = 32
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
    """Find the draw that a file shows."""
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
        for place in range(start, min(start + FILES_READ, len(paths))):
            images[place] = read_image(paths[place], (side, side, 3), images.shape[1:3])

    starts = range(0, len(paths), FILES_READ)
    label = f"reading {paths[0].parent.parent}, once"
    # Decoding a PNG and resizing it leave the interpreter's lock free, so that threads are enough.
    with ThreadPoolExecutor() as pool:
        for _ in track(pool.map(read, starts), label, total=len(starts), unit="batch"):
            pass


#: What options may be. The alpha channel of the published images is 255 throughout.
LABELS, CHANNELS = ("exact", "published"), ("rgba", "rgb")
#: Side of the images as they are drawn and published, and what it may be: 64 is that of most models.
SIDE = 96
SIZES = (SIDE, 64)
#: Changes when the same factors would be drawn otherwise.
VERSION = 1
#: Images drawn between two steps of the progress bar.
CHUNK = 200
#: Values that agree to so many digits are one: the last bits differ between processors.
DIGITS = 9


class MechanismData(TableData):
    """A subclass says what was drawn, how factors cause each other, and how an image is drawn.

    The factors are real numbers, which `factor_values` gives. disentanglement_lib's protocol wants whole numbers:
    the place of a value among the different values that the factor takes in the whole set, by size. They mean the
    same in each split, and in images that are drawn and read. What the arguments mean is told by `Pendulum`.
    """

    name: ClassVar[str]
    factors: ClassVar[tuple[str, ...]]
    edges: ClassVar[tuple[tuple[str, str], ...]]
    #: Name -> centre and scale of each factor.
    scalings: ClassVar[Mapping[str, tuple[tuple[float, float], ...]]]
    #: Factor -> the least and the greatest value that it can be set to.
    limits: ClassVar[Mapping[str, tuple[float, float]]]
    #: How files are called.
    form: ClassVar[str]
    source: KeptImages

    def __init__(
        self,
        folder: str | Path | None = None,
        split: str = "all",
        labels: str = "exact",
        scaling: str | None = None,
        size: int = SIDE,
        channels: str = "rgba",
        cache: str | Path | None = None,
    ) -> None:
        check_choice("labels", labels, LABELS)
        if not is_whole(size) or size not in SIZES:
            raise errors.InvalidInput(f"`size` is one of {errors.listing(SIZES)}; given: {shown_value(size)}.")
        check_choice("channels", channels, CHANNELS)
        self._exact = labels == "exact"
        whole = self.all_draws()
        chosen = whole.rows_of(split)
        if folder is None:
            self.draws, chosen = whole, chosen[self.is_kept(whole)[chosen]]
            images = chosen
            fill: Any = partial(self._fill, whole)
            parts: object = (VERSION, version("matplotlib"), whole.noise.tobytes())
        else:
            files = find_files(folder, whole, split, self.form)
            self.draws, chosen, images = whole.take(files.rows), files.rows, np.arange(len(files.rows))
            fill, parts = partial(read_files, files.paths, SIDE), files.state
        shape = (len(self.draws.values), size, size, 3)
        source = KeptImages(
            partial(open_or_draw, f"{self.name}-{size}", parts, shape, fill, cache),
            size,
            channels,
            self.make_graph(),
        )
        self.is_read = folder is not None
        if self.is_read:
            source.pixels.shape  # noqa: B018  # a broken file is an error here, not in the middle of a run
        shown = self._shown(whole.values)
        self._scaling = find_scaling(scaling, self.scalings, shown)
        space, places = read_columns(dict(zip(self.factors, _columns(shown), strict=True)))
        super().__init__(source, space, places[chosen], images=images)

    @classmethod
    def make_graph(cls) -> nx.DiGraph:
        """Return the factors, which cause each other and the image."""
        graph = graph_of(cls.factors)
        graph.add_edges_from(cls.edges)
        return graph

    def all_draws(self) -> Draws:
        """Return what the published program draws, in its order."""
        raise NotImplementedError

    def is_kept(self, draws: Draws) -> np.ndarray:
        """(n,): which of all draws the data set has, where no folder is read."""
        return np.ones(len(draws.names), dtype=bool)

    @classmethod
    def draw(cls, values: FloatArray, noise: FloatArray) -> np.ndarray:
        """Return the images (n, 96, 96, 3), uint8, of exact factors (n, factors) and noise (n,)."""
        raise NotImplementedError

    @classmethod
    def mechanism(cls, factual: FloatArray, given: Mapping[str, FloatArray]) -> FloatArray:
        """Return the exact factors (n, factors) that follow when some are set.

        Args:
            factual: (n, factors) without the intervention, from which the noise is abducted.
            given: factor -> (n,) what it is set to.
        """
        raise NotImplementedError

    @classmethod
    def _fill(cls, draws: Draws, images: np.ndarray) -> None:
        for start in track(range(0, len(images), CHUNK), f"drawing {cls.name}, once", unit="batch"):
            part = slice(start, start + CHUNK)
            images[part] = resized(cls.draw(draws.values[part], draws.noise[part]), images.shape[1])

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, factors) float64: the numbers behind these images, scaled if a scaling was chosen."""
        return self._labelled(self.draws.values[self.known(indices)])

    def noise(self, indices: IntArray) -> FloatArray:
        """(n,): what these images show and no factor says."""
        return self.draws.noise[self.known(indices)]

    def counterfactual(self, indices: IntArray, do: Do) -> FloatArray:
        """Return the images (n, h, w, c) as they would be had factors been set: float32 in [0, 1].

        What the mechanism leaves open in an image, its noise, is abducted from it and kept. A factor that is set
        does not listen to its causes any more; what it causes follows.

        Args:
            indices: (n,) of images.
            do: factor -> the number that it is set to, or one for each image, in the units of `factor_values`.
        """
        after = self._after(indices, do)
        pixels = resized(self.draw(after, self.noise(indices)), self.source.size)
        return as_floats(pixels, self.source.channels)

    def counterfactual_values(self, indices: IntArray, do: Do) -> FloatArray:
        """(n, factors): the `factor_values` of `counterfactual`."""
        return self._labelled(self._after(indices, do))

    def _after(self, indices: IntArray, do: Do) -> FloatArray:
        """Return the exact factors after an intervention."""
        factual = self.draws.values[self.known(indices)]
        if self._scaling is None:
            return self.mechanism(factual, set_values(do, self.limits, len(factual)))
        ends = self._scaling.apply(np.array([self.limits[factor] for factor in self.factors]).T).T.tolist()
        given = set_values(do, dict(zip(self.factors, map(tuple, ends), strict=True)), len(factual))
        undone = {name: self._scaling.undo(part, self.factors.index(name)) for name, part in given.items()}
        return self.mechanism(factual, undone)

    def _shown(self, values: FloatArray) -> FloatArray:
        return values if self._exact else truncate(values)

    def _labelled(self, values: FloatArray) -> FloatArray:
        shown = self._shown(values)
        return shown.copy() if self._scaling is None else self._scaling.apply(shown)

    @classmethod
    def verify(cls, folder: str | Path | None = None) -> list[str]:
        """Read all files of a published folder, and compare them with what the mechanism draws."""
        if folder is None:
            return ["images are drawn; the option folder=... names published files to check"]
        data = cls(folder)
        drawn = np.empty_like(data.source.pixels)
        cls._fill(data.draws, drawn)
        apart = np.abs(drawn.astype(np.int16) - data.source.pixels).max(axis=(1, 2, 3))
        total = int((~data.all_draws().overwritten).sum())
        lines = [
            f"{folder}: {len(apart):,} images of {SIDE}x{SIDE} pixels",
            f"{np.count_nonzero(apart == 0):,} are pixel for pixel what the mechanism draws; the others differ by "
            f"{apart.max()} of 255 at the most",
        ]
        return lines if len(apart) == total else [*lines, incomplete(len(apart), total, "images")]


def _columns(values: FloatArray) -> list[np.ndarray]:
    """Return each factor: whole numbers where all are, else rounded ones."""
    columns = []
    for column in np.round(values, DIGITS).T:
        whole = column.astype(np.int64)
        columns.append(whole if (whole == column).all() else column)
    return columns
