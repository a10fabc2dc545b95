"""Images that a known mechanism makes of a few numbers, drawn or read, with true counterfactuals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from causal_disent_datasets.files import incomplete
from causal_disent_datasets.stacked import graph_of

from causal_disent import errors
from causal_disent.checks import check_choice, is_whole
from causal_disent.data.factor_columns import read_columns
from causal_disent.data.table_data import TableData
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value
from causal_disent_crl.cache import kept
from causal_disent_crl.draws import Draws, truncated
from causal_disent_crl.images import KeptImages, as_floats, resized
from causal_disent_crl.interventions import Do, set_values
from causal_disent_crl.published_folder import find_files, read_files
from causal_disent_crl.scalings import find_scaling

if TYPE_CHECKING:
    import networkx as nx

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
            partial(kept, f"{self.name}-{size}", parts, shape, fill, cache), size, channels, self.make_graph()
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
        """The factors, which cause each other and the image."""
        graph = graph_of(cls.factors)
        graph.add_edges_from(cls.edges)
        return graph

    def all_draws(self) -> Draws:
        """What the published program draws, in its order."""
        raise NotImplementedError

    def is_kept(self, draws: Draws) -> np.ndarray:
        """(n,): which of all draws the data set has, where no folder is read."""
        return np.ones(len(draws.names), dtype=bool)

    @classmethod
    def draw(cls, values: FloatArray, noise: FloatArray) -> np.ndarray:
        """The images (n, 96, 96, 3), uint8, of exact factors (n, factors) and noise (n,)."""
        raise NotImplementedError

    @classmethod
    def mechanism(cls, factual: FloatArray, given: Mapping[str, FloatArray]) -> FloatArray:
        """The exact factors (n, factors) that follow when some are set.

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
        """The images (n, h, w, c) as they would be had factors been set: float32 in [0, 1].

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
        factual = self.draws.values[self.known(indices)]
        if self._scaling is None:
            return self.mechanism(factual, set_values(do, self.limits, len(factual)))
        ends = self._scaling.apply(np.array([self.limits[factor] for factor in self.factors]).T).T.tolist()
        given = set_values(do, dict(zip(self.factors, map(tuple, ends), strict=True)), len(factual))
        undone = {name: self._scaling.undo(part, self.factors.index(name)) for name, part in given.items()}
        return self.mechanism(factual, undone)

    def _shown(self, values: FloatArray) -> FloatArray:
        return values if self._exact else truncated(values)

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
    """Each factor: whole numbers where all are, else rounded ones."""
    columns = []
    for column in np.round(values, DIGITS).T:
        whole = column.astype(np.int64)
        columns.append(whole if (whole == column).all() else column)
    return columns
