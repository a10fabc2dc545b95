"""Does a data set obey its causal graph? Every independence that the graph implies is tested on the factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, checked, graph_for, is_number, is_whole
from causal_disent.data._row_groups import factor_rows
from causal_disent.data.state_space import StateSpace
from causal_disent.graphs.causal_graph import CausalGraph
from causal_disent.graphs.chi_square import FEW, ChiSquare, chi_square
from causal_disent.graphs.dependences import Pair, check_pairs_of, opened_pairs
from causal_disent.graphs.independences import Independence
from causal_disent.protocols import GroundTruthData, IntArray
from causal_disent.text import shown_value


@dataclass(frozen=True)
class CheckedIndependence(Independence):
    """An independence, and what the data say of it.

    Attributes:
        test: whether the data have it.
        alpha: the level of the test.
        is_coarse: whether a condition was cut into intervals. What varies inside them can link two factors that
            are independent given the values, so that the test can confirm and not deny.
    """

    test: ChiSquare
    alpha: float
    is_coarse: bool = False

    @property
    def verdict(self) -> str:
        """``holds`` or ``broken``, with a mark where too few points make it doubtful; or why neither."""
        if not self.test.degrees:
            return "cannot tell: no variation"
        if self.is_coarse and self.test.p < self.alpha:
            return "cannot tell: given intervals"
        doubt = " (few points)" if self.test.too_few_points else ""
        return ("broken" if self.is_broken else "holds") + doubt

    @property
    def is_broken(self) -> bool:
        return self.test.p < self.alpha and not self.is_coarse


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
        cut: the factors that were cut into intervals.
    """

    tested: tuple[CheckedIndependence, ...]
    untestable: tuple[HiddenIndependence, ...]
    pairs: tuple[Pair, ...]
    opened: tuple[Pair, ...]
    num_points: int
    alpha: float
    cut: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[CheckedIndependence, ...]:
        """The independences that the data do not have."""
        return tuple(test for test in self.tested if test.is_broken)


@checked
def check_graph(
    data: GroundTruthData,
    *,
    graph: Any = None,
    num_points: int | None = None,
    random_state: np.random.RandomState | None = None,
    alpha: float = 0.05,
    num_bins: int = 10,
) -> GraphCheck:
    """Test every independence that a causal graph implies for two factors.

    Args:
        data: ground-truth data.
        graph: over factors, confounders and image, a ``networkx.DiGraph`` or a `CausalGraph`; the data set's own
            if not given.
        num_points: how many points to draw. If not given, each image of the factor table is a point, so that
            nothing is left to chance: on a table with all combinations every statistic is 0.
        random_state: what the points are drawn with.
        alpha: the level of each test. Of independences that hold, this part is called broken in a sample.
        num_bins: intervals, with equally many points, that a factor is cut into whose values are numbers, and too
            many for the points: a table of two such factors would expect fewer than 5 points in a cell.

    Example:
        >>> from causal_disent import get_dataset
        >>> check = check_graph(get_dataset("candle_mini", confounding="never object=cube light=left"))
        >>> [(test.first, test.second) for test in check.broken]
        [('object', 'light')]
    """
    if not is_number(alpha) or not 0 < alpha < 1:
        raise errors.InvalidInput(f"`alpha` is between 0 and 1; given: {shown_value(alpha)}.")
    check_at_least(2, num_bins=num_bins)
    causal = CausalGraph(graph_for(data, graph))
    names, rows = _points(data, num_points, random_state)
    rows, value_names, cut = _in_intervals(StateSpace.of(data), names, rows, num_bins)
    column = dict(zip(names, rows.T, strict=True))
    tested, untestable = [], []
    for implied in causal.independences(names):
        first, second, given = implied.first, implied.second, implied.given
        if set(given) <= set(names):
            test = chi_square(column[first], column[second], rows[:, [names.index(name) for name in given]])
            tested.append(CheckedIndependence(first, second, given, test, alpha, not cut.isdisjoint(given)))
        else:
            marginal = chi_square(column[first], column[second])
            untestable.append(HiddenIndependence(first, second, given, marginal, alpha))
    pairs = tuple(check_pairs_of(causal.digraph, names, rows, alpha))
    opened = tuple(opened_pairs(causal.digraph, names, rows, alpha, value_names))
    ordered = tuple(name for name in names if name in cut)
    return GraphCheck(tuple(tested), tuple(untestable), pairs, opened, len(rows), alpha, ordered)


def _in_intervals(
    space: StateSpace, names: tuple[str, ...], rows: IntArray, num_bins: int
) -> tuple[IntArray, list[tuple[str, ...]], set[str]]:
    """The rows with numbers in intervals where they are many, the names of values, and which factors were cut."""
    rows, cut = rows.copy(), set()
    value_names = list(space.value_names.values())
    for i, name in enumerate(names):
        num_values = len(np.unique(rows[:, i]))
        if name not in space.numbers or num_values <= num_bins or len(rows) >= FEW * num_values**2:
            continue
        numbers = space.numbers[name][rows[:, i]]
        edges = np.unique(np.quantile(numbers, np.linspace(0, 1, num_bins + 1)))
        rows[:, i] = np.searchsorted(edges[1:-1], numbers, side="right")
        value_names[i] = tuple(f"{low:g}..{high:g}" for low, high in zip(edges, edges[1:], strict=False))
        cut.add(name)
    return rows, value_names, cut


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
        raise errors.InvalidInput(
            f"A sample needs at least 2 points, a whole number; given: {shown_value(num_points)}."
        )
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
