"""`light_tunnel`: the causal chambers' light tunnel, as a simulator and as the photographs of a benchmark."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from causal_disent_datasets.files import incomplete
from causal_disent_datasets.stacked import graph_of

from causal_disent import errors
from causal_disent.checks import check_choice, check_seed, is_number, is_whole
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import ImageSource, TableData
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value
from causal_disent_crl.cache import kept
from causal_disent_crl.images import KeptImages
from causal_disent_crl.interventions import Do, set_values
from causal_disent_crl.light_experiments import (
    EXPERIMENTS,
    FACTORS,
    LIMITS,
    after_intervention,
    draw_experiment,
    edges_of,
)
from causal_disent_crl.light_files import find_experiment
from causal_disent_crl.light_models import colors, hexagon
from causal_disent_crl.published_folder import read_files

if TYPE_CHECKING:
    import networkx as nx

#: How the published folder calls the simulated twin of an experiment.
TWIN = "_synth_det"
#: Steps of a degree that the polarizers can be set to.
TENTHS = 10
ANGLES = tuple(f"{tenth / TENTHS:.1f}" for tenth in range(-90 * TENTHS, 90 * TENTHS + 1))
VALUE_NAMES = {factor: range(256) if factor in FACTORS[:3] else ANGLES for factor in FACTORS}
#: The longest side of a simulated image, and the most points.
LONGEST, MOST = 1024, 1_000_000


class LightTunnel(TableData):
    """The light of a source behind two polarizers: red, green, blue and two angles, seen as a hexagon.

    The indices of red, green and blue are their numbers, those of the angles count tenths of a degree from -90.

    Args:
        folder: ``lt_crl_benchmark_v1`` as published, whose photographs are read; if not given, they are simulated.
        experiment: which process sets the five factors: ``uniform``, ``buchholz_1_obs`` (a linear causal model),
            ``buchholz_1_red``, ``_green``, ``_blue``, ``_pol_1``, ``_pol_2`` (the same with one factor set) or
            ``citris_1`` (a walk in time); in a folder also their simulated twins, ``uniform_synth_det`` and so on.
        model: of a simulated photograph: ``F1``, ``F2`` or ``F3`` (`causal_disent_crl.light_models`).
        num: points that are drawn; as many as the experiment has if not given.
        seed: what they are drawn with.
        size: rows and columns of an image; the photographs have 64.
        radius: of the simulated hexagon, as a part of the image.
        cache: a folder for photographs that were read; in the user's cache folder if not given.

    Example:
        >>> data = LightTunnel(experiment="buchholz_1_obs", num=100)
        >>> data.observation_shape, data.factors_num_values
        ((64, 64, 3), [256, 256, 256, 1801, 1801])
        >>> sorted(data.graph.predecessors("red"))
        ['green', 'pol_1']
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        experiment: str = "uniform",
        model: str = "F3",
        num: int | None = None,
        seed: int = 0,
        size: int = 64,
        radius: float = 0.22,
        cache: str | Path | None = None,
    ) -> None:
        if not is_whole(size) or not 1 <= size <= LONGEST:
            raise errors.InvalidInput(f"`size` is a whole number from 1 to {LONGEST}; given: {shown_value(size)}.")
        check_seed("`seed`", seed)
        twins = () if folder is None else tuple(f"{name}{TWIN}" for name in EXPERIMENTS)
        check_choice("experiment", experiment, (*EXPERIMENTS, *twins))
        self.experiment = experiment.removesuffix(TWIN)
        graph = graph_of(FACTORS)
        graph.add_edges_from(edges_of(self.experiment))
        source: ImageSource
        if folder is None:
            self.values = draw_experiment(experiment, _number(experiment, num), np.random.RandomState(seed))
            source = SimulatedPhotographs(self.values, model, size, radius, graph)
        elif (model, num, seed, radius) != ("F3", None, 0, 0.22):
            raise errors.InvalidInput(
                "`model`, `num`, `seed` and `radius` are for simulated images; leave them out where `folder` "
                "names photographs."
            )
        else:
            found = find_experiment(folder, experiment, size)
            self.values = found.values
            shape, fill = (len(found.paths), size, size, 3), partial(read_files, found.paths, size)
            source = KeptImages(
                partial(kept, f"light_tunnel-{size}", found.state, shape, fill, cache), size, "rgb", graph
            )
            source.pixels.shape  # noqa: B018  # a broken file is an error here, not in the middle of a run
        super().__init__(source, StateSpace(VALUE_NAMES), _places(self.values))

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, 5) float64: red, green and blue from 0 to 255, the polarizers' angles in degrees."""
        return self.values[self.known(indices)]

    def counterfactual(self, indices: IntArray, do: Do) -> FloatArray:
        """The simulated images (n, h, w, 3) as they would be had factors been set: float32 in [0, 1].

        Args:
            indices: (n,) of images.
            do: factor -> the number that it is set to, or one for each image.
        """
        if not isinstance(self.source, SimulatedPhotographs):
            raise errors.InvalidInput(
                "No mechanism makes the counterfactuals of photographs. Without `folder` the data set is "
                "simulated, and has them."
            )
        return self.source.simulate(self.counterfactual_values(indices, do))

    def counterfactual_values(self, indices: IntArray, do: Do) -> FloatArray:
        """(n, 5): what the factors would be, where those that cause nothing stay as they are.

        Of ``buchholz_1`` the noise of each factor is abducted from the image's values and kept.
        """
        factual = self.factor_values(indices)
        return after_intervention(self.experiment, factual, set_values(do, LIMITS, len(factual)))

    @classmethod
    def verify(cls, folder: str | Path | None = None, experiment: str = "uniform", size: int = 64) -> list[str]:
        """Read all photographs of an experiment, and count them."""
        if folder is None:
            return ["images are simulated; the option folder=... names published files to check"]
        with tempfile.TemporaryDirectory(prefix="causal_disent") as cache:
            number = len(cls(folder, experiment, size=size, cache=cache).values)
        total = EXPERIMENTS[experiment.removesuffix(TWIN)]
        line = f"{folder}: {number:,} images of {experiment}, {size}x{size} pixels, each with its row"
        return [line] if number == total else [line, incomplete(number, total, "images")]


class SimulatedPhotographs:
    """The source of a `TableData`: images that are simulated when they are asked for.

    Args:
        values: (n, 5) the factors of all images.
        model: one of `light_models.MODELS`.
        size: rows and columns.
        radius: of the hexagon, as a part of `size`.
        graph: over the factors and ``image``.
    """

    def __init__(self, values: FloatArray, model: str, size: int, radius: float, graph: nx.DiGraph) -> None:
        if not is_number(radius) or not 0 < radius <= 1:
            raise errors.InvalidInput(f"`radius` is above 0, and 1 at the most; given: {shown_value(radius)}.")
        colors(values[:0], model)  # an unknown model is an error here
        self._values, self._model, self.graph = values, model, graph
        self._mask = hexagon(size, radius)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (*self._mask.shape, 3)

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, size, size, 3) of these indices, float32 in [0, 1]."""
        return self.simulate(self._values[np.asarray(indices)])

    def simulate(self, values: FloatArray) -> FloatArray:
        """The images of factors (n, 5): a hexagon of one colour on black."""
        light = colors(values, self._model).astype(np.float32)
        return np.asarray(light[:, None, None, :] * self._mask[None, :, :, None])


def _number(experiment: str, num: int | None) -> int:
    if num is None:
        return EXPERIMENTS[experiment]
    if not is_whole(num) or not 1 <= num <= MOST:
        raise errors.InvalidInput(f"`num` is a whole number from 1 to {MOST:,}; given: {shown_value(num)}.")
    return num


def _places(values: FloatArray) -> IntArray:
    low = np.array([LIMITS[factor][0] for factor in FACTORS])
    return np.rint((values - low) * np.array([1, 1, 1, TENTHS, TENTHS])).astype(np.int64)
