"""`light_tunnel`: the causal chambers' light tunnel, as a simulator and as the photographs of a benchmark."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from causal_disent_datasets.files import incomplete, unusable
from causal_disent_datasets.pictures import graph_of

from causal_disent import errors
from causal_disent.checks import check_choice, check_seed, is_number, is_whole
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import ImageSource, TableData
from causal_disent.files import path_of, regular, within
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value
from causal_disent_crl.images import KeptImages, open_or_draw
from causal_disent_crl.mechanism_data import Do, read_files, set_values

if TYPE_CHECKING:
    import networkx as nx


FACTORS = ("red", "green", "blue", "pol_1", "pol_2")
#: The range of the light source, and of the polarizers in degrees.
LIMITS = {factor: (0.0, 255.0) if factor in FACTORS[:3] else (-90.0, 90.0) for factor in FACTORS}

#: The linear mechanism of ``buchholz_1``: (cause, effect) -> weight, each cause before its effects.
WEIGHTS = {
    ("blue", "green"): 0.89303215,
    ("green", "red"): 0.71943922,
    ("pol_1", "red"): 0.84868401,
    ("green", "pol_2"): 0.67726298,
    ("blue", "pol_2"): 0.98534901,
}
ORDER = ("blue", "pol_1", "green", "red", "pol_2")
#: Of the noise; mean and variance of a factor that is set.
VARIANCES = dict(zip(FACTORS, (1.3855493, 1.16426732, 1.00502177, 1.95646855, 1.27482347), strict=True))
SET_MEANS = dict(zip(FACTORS, (1.16920556, 1.47496736, -1.60596209, -1.96578519, 1.0117071), strict=True))
SET_VARIANCES = dict(zip(FACTORS, (1.94878138, 1.35886756, 1.57343313, 1.1021785, 1.30511067), strict=True))
#: Standard deviations that the range of the tunnel has to each side of its middle.
WITHIN = 5

#: Which of the variables, over time, ``citris_1`` lets depend on which.
CITRIS = (("red", "green"), ("green", "blue"), ("pol_1", "pol_2"), ("red", "pol_2"), ("blue", "pol_2"))
#: Steps that are thrown away, and how often nothing is set.
BURN_IN, UNSET = 1000, 0.35

#: Name -> points that were taken.
EXPERIMENTS = {
    "uniform": 2_000,
    "buchholz_1_obs": 10_000,
    **{f"buchholz_1_{factor}": 10_000 for factor in FACTORS},
    "citris_1": 100_000,
}


def target_of(experiment: str) -> str | None:
    """Return the factor that an experiment of ``buchholz_1`` sets, if any."""
    name = experiment.removeprefix("buchholz_1_")
    return name if name in FACTORS else None


def edges_of(experiment: str) -> tuple[tuple[str, str], ...]:
    """Return the edges between factors; those of ``citris_1`` lead from one moment to the next, or to the same."""
    if experiment == "citris_1":
        return CITRIS
    target = target_of(experiment)
    return tuple(edge for edge in WEIGHTS if edge[1] != target) if experiment.startswith("buchholz_1") else ()


def draw_experiment(experiment: str, num: int, random_state: np.random.RandomState) -> FloatArray:
    """Return points (num, 5) of the experiment: whole numbers of red, green and blue, tenths of a degree.

    The process is the published one, the points are not: they depend on `random_state`. ``buchholz_1`` is scaled
    by the standard deviations of its mechanism, where the published points were by those of a sample of 10,000.
    """
    if experiment == "uniform":
        low, high = np.array([LIMITS[factor] for factor in FACTORS]).T
        points: FloatArray = random_state.uniform(low, high, size=(num, len(FACTORS)))
    elif experiment == "citris_1":
        points = _walk(num, random_state)
    else:
        points = _linear(num, target_of(experiment), random_state)
    return np.concatenate([np.trunc(points[:, :3]), np.round(points[:, 3:], 1)], axis=1)


def after_intervention(experiment: str, factual: FloatArray, given: Mapping[str, FloatArray]) -> FloatArray:
    """Return what the factors (n, 5) would be had some been set; the noise of the others is abducted and kept.

    Args:
        experiment: ``uniform`` or one of ``buchholz_1``.
        factual: (n, 5).
        given: factor -> (n,).
    """
    if experiment == "citris_1":
        raise errors.InvalidInput(
            "citris_1 is a process in time: what a factor causes shows in later images, so that one image has no "
            "counterfactual. The experiments buchholz_1_obs and uniform have them."
        )
    per_unit, edges = _per_unit(), edges_of(experiment)
    before = dict(zip(FACTORS, factual.T, strict=True))
    after: dict[str, FloatArray] = {}
    for factor in ORDER:
        moved = np.zeros(len(factual))
        for cause, effect in edges:
            if effect == factor:
                moved += WEIGHTS[cause, effect] * (after[cause] - before[cause]) / per_unit[cause]
        follows = np.clip(before[factor] + moved * per_unit[factor], *LIMITS[factor])
        after[factor] = given.get(factor, follows)
    return np.stack([after[factor] for factor in FACTORS], axis=1)


def _linear(num: int, target: str | None, random_state: np.random.RandomState) -> FloatArray:
    """Return points of ``buchholz_1``: a linear mechanism with Gaussian noise, scaled to the tunnel's range."""
    latent: dict[str, FloatArray] = {}
    for factor in ORDER:
        noise = random_state.standard_normal(num)
        if factor == target:
            latent[factor] = SET_MEANS[factor] + np.sqrt(SET_VARIANCES[factor]) * noise
        else:
            causes = (weight * latent[cause] for (cause, effect), weight in WEIGHTS.items() if effect == factor)
            latent[factor] = sum(causes, start=np.sqrt(VARIANCES[factor]) * noise)
    per_unit = _per_unit()
    columns = [np.clip(np.mean(LIMITS[f]) + latent[f] * per_unit[f], *LIMITS[f]) for f in FACTORS]
    return np.stack(columns, axis=1)


def _per_unit() -> dict[str, float]:
    """Factor -> what a unit of the mechanism is in the tunnel: the range has `WITHIN` standard deviations."""
    weights = np.zeros((len(FACTORS), len(FACTORS)))
    for (cause, effect), weight in WEIGHTS.items():
        weights[FACTORS.index(cause), FACTORS.index(effect)] = weight
    # Row i, column j: how much of the noise of factor i is in factor j.
    shares = np.linalg.inv(np.eye(len(FACTORS)) - weights)
    deviations = np.sqrt(np.array([VARIANCES[factor] for factor in FACTORS]) @ shares**2)
    return {
        factor: (LIMITS[factor][1] - LIMITS[factor][0]) / 2 / WITHIN / float(deviation)
        for factor, deviation in zip(FACTORS, deviations, strict=True)
    }


def _walk(num: int, random_state: np.random.RandomState) -> FloatArray:
    """Return points of ``citris_1``: a walk, in which at most one factor is set at a time."""
    total = num + BURN_IN
    targets = random_state.choice(len(FACTORS) + 1, size=total, p=[UNSET] + [(1 - UNSET) / 5] * 5) - 1
    targets[:BURN_IN] = -1
    set_to = [random_state.uniform(*LIMITS[factor], size=total).tolist() for factor in FACTORS]
    steps = [random_state.uniform(-w, w, size=total).tolist() for w in (50, 50, 50, 10, 5)]
    points = np.zeros((total, len(FACTORS)))
    before = [0.0] * len(FACTORS)
    for i, target in enumerate(targets.tolist()):
        red, green, blue, first, second = before
        now = [red, (red + green) / 2, blue + (green - blue) / 4, first, second]
        for column in range(4):
            now[column] = set_to[column][i] if column == target else now[column] + steps[column][i]
        # The second polarizer follows the first where there is more blue than red, and flees from it elsewhere.
        follows = 1 if now[2] > now[0] else -1
        now[4] = set_to[4][i] if target == 4 else second + follows * (first - second) / 4 + steps[4][i]
        before = [_reflect(value, *LIMITS[factor]) for value, factor in zip(now, FACTORS, strict=True)]
        points[i] = before
    return points[BURN_IN:]


def _reflect(value: float, low: float, high: float) -> float:
    return 2 * low - value if value < low else 2 * high - value if value > high else value


MODELS = ("F1", "F2", "F3")
#: How the camera's red, green and blue respond to those of the light source.
SENSOR = np.array(
    [
        [0.2995802, 0.06920322, 0.028159],
        [0.04017132, 0.9209918, 0.31265],
        [0.00217392, 0.2071558, 0.75763],
    ]
)
WHITE_BALANCE = np.array([2.65625, 1.0, 1.77344])
#: What each colour keeps behind two polarizers that are parallel, and crossed.
PARALLEL, CROSSED = np.array([0.29, 0.35, 0.33]), np.array([0.02, 0.08, 0.18])
EXPOSURE = {"F2": 0.8, "F3": 2.5}


def colors(values: FloatArray, model: str) -> FloatArray:
    r"""Return the colour of the light as the camera sees it, (n, 3) in [0, 1].

    With c the source's red, green and blue / 255 and :math:`m = \cos^2(\theta_1 - \theta_2)` (Malus's law):
    F1 is :math:`c\,m`; F2 is :math:`e\,w \odot S c\,m` with the sensor's response S, white balance w, exposure e;
    F3 is F2 with :math:`(T_p - T_c)\,m + T_c` for m, since no polarizer passes or stops all light. What is above 1
    is 1.

    Args:
        values: (n, 5) red, green, blue from 0 to 255, and the angles of two polarizers in degrees.
        model: one of `MODELS`.

    Example:
        >>> colors(np.array([[255.0, 51.0, 0.0, 60.0, 0.0]]), "F1").round(4).tolist()
        [[0.25, 0.05, 0.0]]
    """
    check_choice("model", model, MODELS)
    source = values[:, :3] / 255
    passed = np.cos(np.deg2rad(values[:, 3] - values[:, 4]))[:, None] ** 2
    if model == "F1":
        return source * passed
    if model == "F3":
        passed = (PARALLEL - CROSSED) * passed + CROSSED
    return np.minimum(EXPOSURE[model] * WHITE_BALANCE * (source @ SENSOR.T) * passed, 1)


def hexagon(size: int, radius: float) -> np.ndarray:
    """(size, size): whether a pixel is in the hexagon that the light comes through.

    Args:
        size: of the image. The hexagon's centre is half of it from the left and from the bottom.
        radius: of the circle around it, as a part of `size`. Two of its corners are level with the centre.
    """
    x = np.arange(size) - size / 2
    y = size / 2 - 1 - np.arange(size)[:, None]
    # A point is inside if it is near enough in the three directions across the sides.
    across = np.deg2rad([30, 90, 150])
    distances = np.abs(np.cos(across) * x[None, :, None] + np.sin(across) * y[..., None])
    return np.asarray((distances < radius * size * np.cos(np.pi / 6)).all(axis=-1))


FILE = "image_file"
#: What a table may have; that of 100,000 rows and 50 columns has about 30 MB.
MOST_BYTES = 2**29


@dataclass(frozen=True)
class FoundExperiment:
    """What the table says.

    Attributes:
        values: (n, 5) the factors.
        paths: of the photographs, in the same order.
        state: changes when a file is added, removed or written to.
    """

    values: FloatArray
    paths: list[Path]
    state: list[tuple[str, int, int]]


def find_experiment(folder: str | Path, experiment: str, size: int) -> FoundExperiment:
    """Read ``<experiment>/<experiment>.csv``; the photographs in ``<experiment>/images_<size>`` are only listed.

    Args:
        folder: the published one, with a folder for each experiment.
        experiment: its name.
        size: rows and columns of the photographs.
    """
    root = path_of("folder", folder)
    if not root.is_dir():
        raise errors.InvalidInput(f"The folder {folder} does not exist.")
    table, images = root / experiment / f"{experiment}.csv", root / experiment / f"images_{size}"
    for path, kind, there in ((table, "file", table.is_file()), (images, "folder", images.is_dir())):
        if not there:
            raise unusable(root, f"it has no {kind} {path.relative_to(root)}")
    with os.scandir(within(root, images)) as entries:
        listed = {
            entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns)
            for entry in entries
            if entry.is_file(follow_symlinks=False)
        }
    values, files = _read_table(within(root, table))
    for line, file in files:
        # Nothing but a name that the folder lists is opened, so that no path leads out of it.
        if file not in listed:
            raise unusable(
                table, f"line {line} names the photograph {shown_value(file)}, which {images} does not have"
            )
    return FoundExperiment(
        values, [images / file for _, file in files], [(str(images / file), *listed[file]) for _, file in files]
    )


def _read_table(path: Path) -> tuple[FloatArray, list[tuple[int, str]]]:
    """Return the factors (n, 5); the line and the photograph of each row."""
    if path.stat().st_size > MOST_BYTES:
        raise unusable(path, f"it should have {MOST_BYTES:,} bytes at the most")
    values, files = [], []
    try:
        with regular(path).open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream, strict=True)
            header = next(reader, [])
            for name in (*FACTORS, FILE):
                if name not in header:
                    raise unusable(path, f"it has no column '{name}'; it has: {errors.listing(header)}")
            columns, place = [header.index(factor) for factor in FACTORS], header.index(FILE)
            for row in reader:
                if len(row) != len(header):
                    raise unusable(path, f"line {reader.line_num} has {len(row)} cells for {len(header)} columns")
                values.append([_factor_value(path, reader.line_num, header[c], row[c]) for c in columns])
                files.append((reader.line_num, row[place]))
    except (csv.Error, UnicodeDecodeError) as error:
        raise unusable(path, f"it is not a CSV file in UTF-8: {error}") from None
    if not files:
        raise unusable(path, "it has a head and no line")
    return np.array(values), files


def _factor_value(path: Path, line: int, factor: str, text: str) -> float:
    """Read a number of a factor within its range."""
    low, high = LIMITS[factor]
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not low <= value <= high:
        raise unusable(
            path, f"line {line} should give '{factor}' from {low:g} to {high:g}, and gives {shown_value(text)}"
        )
    return value


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
        model: of a simulated photograph: ``F1``, ``F2`` or ``F3`` (`causal_disent_crl.light_tunnel`).
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
            self.values = draw_experiment(experiment, _num_points(experiment, num), np.random.RandomState(seed))
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
                partial(open_or_draw, f"light_tunnel-{size}", found.state, shape, fill, cache), size, "rgb", graph
            )
            source.pixels.shape  # noqa: B018  # a broken file is an error here, not in the middle of a run
        super().__init__(source, StateSpace(VALUE_NAMES), _places(self.values))

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, 5) float64: red, green and blue from 0 to 255, the polarizers' angles in degrees."""
        return self.values[self.known(indices)]

    def counterfactual(self, indices: IntArray, do: Do) -> FloatArray:
        """Return the simulated images (n, h, w, 3) as they would be had factors been set: float32 in [0, 1].

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
        model: one of `MODELS`.
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
        """Return the images (n, size, size, 3) of these indices, float32 in [0, 1]."""
        return self.simulate(self._values[np.asarray(indices)])

    def simulate(self, values: FloatArray) -> FloatArray:
        """Return the images of factors (n, 5): a hexagon of one colour on black."""
        light = colors(values, self._model).astype(np.float32)
        return np.asarray(light[:, None, None, :] * self._mask[None, :, :, None])


def _num_points(experiment: str, num: int | None) -> int:
    if num is None:
        return EXPERIMENTS[experiment]
    if not is_whole(num) or not 1 <= num <= MOST:
        raise errors.InvalidInput(f"`num` is a whole number from 1 to {MOST:,}; given: {shown_value(num)}.")
    return num


def _places(values: FloatArray) -> IntArray:
    low = np.array([LIMITS[factor][0] for factor in FACTORS])
    return np.rint((values - low) * np.array([1, 1, 1, TENTHS, TENTHS])).astype(np.int64)
