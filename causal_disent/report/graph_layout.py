"""Where the nodes and edges of a directed acyclic graph go in a picture: in layers, causes above effects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Layout", "PlacedEdge", "PlacedNode", "layered_layout"]

NODE_HEIGHT, NODE_PADDING, LAYER_STEP, GAP = 34.0, 16.0, 104.0, 26.0
#: Room that each edge has at the side of a node.
PORT_STEP = 14.0
SWEEPS = 12

Node = Hashable
Order = list[list[Node]]


@dataclass(frozen=True)
class PlacedNode:
    """A box around its middle."""

    name: str
    x: float
    y: float
    width: float
    height: float = NODE_HEIGHT


@dataclass(frozen=True)
class PlacedEdge:
    """A way from the lower side of `source` to the upper side of `target`, through these points."""

    source: str
    target: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Layout:
    """Everything between (0, 0), top left, and (width, height)."""

    nodes: tuple[PlacedNode, ...]
    edges: tuple[PlacedEdge, ...]
    width: float
    height: float


def layered_layout(graph: Any, text_width: Callable[[str], float]) -> Layout:
    """Place a graph.

    An edge that skips layers goes through a bend in each of them, which takes part in the layout like a node.

    Args:
        graph: a ``networkx.DiGraph`` without cycles.
        text_width: of a node's name.
    """
    layers = _layers(graph)
    chains = {(a, b): _chain(a, b, layers) for a, b in graph.edges}
    links = [link for chain in chains.values() for link in zip(chain, chain[1:], strict=False)]
    order: Order = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for node, layer in layers.items():
        order[layer].append(node)
    for (_, target), chain in chains.items():
        for layer, bend in enumerate(chain[1:-1], start=layers[target] - len(chain) + 2):
            order[layer].append(bend)
    order = _with_few_crossings(order, links)
    widths = _widths(graph, order, text_width)
    x = _columns(order, links, widths)
    left = min((x[node] - widths[node] / 2 for node in x), default=0.0)
    x = {node: place - left for node, place in x.items()}
    y = {node: NODE_HEIGHT / 2 + LAYER_STEP * i for i, layer in enumerate(order) for node in layer}
    return Layout(
        tuple(PlacedNode(str(node), x[node], y[node], widths[node]) for node in graph),
        tuple(PlacedEdge(str(a), str(b), way) for (a, b), way in _ways(chains, x, y, widths).items()),
        max((x[node] + widths[node] / 2 for node in x), default=0.0),
        max((y[node] + NODE_HEIGHT / 2 for node in y), default=0.0),
    )


def _layers(graph: Any) -> dict[Node, int]:
    """Each node below its causes; nodes without causes right above the first of their effects."""
    import networkx as nx

    layers: dict[Node, int] = {}
    for node in nx.topological_sort(graph):
        layers[node] = max((layers[cause] + 1 for cause in graph.predecessors(node)), default=0)
    for node in graph:
        if not graph.in_degree(node) and graph.out_degree(node):
            layers[node] = min(layers[effect] for effect in graph.successors(node)) - 1
    return {node: layers[node] for node in graph}


def _chain(source: Node, target: Node, layers: Mapping[Node, int]) -> list[Node]:
    """The two ends, and between them a bend for each layer that the edge passes."""
    return [source, *((source, target, layer) for layer in range(layers[source] + 1, layers[target])), target]


def _neighbours(links: Sequence[tuple[Node, Node]]) -> tuple[dict[Node, list[Node]], dict[Node, list[Node]]]:
    """The nodes above each node, and those below."""
    above: dict[Node, list[Node]] = {}
    below: dict[Node, list[Node]] = {}
    for a, b in links:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    return above, below


def _with_few_crossings(order: Order, links: Sequence[tuple[Node, Node]]) -> Order:
    """The best order that is met when each layer is sorted by the middle of its neighbours, down and up."""
    above, below = _neighbours(links)
    best, fewest = order, _num_crossings(order, links)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        order = [list(layer) for layer in order]
        for i in range(1, len(order)) if downwards else range(len(order) - 2, -1, -1):
            fixed = {node: place for place, node in enumerate(order[i - 1 if downwards else i + 1])}
            near = above if downwards else below
            here = {node: place for place, node in enumerate(order[i])}
            scale = max(len(fixed), 1) / len(here)
            order[i].sort(key=lambda node: _mean([fixed[n] for n in near.get(node, ())], here[node] * scale))
        crossings = _num_crossings(order, links)
        if crossings < fewest:
            best, fewest = order, crossings
    return best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _num_crossings(order: Order, links: Sequence[tuple[Node, Node]]) -> int:
    layer = {node: i for i, nodes in enumerate(order) for node in nodes}
    place = {node: j for nodes in order for j, node in enumerate(nodes)}
    ends = np.array([(layer[a], place[a], place[b]) for a, b in links]).reshape(-1, 3)
    same = ends[:, None, 0] == ends[:, 0]
    return int((same & ((ends[:, None, 1] < ends[:, 1]) & (ends[:, None, 2] > ends[:, 2]))).sum())


def _widths(graph: Any, order: Order, text_width: Callable[[str], float]) -> dict[Node, float]:
    widths = {node: 0.0 for layer in order for node in layer}
    for node in graph:
        ports = max(graph.in_degree(node), graph.out_degree(node))
        widths[node] = max(text_width(str(node)) + 2 * NODE_PADDING, (ports + 1) * PORT_STEP)
    return widths


def _columns(order: Order, links: Sequence[tuple[Node, Node]], widths: Mapping[Node, float]) -> dict[Node, float]:
    """The middle of each node, drawn to its neighbours as far as the order and the gaps allow."""
    above, below = _neighbours(links)
    x: dict[Node, float] = {}
    for layer in order:
        offsets = _offsets(layer, widths)
        middle = (offsets[0] + offsets[-1]) / 2 if layer else 0.0
        x.update({node: offset - middle for node, offset in zip(layer, offsets, strict=True)})
    for sweep in range(SWEEPS):
        for layer in order if sweep % 2 == 0 else reversed(order):
            near = [[*above.get(node, ()), *below.get(node, ())] for node in layer]
            wishes = [_mean([x[n] for n in nodes], x[node]) for node, nodes in zip(layer, near, strict=True)]
            x.update(zip(layer, _apart(wishes, _offsets(layer, widths)), strict=True))
    return x


def _offsets(layer: Sequence[Node], widths: Mapping[Node, float]) -> list[float]:
    """The middles of neighbours that are as near as they may be, from 0."""
    offsets = [0.0] * min(1, len(layer))
    for a, b in zip(layer, layer[1:], strict=False):
        offsets.append(offsets[-1] + (widths[a] + widths[b]) / 2 + GAP)
    return offsets


def _apart(wishes: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The places nearest to the wishes, by least squares, with the distances of `offsets` between neighbours."""
    from scipy.optimize import isotonic_regression

    if not wishes:
        return []
    return (isotonic_regression(np.subtract(wishes, offsets)).x + offsets).tolist()


def _ways(
    chains: Mapping[tuple[Node, Node], list[Node]],
    x: Mapping[Node, float],
    y: Mapping[Node, float],
    widths: Mapping[Node, float],
) -> dict[tuple[Node, Node], tuple[tuple[float, float], ...]]:
    """The points of each edge. At a node the edges stand side by side, in the order of where they lead."""
    leaving = _ports({edge: (edge[0], x[chain[1]]) for edge, chain in chains.items()}, x, widths)
    arriving = _ports({edge: (edge[1], x[chain[-2]]) for edge, chain in chains.items()}, x, widths)
    return {
        edge: (
            (leaving[edge], y[edge[0]] + NODE_HEIGHT / 2),
            # Straight past the nodes of a layer, so as not to touch them.
            *((x[bend], y[bend] + side * NODE_HEIGHT / 2) for bend in chain[1:-1] for side in (-1, 1)),
            (arriving[edge], y[edge[1]] - NODE_HEIGHT / 2),
        )
        for edge, chain in chains.items()
    }


def _ports(
    ends: Mapping[tuple[Node, Node], tuple[Node, float]], x: Mapping[Node, float], widths: Mapping[Node, float]
) -> dict[tuple[Node, Node], float]:
    """Where each edge touches its node, of which `ends` says which it is and where the edge leads."""
    ports = {}
    for node in {node for node, _ in ends.values()}:
        edges = sorted((edge for edge in ends if ends[edge][0] == node), key=lambda edge: ends[edge][1])
        step = min(widths[node] / (len(edges) + 1), 2.5 * PORT_STEP)
        for i, edge in enumerate(edges):
            ports[edge] = x[node] + (i - (len(edges) - 1) / 2) * step
    return ports
