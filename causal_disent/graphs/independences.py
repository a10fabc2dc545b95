"""The independences that a causal graph implies, by d-separation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Independence:
    """`first` says nothing of `second` once the variables of `given` are known."""

    first: str
    second: str
    given: tuple[str, ...]


def markov_basis(graph: nx.DiGraph) -> Iterator[Independence]:
    """One independence for each pair of nodes without an edge: given the causes of the later one.

    All that the graph implies follows from these, where independences add up: what is independent of x and of y
    is so of both together, as in normal distributions. No fewer would do, since each missing edge needs its own.

    Example:
        >>> import networkx as nx
        >>> for found in markov_basis(nx.DiGraph([("light", "shadow"), ("shadow", "mood"), ("object", "shadow")])):
        ...     print(found.first, found.second, found.given)
        light mood ('shadow',)
        light object ()
        mood object ('shadow',)
    """
    import networkx as nx

    nodes = list(graph)
    order = list(nx.lexicographical_topological_sort(graph, key=nodes.index))
    for first, second in combinations(nodes, 2):
        if graph.has_edge(first, second) or graph.has_edge(second, first):
            continue
        later = max(first, second, key=order.index)
        yield Independence(first, second, tuple(sorted(graph.predecessors(later), key=nodes.index)))


def implied_independences(graph: nx.DiGraph, factors: Sequence[str]) -> Iterator[Independence]:
    """The independences of pairs of factors that data can be tested for.

    A pair is listed given nothing where that separates it, or else given a smallest set of factors that does. It
    is listed once more given the parents of either, where all of these are factors, and separate it too: those of
    `markov_basis` are among them. A pair that no set of factors separates is listed given a smallest set of any
    variables.

    Args:
        graph: a directed acyclic graph.
        factors: the nodes that can be seen in the data.

    Example:
        >>> import networkx as nx
        >>> graph = nx.DiGraph([("light", "shadow"), ("shadow", "mood"), ("object", "shadow")])
        >>> for found in implied_independences(graph, ["light", "object", "shadow", "mood"]):
        ...     print(found.first, found.second, found.given)
        light object ()
        light mood ('shadow',)
        object mood ('shadow',)
    """
    for first, second in combinations(factors, 2):
        for given in _separators(graph, first, second, set(factors)):
            # In the table's order, then the rest by name, so that equal graphs give equal lists.
            order = [name for name in factors if name in given]
            yield Independence(first, second, (*order, *sorted(given.difference(factors))))


def _separators(graph: nx.DiGraph, first: str, second: str, factors: set[str]) -> Iterator[set[str]]:
    import networkx as nx

    if graph.has_edge(first, second) or graph.has_edge(second, first):
        return
    others = factors - {first, second}
    smallest = nx.find_minimal_d_separator(graph, first, second, restricted=others)
    if smallest is None:
        everything = set(graph) - {first, second}
        separator = nx.find_minimal_d_separator(graph, first, second, restricted=everything)
        if separator is not None:
            yield separator
        return
    listed = [smallest]
    for node in (first, second):
        parents = set(graph.predecessors(node))
        if parents <= others and parents not in listed and nx.is_d_separator(graph, {first}, {second}, parents):
            listed.append(parents)
    yield from listed
