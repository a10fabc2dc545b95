"""Does a data set obey its causal graph? Every independence that the graph implies is tested on the factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_graph_type, is_number, is_whole
from causal_disent.data._row_groups import factor_rows
from causal_disent.data.state_space import StateSpace
from causal_disent.graphs.chi_square import ChiSquare, chi_square
from causal_disent.graphs.dependences import Pair, check_pairs_of, opened_pairs
from causal_disent.protocols import IntArray

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "CheckedIndependence",
    "GraphCheck",
    "HiddenIndependence",
    "Independence",
    "check_graph",
    "implied_independences",
]


@dataclass(frozen=True)
class Independence:
    """`first` says nothing of `second` once the variables of `given` are known."""

    first: str
    second: str
    given: tuple[str, ...]


@dataclass(frozen=True)
class CheckedIndependence(Independence):
    """An independence, and what the data say of it."""

    test: ChiSquare
    alpha: float

    @property
    def verdict(self) -> str:
        """``holds`` or ``broken``, with a mark where too few points make it doubtful; or why neither."""
        if not self.test.degrees:
            return "cannot tell: no variation"
        doubt = " (few points)" if self.test.too_few_points else ""
        return ("broken" if self.is_broken else "holds") + doubt

    @property
    def is_broken(self) -> bool:
        return self.test.p < self.alpha


@dataclass(frozen=True)
class HiddenIndependence(Independence):
    """An independence given variables that are not in the table, and how the pair looks given nothing."""

    marginal: ChiSquare
    alpha: float

    @property
    def is_linked(self) -> bool:
        """Whether the two depend on each other, so that the hidden variables are at work."""
        return self.marginal.p < self.alpha


@dataclass(frozen=True)
class GraphCheck:
    """What `check_graph` found.

    Attributes:
        tested: the independences that the table's columns suffice for.
        untestable: those that hold given variables that are no columns of the table.
        pairs: all pairs of factors, given nothing.
        opened: pairs that common effects make dependent, given these.
        num_points: how many points were tested.
        alpha: an independence is broken if its p-value is below.
    """

    tested: tuple[CheckedIndependence, ...]
    untestable: tuple[HiddenIndependence, ...]
    pairs: tuple[Pair, ...]
    opened: tuple[Pair, ...]
    num_points: int
    alpha: float

    @property
    def broken(self) -> tuple[CheckedIndependence, ...]:
        """The independences that the data do not have."""
        return tuple(test for test in self.tested if test.is_broken)


def check_graph(
    data: Any,
    *,
    graph: nx.DiGraph | None = None,
    num_points: int | None = None,
    random_state: np.random.RandomState | None = None,
    alpha: float = 0.05,
) -> GraphCheck:
    """Test every independence that a causal graph implies for two factors.

    Args:
        data: ground-truth data with discrete factors.
        graph: over factors, confounders and image; the data set's own if not given.
        num_points: how many points to draw. If not given, each image of the factor table is a point, so that
            nothing is left to chance: on a table with all combinations every statistic is 0.
        random_state: what the points are drawn with.
        alpha: the level of each test. Of independences that hold, this part is called broken in a sample.

    Example:
        >>> from causal_disent import get_dataset
        >>> check = check_graph(get_dataset("candle_mini", confounding="never object=cube light=left"))
        >>> [(test.first, test.second) for test in check.broken]
        [('object', 'light')]
    """
    if not is_number(alpha) or not 0 < alpha < 1:
        raise errors.InvalidInput(f"`alpha` is between 0 and 1; given: {alpha!r}.")
    if graph is None:
        graph = _graph_of(data)
    else:
        check_graph_type(graph)
    names, rows = _points(data, num_points, random_state)
    column = dict(zip(names, rows.T, strict=True))
    tested, untestable = [], []
    for implied in implied_independences(graph, names):
        first, second, given = implied.first, implied.second, implied.given
        if set(given) <= set(names):
            test = chi_square(column[first], column[second], rows[:, [names.index(name) for name in given]])
            tested.append(CheckedIndependence(first, second, given, test, alpha))
        else:
            marginal = chi_square(column[first], column[second])
            untestable.append(HiddenIndependence(first, second, given, marginal, alpha))
    pairs = tuple(check_pairs_of(graph, names, rows, alpha))
    opened = tuple(opened_pairs(graph, names, rows, alpha, list(StateSpace.of(data).value_names.values())))
    return GraphCheck(tuple(tested), tuple(untestable), pairs, opened, len(rows), alpha)


def implied_independences(graph: nx.DiGraph, factors: Sequence[str]) -> Iterator[Independence]:
    """The independences of pairs of factors, by d-separation.

    A pair is listed given nothing where that separates it, or else given a smallest set of factors that does. It
    is listed once more given the parents of either, where all of these are factors, and separate it too. A pair
    that no set of factors separates is listed given a smallest set of any variables.

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
    _check_nodes(graph, factors)
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


def _check_nodes(graph: nx.DiGraph, factors: Sequence[str]) -> None:
    import networkx as nx

    if not nx.is_directed_acyclic_graph(graph):
        raise errors.InvalidInput("A causal graph must be directed and without cycles.")
    for factor in factors:
        if factor not in graph:
            raise errors.UnknownName(
                f"The graph has no node for the factor '{factor}'.{errors.nearest(factor, graph)} It has: "
                f"{errors.listing(graph)}."
            )


def _graph_of(data: Any) -> Any:
    graph = getattr(data, "graph", None)
    if graph is None:
        raise errors.InvalidInput(
            f"The data set {type(data).__name__} has no causal graph. Give one: check_graph(data, graph=...)."
        )
    return graph


def _points(
    data: Any, num_points: int | None, random_state: np.random.RandomState | None
) -> tuple[tuple[str, ...], IntArray]:
    """The names of the factors, and the points (n, factors)."""
    if num_points is None:
        if not (hasattr(data, "factor_table") and _images_are_equally_likely(data)):
            raise errors.InvalidInput(
                "Where a data set has no factor table, or some of its images are likelier than others, the test "
                "needs a sample: give the number of points (`num_points`, --num_points)."
            )
        names, _, rows = factor_rows(data)
        return names, rows
    if not is_whole(num_points) or num_points < 2:
        raise errors.InvalidInput(f"A sample needs at least 2 points, a whole number; given: {num_points!r}.")
    if random_state is None:
        raise errors.InvalidInput("A sample needs a `random_state` that it is drawn with; none is given.")
    names = tuple(getattr(data, "factor_names", None) or (f"factor_{i}" for i in range(data.num_factors)))
    return names, np.asarray(data.sample_factors(num_points, random_state))


def _images_are_equally_likely(data: Any) -> bool:
    """Whether each image of the factor table is drawn as often as any other."""
    if hasattr(data, "image_weights"):
        return bool(np.allclose(data.image_weights, data.image_weights[0]))
    weights = np.ones(1)
    if getattr(data, "statements", None):
        combinations_there = factor_rows(data.base)[2]
        weights = np.prod([s.weights(data.base_space, combinations_there) for s in data.statements], axis=0)
        weights = weights[weights > 0]
    return bool(np.allclose(weights, weights[0]))
