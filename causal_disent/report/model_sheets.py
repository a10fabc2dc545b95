"""What a decoder draws, as arrays: reconstructions, samples and traversals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.adapter import AttributedSample, attributed_sample, make_classifier
from causal_disent.checks import check_random_state, check_whole
from causal_disent.data.factor_table import factor_values
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import FEW_VALUES
from causal_disent.figures import empty_figure, plain
from causal_disent.metrics.cg import make_baseline
from causal_disent.metrics.draw import factor_names
from causal_disent.metrics.irs_uc import CodeSets, select_codes
from causal_disent.protocols import Attribution, CausalModel, FloatArray, IntArray
from causal_disent.report.pictures import draw_grid, enlargement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image


def decoder_of(representation: Any) -> Any:
    """The ``decode`` of a representation."""
    decode = getattr(representation, "decode", None)
    if decode is None:
        raise errors.MissingPart(
            "Pictures of a model are drawn by its decoder, and the representation has none. Give the folder of a "
            "model that has one, or in Python a representation with `decode(codes) -> images in [0, 1]`."
        )
    return decode


def make_reconstructions(representation: Any, images: FloatArray) -> FloatArray:
    """Images (n, h, w, c), encoded and decoded."""
    return decoder_of(representation)(representation(images))


def make_samples(representation: Any, num_codes: int, num_images: int, random_state: Any) -> FloatArray:
    """Images (n, h, w, c) of codes drawn from the standard normal distribution, the prior of a VAE."""
    codes = random_state.normal(size=(num_images, num_codes)).astype(np.float32)
    return decoder_of(representation)(codes)


def make_traversal(
    representation: Any,
    point: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    num_steps: int = 11,
    codes: Sequence[int] | None = None,
) -> FloatArray:
    r"""Images in which one code at a time runs from `low` to `high` while the others stay.

    .. math:: x_{jt} = g(z\ \text{with}\ z_j = l_j + (h_j - l_j)\, t / (T - 1))

    Args:
        representation: with a decoder g.
        point: (codes,) z, where the traversal starts from.
        low: (codes,) l.
        high: (codes,) h.
        num_steps: T, at least 2.
        codes: which of them to move; all by default.

    Returns:
        (moved codes, num_steps, h, w, c) in [0, 1].

    Example:
        >>> class Pixels:
        ...     def decode(self, codes): return codes.reshape(-1, 1, 2, 1)
        >>> make_traversal(Pixels(), np.array([0.5, 0.5]), np.zeros(2), np.ones(2), num_steps=2)[1, :, 0, :, 0]
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """
    if num_steps < 2:
        raise errors.InvalidInput(f"A traversal has at least 2 steps; given: {num_steps}.")
    moved = list(range(len(point)) if codes is None else codes)
    points = np.tile(np.asarray(point), (len(moved), num_steps, 1))
    for row, code in enumerate(moved):
        points[row, :, code] = np.linspace(low[code], high[code], num_steps)
    images = decoder_of(representation)(points.reshape(-1, len(point)))
    return images.reshape(len(moved), num_steps, *images.shape[1:])


@dataclass(frozen=True)
class Counterfactuals:
    """Images of n points under the interventions on each factor, in [0, 1].

    Attributes:
        base: (n, h, w, c) decoded as they are.
        inside: (n, factors, h, w, c) each factor's own codes at the baseline.
        outside: (n, factors, h, w, c) all other codes at the baseline.
        probabilities: (n, factors, 3) of the factor's true value in each of the three.
    """

    base: FloatArray
    inside: FloatArray
    outside: FloatArray
    probabilities: FloatArray


def make_counterfactuals(
    codes: FloatArray,
    factors: IntArray,
    sets: Sequence[Sequence[int]],
    baseline: Callable[[FloatArray], FloatArray],
    decode: Callable[[FloatArray], FloatArray],
    predict_proba: Callable[[FloatArray], Sequence[FloatArray]],
) -> Counterfactuals:
    """Intervene on points as CG does.

    Args:
        codes: (n, codes).
        factors: (n, factors) value indices, the truth.
        sets: the codes of each factor.
        baseline: points -> the values that an intervention sets (`causal_disent.metrics.cg`).
        decode: codes -> images.
        predict_proba: images -> a (n, values) array per factor.

    Example:
        >>> z = np.array([[1.0, 0.0]])
        >>> def two_pixels(codes): return codes.reshape(-1, 1, 2, 1)
        >>> def read(images): return [np.stack([1 - p, p], axis=1) for p in images.reshape(-1, 2).T]
        >>> found = make_counterfactuals(z, np.array([[1, 0]]), [[0], [1]], lambda p: 1 - p, two_pixels, read)
        >>> found.probabilities[0]
        array([[1., 0., 1.],
               [1., 0., 1.]])
    """
    replacement = baseline(codes)
    sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    base = decode(codes)
    probabilities = np.empty((*factors.shape, 3))
    probabilities[:, :, 0] = of_truth(predict_proba(base), factors)
    for i, own in enumerate(sets):
        inside = np.isin(np.arange(codes.shape[1]), own)
        for side, intervened in enumerate((inside, ~inside)):
            images = decode(np.where(intervened, replacement, codes))
            sides[side].append(images)
            probabilities[:, i, side + 1] = of_truth(predict_proba(images), factors)[:, i]
    return Counterfactuals(base, _by_point(sides[0]), _by_point(sides[1]), probabilities)


def of_truth(tables: Sequence[FloatArray], factors: IntArray) -> FloatArray:
    """(n, factors): the probability of each factor's true value, from a (n, values) array per factor."""
    rows = np.arange(len(factors))
    return np.stack([np.asarray(table)[rows, factors[:, i]] for i, table in enumerate(tables)], axis=1)


def _by_point(images: list[Any]) -> FloatArray:
    return np.stack(images, axis=1)


#: Images are enlarged to this many pixels where there are many of them.
MANY = 64
#: What the images of dead codes fade into, and what is left of them.
GREY, FADED = 0.85, 0.25
#: Titles of the four rows that a counterfactual sheet has for each image.
SHOWN = ("data", "reconstruction", "own codes at\nthe baseline", "all other codes\nat the baseline")


def reconstruction_sheet(representation: Any, images: FloatArray) -> Image:
    """Images (n, h, w, c) above what the model makes of them."""
    rebuilt = make_reconstructions(representation, images)
    return draw_grid(
        [list(images), list(rebuilt)], row_titles=["data", "reconstruction"], scale=enlargement(images)
    )


def sample_sheet(representation: Any, num_codes: int, num_images: int, random_state: Any) -> Image:
    """Images of codes drawn from the prior, eight in a row."""
    images = make_samples(representation, num_codes, num_images, random_state)
    rows = [list(images[start : start + 8]) for start in range(0, len(images), 8)]
    return draw_grid(rows, scale=enlargement(images))


def traversal_sheet(
    representation: Any,
    point: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    num_steps: int = 11,
    titles: Sequence[str] | None = None,
    dead: Sequence[int] = (),
) -> Image:
    """A row per code, which runs from `low` to `high`; its title gives them. Rows of `dead` codes are greyed."""
    images = _greyed(make_traversal(representation, point, low, high, num_steps=num_steps), dead)
    shown = titles or [f"code {code}" for code in range(len(point))]
    row_titles = [f"{title}\n{low[i]:.2f} to {high[i]:.2f}" for i, title in enumerate(shown)]
    return draw_grid([list(row) for row in images], row_titles=row_titles, scale=enlargement(images, MANY))


def traversal_frames(
    representation: Any,
    points: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    num_steps: int = 11,
    titles: Sequence[str] | None = None,
    dead: Sequence[int] = (),
) -> Iterator[Image]:
    """The same for an animation: a row per code, a column per point (n, codes), a frame per value."""
    row_titles = titles or [f"code {code}" for code in range(points.shape[1])]
    num_codes = points.shape[1]
    for part in np.linspace(0, 1, num_steps):
        frame = np.repeat(points[None], num_codes, axis=0)
        frame[np.arange(num_codes), :, np.arange(num_codes)] = (low + part * (high - low))[:, None]
        images = decoder_of(representation)(frame.reshape(-1, num_codes))
        rows = _greyed(images.reshape(num_codes, len(points), *images.shape[1:]), dead)
        yield draw_grid([list(row) for row in rows], row_titles=row_titles, scale=enlargement(images, MANY))


def _greyed(rows: FloatArray, which: Sequence[int]) -> FloatArray:
    """Images (rows, ...) of which some rows fade into light grey."""
    shown = np.array(rows)
    shown[list(which)] = GREY + FADED * (shown[list(which)] - GREY)
    return shown


def counterfactual_sheet(
    representation: Any,
    classifier: Any,
    data: Any,
    *,
    num_images: int = 4,
    rho: int = 1,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    baseline: str = "max_deviation",
    num_train: int = 10_000,
    random_state: np.random.RandomState | int = 0,
) -> Image:
    """What CG compares, for a few images: as figures 11 and 12 of Reddy et al. 2022, with probabilities.

    For each image four rows: itself, its reconstruction, each factor's own codes at the baseline, all other codes
    at the baseline; a column per factor. Below each picture stands how probable the factor's true value is in it,
    as the classifier says.

    Args:
        representation: with a decoder.
        classifier: a registered name, a function data set -> classifier, or a classifier.
        data: ground-truth data.
        num_images: how many images of it to show.
        rho: how many codes a factor is given.
        attribution: as for `causal_disent.metrics.uc`.
        selection: as for `causal_disent.metrics.uc`.
        baseline: as for `causal_disent.metrics.cg`.
        num_train: points drawn for the attribution and the baseline. With the defaults, and a generator of the
            same seed, they are those of the metrics ``uc`` and ``cg``.
        random_state: seed or generator.
    """
    decoder_of(representation)
    generator = check_random_state(random_state)
    sample = attributed_sample(data, representation, generator, num_train, 16, attribution, rho)
    factors, images = data.sample(_at_least_one(num_images), generator)
    judge = make_classifier(classifier, data)
    return sheet_of_sample(
        sample, representation, judge, data, factors, images, select_codes(sample.scores, rho, selection), baseline
    )


def _at_least_one(num_images: int) -> int:
    if num_images < 1:
        raise errors.InvalidInput(f"At least one image is needed; given: {num_images}.")
    return num_images


def sheet_of_sample(
    sample: AttributedSample,
    representation: Any,
    classifier: Any,
    data: Any,
    factors: IntArray,
    images: FloatArray,
    sets: CodeSets,
    baseline: str,
) -> Image:
    """The sheet of chosen images, with codes attributed before."""
    factors = np.asarray(factors)
    found = make_counterfactuals(
        np.asarray(representation(images)),
        factors,
        sets,
        make_baseline(sample.codes, baseline),
        decoder_of(representation),
        classifier.predict_proba,
    )
    seen = of_truth(classifier.predict_proba(images), factors)
    probabilities = np.concatenate([seen[:, :, None], found.probabilities], axis=2)
    rows: list[list[FloatArray]] = []
    captions: list[list[str]] = []
    for n, image in enumerate(images):
        rows += _rows_of_point(found, n, image)
        captions += _captions_of_point(probabilities[n], _values(data, factors[n]))
    titles = [f"{name}\n{_codes_text(own, sample)}" for name, own in zip(factor_names(data), sets, strict=True)]
    return draw_grid(
        rows,
        captions=captions,
        row_titles=list(SHOWN) * len(images),
        column_titles=titles,
        group=len(SHOWN),
        scale=enlargement(images),
    )


def _rows_of_point(found: Counterfactuals, n: int, image: FloatArray) -> list[list[FloatArray]]:
    num_factors = found.inside.shape[1]
    return [[image] * num_factors, [found.base[n]] * num_factors, list(found.inside[n]), list(found.outside[n])]


def _captions_of_point(probabilities: FloatArray, values: Sequence[str]) -> list[list[str]]:
    """Below each picture: the value whose probability it is, and the probability (factors, rows)."""
    return [[f"{value}: {p:.2f}" for value, p in zip(values, row, strict=True)] for row in probabilities.T]


def _values(data: Any, row: IntArray) -> list[str]:
    """The names of a point's values."""
    names = getattr(data, "value_names", None)
    return [str(value if names is None else names[i][value]) for i, value in enumerate(row)]


def _codes_text(codes: Sequence[int], sample: AttributedSample) -> str:
    if len(codes) == 1:
        return sample.code_title(codes[0])
    dead = ": dead" if set(codes) <= set(sample.dead) else ""
    return f"codes {errors.listing(codes, most=6)}{dead}"


#: Images are enlarged to this many pixels.
WIDTH = 64
#: In points.
SIDE, RADIUS, NODE, TITLE = 300.0, 96.0, 26.0, 24.0
#: Weights below this part of the largest are not drawn.
FAINTEST = 0.1
INK, TRUE, FOUND = "#20242a", "#5c626a", "#3a76a8"


def is_causal_model(model: Any) -> bool:
    """Whether `model` follows `CausalModel`, as far as pictures need it."""
    return all(hasattr(model, name) for name in ("concepts", "concept_names", "adjacency", "intervene", "decode"))


def concept_sheet(model: CausalModel, data: Any, index: int, *, num_steps: int = 7) -> Image:
    """One image of a finite data set with each concept set to value after value, a row for each.

    Below a concept that was taught a factor stands the row of true counterfactuals, where the data set knows them.
    The values of such a concept run over those of the factor, of another one over those of its codes. Of a factor
    whose values are a few names or whole numbers, the sheet shows these alone.

    Args:
        model: a causal model.
        data: the data set that it was trained on.
        index: of the image.
        num_steps: how many values.
    """
    check_whole("num_steps", num_steps, 2)
    indices = np.array([index])
    image = np.asarray(data.observations(indices))
    codes = np.asarray(model(image))
    steps = _steps(model, data, num_steps)
    rows: list[list[FloatArray | None]] = [[image[0], model.decode(codes)[0], *[None] * (num_steps - 2)]]
    captions, titles = [["data", "reconstruction", *[""] * (num_steps - 2)]], [""]
    knows = hasattr(data, "counterfactual") and getattr(data, "keeps_the_rest", True)
    known = set(factor_names(data)) if knows else set()
    for concept, name in enumerate(model.concept_names):
        values = steps[concept]
        set_codes = model.intervene(np.repeat(codes, len(values), axis=0), {concept: values})
        rows.append(list(model.decode(set_codes)))
        captions.append([f"{value:.4g}" for value in values])
        titles.append(f"do({name})")
        if name in known:
            rows.append(list(data.counterfactual(np.repeat(indices, len(values)), {name: values})))
            captions.append([""] * len(values))
            titles.append("the truth")
    return draw_grid(rows, captions=captions, row_titles=titles, scale=enlargement(image, WIDTH))


def _steps(model: CausalModel, data: Any, num_steps: int, most: int = 1000) -> list[FloatArray]:
    """At most so many values of each concept, from the least to the greatest."""
    images = data.factor_table.index.to_numpy()
    images = images[:: -(-len(images) // most)]
    found = model.concept_values(model(data.observations(images)))
    names, truth, space = list(factor_names(data)), factor_values(data, images), StateSpace.of(data)
    is_fixed = hasattr(data, "counterfactual_observed")  # a factor has no other values
    steps = []
    for concept, name in enumerate(model.concept_names):
        values = truth[:, names.index(name)] if name in names else found[:, concept]
        present = np.unique(values)
        is_few = len(present) <= FEW_VALUES
        if name in names and (is_fixed or (is_few and not space.is_continuous(name))):
            steps.append(present[np.unique(np.rint(np.linspace(0, len(present) - 1, num_steps)).astype(int))])
        else:
            steps.append(np.linspace(present[0], present[-1], num_steps))
    return steps


def graph_sheet(names: Sequence[str], adjacency: FloatArray, truth: Any = None) -> Figure:
    """The graph that was learned, its weights beside the edges, and the true one to its right.

    Args:
        names: of the concepts.
        adjacency: (concepts, concepts); edges much weaker than the strongest are left out. It may have cycles.
        truth: a ``networkx.DiGraph``; drawn only if it has a node for some of the names.

    Example:
        >>> figure = graph_sheet(["light", "shadow"], np.array([[0, 0.8], [0.01, 0]]))
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['learned', '0.80', 'light', 'shadow']
    """
    weights = np.asarray(adjacency, dtype=np.float64)
    if weights.shape != (len(names), len(names)):
        raise errors.InvalidInput(
            f"The adjacency of {len(names)} concepts has shape {(len(names),) * 2}; given: {weights.shape}."
        )
    shown = truth is not None and any(name in truth for name in names)
    figure, axes = empty_figure(SIDE * (2 if shown else 1), SIDE + TITLE)
    strongest = float(np.abs(weights).max())
    edges = {
        (i, j): float(weights[i, j])
        for i, j in permutations(range(len(names)), 2)
        if strongest and abs(weights[i, j]) >= FAINTEST * strongest
    }
    _draw(axes, SIDE / 2, "learned", names, edges, FOUND)
    if shown:
        true = [(i, j) for i, j in permutations(range(len(names)), 2) if truth.has_edge(names[i], names[j])]
        _draw(axes, 3 * SIDE / 2, "true", names, dict.fromkeys(true), TRUE)
    return figure


def _draw(
    axes: Axes,
    x: float,
    title: str,
    names: Sequence[str],
    edges: Mapping[tuple[int, int], float | None],
    color: str,
) -> None:
    """Nodes in a circle, so that cycles can be seen; thicker arrows for greater weights."""
    from matplotlib.patches import FancyArrowPatch

    turns = np.pi / 2 - 2 * np.pi * (np.arange(len(names)) + 0.5) / len(names)
    places = np.stack([x + RADIUS * np.cos(turns), SIDE / 2 + RADIUS * np.sin(turns)], axis=1)
    axes.text(x, SIDE + TITLE / 2, title, color=INK, fontsize=13, ha="center", va="center")
    strongest = max((abs(weight) for weight in edges.values() if weight), default=1.0)
    for (i, j), weight in edges.items():
        width = 1.2 if weight is None else 0.6 + 1.8 * abs(weight) / strongest
        ends = tuple(map(tuple, places[[i, j]]))
        look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": NODE, "shrinkB": NODE}
        bend = "arc3,rad=0.12"
        axes.add_patch(FancyArrowPatch(*ends, connectionstyle=bend, color=color, linewidth=width, **look))
        if weight is not None:
            along = places[j] - places[i]
            middle = (places[i] + places[j]) / 2 + 0.1 * np.array([along[1], -along[0]])
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
            axes.text(
                middle[0], middle[1], f"{weight:.2f}", color=color, fontsize=8, ha="center", va="center", bbox=box
            )
    for name, place in zip(names, places, strict=True):
        axes.text(place[0], place[1], plain(name), color=INK, fontsize=11, ha="center", va="center")


def sampled_indices(data: Any, number: int, random_state: np.random.RandomState) -> IntArray:
    """Images of a finite data set, drawn."""
    return data.sample_indices(data.sample_factors(number, random_state), random_state)
