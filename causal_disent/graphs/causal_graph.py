"""Causal graphs: who causes whom, what follows for independences, and what an intervention cuts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Checked, checked
from causal_disent.graphs.independences import Independence, implied_independences, markov_basis
from causal_disent.graphs.picture import save_graph
from causal_disent.text import shown, shown_value

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray


#: Of what may go on for ever, so many edges are looked at.
MOST_EDGES = 1_000_000


def is_disentangled_causal_process(graph: Any, image: str = "image") -> bool:
    """Whether factors cause the image and none causes another, as definition 1 of Reddy et al. 2022 asks.

    Confounders may cause factors. UC and CG are defined for such data: of others a high UC is no evidence.

    Args:
        graph: a `CausalGraph`, or what makes one. Factors are what causes the image directly; where the graph has
            no image, all nodes are factors.
        image: the node of the observation.

    Example:
        >>> confounded = [("C", "shape"), ("C", "color"), ("shape", "image"), ("color", "image")]
        >>> is_disentangled_causal_process(confounded)
        True
        >>> is_disentangled_causal_process([("angle", "length"), ("angle", "image"), ("length", "image")])
        False
    """
    whole = CausalGraph(graph)
    nodes = list(whole.digraph)
    factors = set(whole.parents(image)) if image in nodes else set(nodes)
    return not any(set(whole.descendants(factor)) & factors for factor in factors)


class CausalGraph(Checked):
    """A directed graph without cycles; an edge leads from a cause to its effect.

    Args:
        graph: a ``networkx.DiGraph``, another `CausalGraph`, or edges (cause, effect).
        nodes: the nodes, in order, where `graph` does not say them all, or in another order.

    Attributes:
        digraph: the graph as a ``networkx.DiGraph``, which cannot be changed.

    Example:
        >>> graph = CausalGraph([("ball", "height"), ("height", "flow"), ("hole", "flow")])
        >>> graph
        CausalGraph(ball -> height; height -> flow; hole -> flow)
        >>> graph.roots, graph.causes, graph.effects
        (('ball', 'hole'), ('ball', 'height', 'hole'), ('height', 'flow'))
        >>> graph.parents("flow"), graph.descendants("ball")
        (('height', 'hole'), ('height', 'flow'))
        >>> graph.do("height")
        CausalGraph(height -> flow; hole -> flow; ball)
    """

    @checked
    def __init__(self, graph: Any, nodes: Iterable[str] = ()) -> None:
        import networkx as nx

        ordered = nx.DiGraph()
        ordered.add_nodes_from(nodes)
        with errors.readable("The causal graph"):
            found = getattr(graph, "digraph", graph)
            if isinstance(found, nx.DiGraph):
                ordered.add_nodes_from(found.nodes(data=True))
                ordered.add_edges_from(found.edges(data=True))
            else:
                ordered.add_edges_from(_edges(found))
        try:
            cycle = [edge[0] for edge in nx.find_cycle(ordered)]
        except nx.NetworkXNoCycle:
            self.digraph: nx.DiGraph = nx.freeze(ordered)
            return
        raise errors.InvalidInput(
            f"A causal graph has no cycles; this one has {' -> '.join(map(shown, [*cycle, cycle[0]]))}."
        )

    def __repr__(self) -> str:
        parts = [f"{node} -> {', '.join(self.children(node))}" for node in self.causes]
        alone = [str(node) for node in self.nodes if not self.digraph.degree(node)]
        return f"CausalGraph({'; '.join([*parts, *alone])})"

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, in their order."""
        return tuple(self.digraph)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(cause, effect)."""
        return tuple(self.digraph.edges)

    @property
    def roots(self) -> tuple[str, ...]:
        """The nodes that nothing causes."""
        return tuple(node for node in self.nodes if not self.digraph.in_degree(node))

    @property
    def causes(self) -> tuple[str, ...]:
        """The nodes that cause something."""
        return tuple(node for node in self.nodes if self.digraph.out_degree(node))

    @property
    def effects(self) -> tuple[str, ...]:
        """The nodes that something causes."""
        return tuple(node for node in self.nodes if self.digraph.in_degree(node))

    def parents(self, node: str) -> tuple[str, ...]:
        """The causes of `node`."""
        return self._in_order(self.digraph.predecessors(self._known(node)))

    def children(self, node: str) -> tuple[str, ...]:
        """What `node` causes."""
        return self._in_order(self.digraph.successors(self._known(node)))

    def descendants(self, node: str) -> tuple[str, ...]:
        """What `node` causes, directly or through others."""
        import networkx as nx

        return self._in_order(nx.descendants(self.digraph, self._known(node)))

    def among(self, nodes: Iterable[str]) -> CausalGraph:
        """The edges between these nodes alone; what others do to them is lost."""
        chosen = [self._known(node) for node in nodes]
        return CausalGraph(self.digraph.subgraph(chosen), chosen)

    def do(self, *nodes: str) -> CausalGraph:
        """The graph after an intervention that sets these nodes: they do not listen to their causes any more."""
        chosen = {self._known(node) for node in nodes}
        cut = self.digraph.copy()
        cut.remove_edges_from([edge for edge in self.edges if edge[1] in chosen])
        return CausalGraph(cut)

    def independences(self, factors: Sequence[str] | None = None) -> list[Independence]:
        """What is implied for pairs of `factors` (all nodes if not given), see `implied_independences`."""
        chosen = self.nodes if factors is None else [self._known(node) for node in factors]
        return list(implied_independences(self.digraph, chosen))

    def basis(self) -> list[Independence]:
        """One independence for each edge that is missing, from which the others follow, see `markov_basis`."""
        return list(markov_basis(self.digraph))

    def adjacency(self, nodes: Sequence[str] | None = None) -> NDArray[np.int8]:
        """(nodes, nodes): 1 where row i causes column j; in the order of `nodes`, if given."""
        import networkx as nx

        order = self.nodes if nodes is None else [self._known(node) for node in nodes]
        if len(set(order)) != len(order):
            raise errors.InvalidInput(f"`nodes` has a node twice: {errors.listing(order)}.")
        return nx.to_numpy_array(self.digraph, nodelist=order, dtype=np.int8, weight=None)

    def draw(self, path: str | Path, *, factors: Sequence[str] = (), title: str = "") -> None:
        """Write a picture to a .svg or .png file.

        Args:
            path: of the file.
            factors: the nodes that are factors of a data set; nodes with ``observed=False`` are dashed.
            title: above the graph.
        """
        save_graph(self.digraph, Path(path), factors=factors, title=title)

    def _known(self, node: str) -> str:
        if node not in self.digraph:
            raise errors.unknown("node", node, self.nodes)
        return node

    def _in_order(self, nodes: Iterable[str]) -> tuple[str, ...]:
        chosen = set(nodes)
        return tuple(node for node in self.nodes if node in chosen)


def _edges(given: Any) -> list[tuple[str, str]]:
    given = given.tolist() if isinstance(given, np.ndarray) else given  # which may hold no axis to go along
    listed = not isinstance(given, str) and isinstance(given, Iterable)
    edges = list(islice(given, MOST_EDGES + 1)) if listed else None
    if edges is None or any(isinstance(edge, str) or np.shape(edge) != (2,) for edge in edges):
        raise errors.InvalidInput(
            "A causal graph is given as a networkx.DiGraph, or as edges: pairs (cause, effect); given: "
            f"{type(given).__name__ if edges is None else shown_value(edges[:3])}."
        )
    return [(cause, effect) for cause, effect in edges]
