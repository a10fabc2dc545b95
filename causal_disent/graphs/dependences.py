"""What a causal graph says of pairs of factors beside independences: who depends on whom, given which effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from causal_disent.graphs.chi_square import ChiSquare, chi_square
from causal_disent.protocols import IntArray

if TYPE_CHECKING:
    import networkx as nx

#: Factors with more values are not taken apart value by value.
MOST_VALUES = 2


@dataclass(frozen=True)
class Pair:
    """Two factors, given others, and what graph and data say of them.

    Attributes:
        first, second: the factors.
        given: what is known.
        value: of what is known, where one stratum is looked at by itself.
        separated: whether the graph says that they are independent then (d-separation). Where it does not, they
            depend on each other unless mechanisms happen to cancel.
        test: whether the data say so.
        alpha: the level of the test.
    """

    first: str
    second: str
    given: tuple[str, ...]
    value: str
    separated: bool
    test: ChiSquare
    alpha: float

    @property
    def looks_independent(self) -> bool:
        """Whether the data give no reason to doubt that the two are independent."""
        return self.test.p >= self.alpha

    @property
    def agrees(self) -> bool:
        """Whether graph and data say the same."""
        return self.separated == self.looks_independent


def check_pairs_of(graph: nx.DiGraph, names: Sequence[str], rows: IntArray, alpha: float) -> Iterator[Pair]:
    """All pairs of factors, given nothing.

    Args:
        graph: a directed acyclic graph with a node for each factor.
        names: the factors.
        rows: (points, factors) integers from 0.
        alpha: the level of each test.
    """
    import networkx as nx

    for (i, first), (j, second) in combinations(enumerate(names), 2):
        separated = nx.is_d_separator(graph, {first}, {second}, set())
        yield Pair(first, second, (), "", separated, chi_square(rows[:, i], rows[:, j]), alpha)


def opened_pairs(
    graph: nx.DiGraph, names: Sequence[str], rows: IntArray, alpha: float, value_names: Sequence[Sequence[str]]
) -> Iterator[Pair]:
    """The pairs that are independent given nothing, given factors that make them dependent: common effects.

    Each such factor by itself, where it has two values each of them, and all of the factors together. Arguments as
    in `check_pairs_of`; `value_names` has the names of the values of each factor.

    Example:
        >>> import networkx as nx
        >>> import numpy as np
        >>> graph = nx.DiGraph([("rain", "wet"), ("hose", "wet")])
        >>> rows = np.array([(a, b, a | b) for a in (0, 1) for b in (0, 1)] * 50)
        >>> for pair in opened_pairs(graph, ["rain", "hose", "wet"], rows, 0.05, [("no", "yes")] * 3):
        ...     print(pair.first, pair.second, pair.given, pair.value, pair.looks_independent)
        rain hose ('wet',)  False
        rain hose ('wet',) no True
        rain hose ('wet',) yes False
    """
    import networkx as nx

    for (i, first), (j, second) in combinations(enumerate(names), 2):
        if not nx.is_d_separator(graph, {first}, {second}, set()):
            continue
        others = [name for name in names if name not in (first, second)]
        opening = [name for name in others if not nx.is_d_separator(graph, {first}, {second}, {name})]
        for given in [(name,) for name in opening] + ([tuple(opening)] if len(opening) > 1 else []):
            columns = [names.index(name) for name in given]
            test = chi_square(rows[:, i], rows[:, j], rows[:, columns])
            yield Pair(first, second, given, "", False, test, alpha)
            values = value_names[columns[0]]
            if len(given) > 1 or len(values) > MOST_VALUES:
                continue
            for place, value in enumerate(values):
                stratum = rows[rows[:, columns[0]] == place]
                if len(stratum):
                    alone = chi_square(stratum[:, i], stratum[:, j])
                    yield Pair(first, second, given, value, False, alone, alpha)
