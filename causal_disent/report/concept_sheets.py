"""Pictures of a causal model: what becomes of images when a concept is set, and the graph that was learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_whole
from causal_disent.data.factor_table import factor_values
from causal_disent.figures import empty_figure, plain
from causal_disent.metrics.tools.sampling import factor_names
from causal_disent.protocols import CausalModel, FloatArray, IntArray
from causal_disent.report.labelled_grid import draw_grid, enlargement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

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
    The values of such a concept run over those of the factor, of another one over those of its codes.

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
    ranges = _ranges(model, data)
    rows: list[list[FloatArray | None]] = [[image[0], model.decode(codes)[0], *[None] * (num_steps - 2)]]
    captions, titles = [["data", "reconstruction", *[""] * (num_steps - 2)]], [""]
    known = set(factor_names(data)) if hasattr(data, "counterfactual") else set()
    for concept, name in enumerate(model.concept_names):
        values = np.linspace(*ranges[concept], num_steps)
        set_codes = model.intervene(np.repeat(codes, num_steps, axis=0), {concept: values})
        rows.append(list(model.decode(set_codes)))
        captions.append([f"{value:.4g}" for value in values])
        titles.append(f"do({name})")
        if name in known:
            rows.append(list(data.counterfactual(np.repeat(indices, num_steps), {name: values})))
            captions.append([""] * num_steps)
            titles.append("the truth")
    return draw_grid(rows, captions=captions, row_titles=titles, scale=enlargement(image, WIDTH))


def _ranges(model: CausalModel, data: Any, most: int = 1000) -> list[tuple[float, float]]:
    """The least and the greatest value of each concept."""
    images = data.factor_table.index.to_numpy()
    images = images[:: -(-len(images) // most)]
    found = model.concept_values(model(data.observations(images)))
    low, high = found.min(axis=0), found.max(axis=0)
    names, truth = list(factor_names(data)), factor_values(data, images)
    for concept, name in enumerate(model.concept_names):
        if name in names:
            column = truth[:, names.index(name)]
            low[concept], high[concept] = column.min(), column.max()
    return list(zip(low.tolist(), high.tolist(), strict=True))


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
