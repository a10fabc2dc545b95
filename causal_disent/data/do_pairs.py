"""Images before and after two interventions, one on causes and one on effects (DoVAE, arXiv:2206.01802)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, checked, graph_for
from causal_disent.data._row_groups import RowGroups, factor_rows
from causal_disent.data.factor_table import factor_values
from causal_disent.protocols import FloatArray, IntArray

SOURCES = ("mechanism", "table")


class DoPairs(NamedTuple):
    """Images, and what they become.

    Attributes:
        images: (num,) the images before, as indices.
        causes: cause -> (num,) the number that it was set to; what it causes follows.
        effects: effect -> (num,) the number that it was set to; its causes stay as they are.
        after_causes: (num, h, w, c) the images after the causes were set, float32 in [0, 1].
        after_effects: (num, h, w, c) the images after the effects were set.
    """

    images: IntArray
    causes: Mapping[str, FloatArray]
    effects: Mapping[str, FloatArray]
    after_causes: FloatArray
    after_effects: FloatArray


@checked
def do_pairs(
    data: Any, num: int, random_state: np.random.RandomState, *, graph: Any = None, source: str | None = None
) -> DoPairs:
    """Draw images and set first their causes, then their effects, to those of other images.

    Causes are the factors that cause others and have no cause among the factors; effects are those that have. The
    mechanism makes what an intervention leads to. A table can stand in for it: since nothing causes the causes,
    setting them is meeting an image that has them (and the same of what has no part in this); setting effects is
    meeting an image with the same causes and other effects, which exists where effects have noise.

    Args:
        data: a data set with a factor table.
        num: how many images.
        random_state: what they and the others are drawn with.
        graph: over the factors and others, a ``networkx.DiGraph`` or a `CausalGraph`; the data's own if not given.
        source: ``mechanism`` (``data.counterfactual``) or ``table``; if not given, the mechanism of a data set in
            which factors cause each other, else the table.

    Example:
        >>> import networkx as nx
        >>> from causal_disent.data import ArrayDataset
        >>> rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
        >>> graph = nx.DiGraph([("rain", "wet")])
        >>> data = ArrayDataset(np.zeros((4, 2, 2)), rows, factor_names=["rain", "wet"], graph=graph)
        >>> pairs = do_pairs(data, 2, np.random.RandomState(0))
        >>> pairs.images.tolist(), pairs.causes["rain"].tolist(), pairs.effects["wet"].tolist()
        ([0, 3], [1.0, 0.0], [1.0, 0.0])
    """
    check_at_least(1, num=num)
    if source is None:
        source = SOURCES[0] if hasattr(data, "counterfactual") and not _is_independent(data) else SOURCES[1]
    check_choice("source", source, SOURCES)
    if source == SOURCES[0] and not hasattr(data, "counterfactual"):
        raise errors.InvalidInput(
            f"The data set {type(data).__name__} has no mechanism (`counterfactual`); source='table' needs none."
        )
    names, images, rows = factor_rows(data)
    causes, effects = _causes_and_effects(data, graph, names)
    kept_by_causes = [i for i in range(len(names)) if i not in (*causes, *effects)]
    kept_by_effects = [i for i in range(len(names)) if i not in effects]
    from_mechanism = source == SOURCES[0]
    others = [
        _Others(rows, () if from_mechanism else kept_by_causes, causes),
        _Others(rows, () if from_mechanism else kept_by_effects, effects),
    ]
    able = np.flatnonzero((others[0].number > 0) & (others[1].number > 0))
    if not able.size:
        told = errors.listing(names[i] for i in effects)
        raise errors.InvalidInput(
            f"No image of the data set has others with the same causes and other effects ({told}), so that its "
            "table shows no intervention on effects. A data set with a mechanism (`counterfactual`) can make one."
        )
    first = able[random_state.randint(len(able), size=num)]
    set_to, after = [], []
    for columns, drawn in zip((causes, effects), others, strict=True):
        other = images[drawn.draw(first, random_state)]
        numbers = factor_values(data, other)
        do = {names[column]: numbers[:, column] for column in columns}
        set_to.append(do)
        after.append(data.counterfactual(images[first], do) if from_mechanism else data.observations(other))
    return DoPairs(images[first], set_to[0], set_to[1], after[0], after[1])


def _is_independent(data: Any) -> bool:
    """Whether no factor of the data set causes another, so that its mechanism knows no effects."""
    graph, names = getattr(data, "graph", None), [str(name) for name in data.factor_table.columns]
    return graph is not None and not graph.subgraph(names).edges


def _causes_and_effects(data: Any, graph: Any, names: Sequence[str]) -> tuple[list[int], list[int]]:
    """The columns of the factors that cause others and are not caused, and of those that are."""
    graph = graph_for(data, graph).subgraph(names)
    effects = [i for i, name in enumerate(names) if name in graph and graph.in_degree(name)]
    causes = [i for i, name in enumerate(names) if i not in effects and name in graph and graph.out_degree(name)]
    if not effects:
        raise errors.InvalidInput(
            f"Pairs under interventions need a graph in which a factor causes another; none of "
            f"{errors.listing(names)} does."
        )
    return causes, effects


class _Others:
    """For rows of a table: those that agree in the columns `kept`, and differ in at least one of `changed`.

    Attributes:
        number: (n,) how many there are for each row.
    """

    def __init__(self, rows: IntArray, kept: Sequence[int], changed: Sequence[int]) -> None:
        both = [*kept, *changed]
        sizes = rows.max(axis=0) + 1
        # Sorted by what is kept first, so that the rows that agree in it are neighbours here too.
        groups = RowGroups(rows, both, sizes[both])
        self._order = groups.order
        self._start, stop = RowGroups(rows, kept, sizes[list(kept)]).stretches(rows[:, list(kept)])
        self._same, same_stop = groups.stretches(rows[:, both])
        self._num_same = same_stop - self._same
        self.number = stop - self._start - self._num_same

    def draw(self, positions: IntArray, random_state: np.random.RandomState) -> IntArray:
        """One for each of these rows (n,), which have any."""
        place = self._start[positions] + random_state.randint(self.number[positions])
        place += self._num_same[positions] * (place >= self._same[positions])  # steps over those that are the same
        return self._order[place]
