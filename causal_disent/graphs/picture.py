"""A causal graph as a picture: causes above effects, what nobody can see grey and dashed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_disent.checks import checked
from causal_disent.figures import check_picture_name, empty_figure, plain, save_figure, text_width

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: In points, as everything here.
FONT_SIZE, TITLE_SIZE, LEGEND_SIZE = 11, 13, 9
NODE_HEIGHT, PADDING, GAP, LAYER_STEP = 25.0, 11.0, 18.0, 76.0
MARGIN, TITLE_HEIGHT, LEGEND_HEIGHT, LINE = 16.0, 30.0, 36.0, 1.2
#: How often layers are sorted by the places of their neighbours, which leaves few edges that cross.
SWEEPS = 8

Node = Hashable
#: The two ends of an edge, and between them a bend for each layer that it passes.
Chain = list[Node]


class _Role(NamedTuple):
    """What a node is, as the legend says it, and how it looks."""

    label: str
    fill: str
    line: str
    text: str
    edge: str
    style: str = "-"


FACTOR = _Role("factor", "#deecf7", "#3a76a8", "#18344e", "#5c626a")
OBSERVED = _Role("other, observed", "white", "#464c54", "#20242a", "#5c626a")
UNOBSERVED = _Role("unobserved", "#f5f5f5", "#969aa0", "#70767e", "#969aa0", "--")


@checked
def save_graph(graph: nx.DiGraph, path: Path, *, factors: Sequence[str] = (), title: str = "") -> None:
    """Write what `draw_graph` draws to a .svg or .png file, whole or not at all."""
    check_picture_name(path)
    save_figure(draw_graph(graph, factors=factors, title=title), path)


@checked
def draw_graph(graph: nx.DiGraph, *, factors: Sequence[str] = (), title: str = "") -> Figure:
    """The picture.

    Args:
        graph: without cycles; nodes with ``observed=False`` are drawn as unobserved.
        factors: the nodes that are factors of the data set.
        title: above the graph.

    Example:
        >>> import networkx as nx
        >>> figure = draw_graph(nx.DiGraph([("light", "shadow")]), factors=["light", "shadow"])
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['light', 'shadow']
    """
    hidden = {node for node, seen in graph.nodes(data="observed", default=True) if not seen}
    roles = {n: UNOBSERVED if n in hidden else FACTOR if n in factors else OBSERVED for n in graph}
    legend = [role for role in (FACTOR, OBSERVED, UNOBSERVED) if role in roles.values()]
    widths = {node: text_width(str(node), FONT_SIZE) + 2 * PADDING for node in graph}
    step = max(widths.values(), default=0.0) + GAP
    chains, columns, layers = _layered(graph)
    inner = step * max((2 * abs(column) + 1 for column in columns.values()), default=0)
    named = sum(text_width(role.label, LEGEND_SIZE) + 5 * LEGEND_SIZE for role in legend)
    width = max(inner, named, text_width(title, TITLE_SIZE)) + 2 * MARGIN
    bottom = LEGEND_HEIGHT + MARGIN + NODE_HEIGHT / 2
    top = bottom + LAYER_STEP * max(layers.values(), default=0)
    height = top + NODE_HEIGHT / 2 + MARGIN + (TITLE_HEIGHT if title else 0)
    figure, axes = empty_figure(width, height)
    places = {
        node: np.array([width / 2 + step * column, top - LAYER_STEP * layers[node]])
        for node, column in columns.items()
    }
    for chain in chains:
        _draw_edge(axes, [places[node] for node in chain], widths[chain[0]], widths[chain[-1]], roles[chain[0]])
    for node in graph:
        _draw_node(axes, str(node), places[node], widths[node], roles[node])
    if title:
        figure.suptitle(plain(title), y=1 - MARGIN / height, va="top", fontsize=TITLE_SIZE, color=OBSERVED.text)
    _draw_legend(figure, legend)
    return figure


def _layered(graph: nx.DiGraph) -> tuple[list[Chain], dict[Node, float], dict[Node, int]]:
    """The chains; and for each node and bend its column, from the middle, and its layer, from the top."""
    import networkx as nx

    # Counted from the effects: each cause stands right above the first of its effects.
    order = [sorted(layer, key=list(graph).index) for layer in nx.topological_generations(graph.reverse())][::-1]
    layers = {node: i for i, nodes in enumerate(order) for node in nodes}
    chains: list[Chain] = []
    links = nx.empty_graph(graph)
    for a, b in graph.edges:
        bends = {(a, b, i): i for i in range(layers[a] + 1, layers[b])}
        for bend, i in bends.items():
            order[i].append(bend)
        layers.update(bends)
        chains.append([a, *bends, b])
        nx.add_path(links, chains[-1])
    columns = {node: place for nodes in order for node, place in _centred(nodes)}
    for sweep in range(SWEEPS):
        for nodes in order[:: 1 if sweep % 2 else -1]:
            wishes = {node: np.mean([columns[n] for n in links[node]] or [columns[node]]) for node in nodes}
            nodes.sort(key=wishes.__getitem__)
            columns.update(_centred(nodes))
    return chains, columns, layers


def _centred(nodes: Sequence[Node]) -> list[tuple[Node, float]]:
    return [(node, i - (len(nodes) - 1) / 2) for i, node in enumerate(nodes)]


def _draw_edge(axes: Axes, places: Sequence[np.ndarray], leaves: float, arrives: float, role: _Role) -> None:
    """A line with an arrow head that leaves, bends and arrives upright, from and to nodes of these widths."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Line

    ends = [places[0] + _port(places[1] - places[0], leaves), places[-1] + _port(places[-2] - places[-1], arrives)]
    points = [ends[0]]
    for bend in places[1:-1]:  # straight past the nodes of a layer
        points += [bend + (0, NODE_HEIGHT / 2), bend - (0, NODE_HEIGHT / 2)]
    points.append(ends[1])
    corners, codes = [points[0]], [Line.MOVETO]
    for (x, y), (next_x, next_y) in zip(points, points[1:], strict=False):
        middle = (y + next_y) / 2
        corners += [np.array(corner) for corner in ((x, middle), (next_x, middle), (next_x, next_y))]
        codes += [Line.CURVE4] * 3
    axes.add_patch(
        FancyArrowPatch(
            path=Line(np.array(corners), codes),
            arrowstyle="-|>",
            mutation_scale=9,
            color=role.edge,
            linestyle=role.style,
            linewidth=LINE,
        )
    )


def _port(towards: np.ndarray, width: float) -> tuple[float, float]:
    """Where an edge touches a node, from its middle: the farther it leads aside, the nearer to the corner."""
    x, y = towards
    return 0.42 * width * np.tanh(x / 160), np.copysign(NODE_HEIGHT / 2, y)


def _draw_node(axes: Axes, name: str, place: np.ndarray, width: float, role: _Role) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = place.tolist()
    look: dict[str, Any] = {"facecolor": role.fill, "edgecolor": role.line, "linestyle": role.style}
    corner, shape = (x - width / 2, y - NODE_HEIGHT / 2), "round,pad=0,rounding_size=7"
    axes.add_patch(FancyBboxPatch(corner, width, NODE_HEIGHT, boxstyle=shape, linewidth=LINE, **look))
    axes.text(x, y, plain(name), color=role.text, fontsize=FONT_SIZE, ha="center", va="center_baseline")


def _draw_legend(figure: Figure, roles: Sequence[_Role]) -> None:
    from matplotlib.patches import Patch

    swatches = [Patch(fc=r.fill, ec=r.line, ls=r.style, lw=LINE, label=r.label) for r in roles]
    if swatches:
        look = {"frameon": False, "fontsize": LEGEND_SIZE, "labelcolor": UNOBSERVED.text, "handlelength": 1.3}
        figure.legend(handles=swatches, loc="lower center", ncols=len(swatches), handleheight=1.3, **look)
