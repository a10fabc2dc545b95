"""Causal discovery in tables of labels or codes: NOTEARS, GOLEM, PC and GES of the library gcastle.

Each is a function like `causal_disent.metrics.concepts.gae_discovery`, so that configs say
``graph_recovery.discovery = 'pc_discovery'``. `score_discovery` compares what they find with the true graph.
"""

from __future__ import annotations

import itertools
import logging
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_matrix, check_options, check_random_state, checked, number, whole
from causal_disent.graphs import CausalGraph, edge_scores, shd, sid
from causal_disent.metrics.certainty import centred_interval
from causal_disent.metrics.concepts import gae_discovery
from causal_disent.metrics.contract import configurable
from causal_disent.protocols import FloatArray

#: An equivalence class with more directed graphs than this is represented by so many, drawn at random.
MOST_MEMBERS = 64
#: Resamples for an interval are halves of the points: repeated points would look like dependence.
SHARE = 0.5


@dataclass(frozen=True)
class FoundGraph:
    """Who causes whom among columns, and a linear layer that obeys it.

    Attributes:
        adjacency: (columns, columns); entry (i, j) is 1 where i causes j. Of a class of graphs that the data
            cannot tell apart, a member drawn at random.
        members: (graphs, columns, columns) the graphs of that class; one where every edge has a direction.
        weights: (columns, columns) coefficients of least squares of each column on its causes.
    """

    adjacency: FloatArray
    members: FloatArray
    weights: FloatArray

    def causal_layer(self, values: FloatArray, adjacency: FloatArray | None = None) -> FloatArray:
        """Columns (n, columns), in the units fitted, from their causes alone; `adjacency` can cut edges."""
        kept = self.weights if adjacency is None else np.where(adjacency != 0, self.weights, 0.0)
        return np.asarray(values, dtype=np.float64) @ kept


def orient(found: FloatArray, random_state: np.random.RandomState) -> FloatArray:
    """The directed graphs that a partially directed one stands for, (graphs, columns, columns).

    An edge that is there both ways has no direction. Every choice of directions counts that makes no cycle and no
    new collider: two causes of one effect without an edge between them. If there is none, as estimates from few
    points may have it, those without a cycle count.

    Example:
        >>> chain = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])          # a - b - c
        >>> len(orient(chain, np.random.RandomState(0)))                 # all but a -> b <- c
        3
    """
    partial: np.ndarray = np.asarray(found) != 0
    open_edges = [
        (i, j) for i, j in itertools.combinations(range(len(partial)), 2) if partial[i, j] and partial[j, i]
    ]
    fixed = partial & ~partial.T
    choices: Iterator[tuple[int, ...]] | list[tuple[int, ...]]
    if 2 ** len(open_edges) <= 2**12:
        choices = list(itertools.product((0, 1), repeat=len(open_edges)))
    else:
        choices = [tuple(random_state.randint(2, size=len(open_edges))) for _ in range(2**12)]
    acyclic, consistent = [], []
    colliders = _colliders(fixed, partial | partial.T)
    for chosen in choices:
        graph = fixed.copy()
        for (i, j), way in zip(open_edges, chosen, strict=True):
            graph[(i, j) if way else (j, i)] = True
        if _is_acyclic(graph):
            acyclic.append(graph)
            if _colliders(graph, partial | partial.T) == colliders:
                consistent.append(graph)
    members = consistent or acyclic or [fixed]
    if len(members) > MOST_MEMBERS:
        members = [members[i] for i in random_state.choice(len(members), MOST_MEMBERS, replace=False)]
    return np.asarray(members, dtype=np.float64)


def _is_acyclic(graph: np.ndarray) -> bool:
    """Whether no walk along the edges comes back to where it began."""
    reached = graph != 0
    for middle in range(len(reached)):
        reached = reached | (reached[:, [middle]] & reached[middle])
    return not reached.diagonal().any()


def _colliders(graph: np.ndarray, linked: np.ndarray) -> set[tuple[int, int, int]]:
    """(cause, effect, cause) where the causes have no edge between them."""
    return {
        (int(i), effect, int(j))
        for effect in range(len(graph))
        for i, j in itertools.combinations(np.flatnonzero(graph[:, effect]), 2)
        if not linked[i, j]
    }


@contextmanager
def _keep_globals() -> Iterator[None]:
    """Undo what gcastle changes for the whole program: the log, torch's default type, and generators it seeds."""
    root, disabled = logging.getLogger(), logging.root.manager.disable
    handlers, level = list(root.handlers), root.level
    states = random.getstate(), np.random.get_state()  # noqa: NPY002  gcastle seeds it
    torch = sys.modules.get("torch")
    kept = None if torch is None else (torch.get_default_dtype(), torch.get_rng_state())
    os.environ.setdefault("CASTLE_BACKEND", "pytorch")
    logging.disable(logging.INFO)
    try:
        if torch is not None:
            torch.set_default_dtype(torch.float64)  # as gcastle has it when it is imported first
        yield
    finally:
        logging.disable(disabled)
        root.handlers[:] = handlers
        root.setLevel(level)
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        if torch is not None and kept is not None:
            torch.set_default_dtype(kept[0])
            torch.set_rng_state(kept[1])
        elif "torch" in sys.modules:
            sys.modules["torch"].set_default_dtype(sys.modules["torch"].float32)


def _find(name: str, method: str, values: Any, random_state: Any, **options: Any) -> FoundGraph:
    """Run a method of gcastle on checked columns."""
    values = check_matrix("values", values, columns="columns").astype(np.float64)
    if values.shape[1] < 2:
        raise errors.InvalidInput(f"{name} needs two columns or more; given: {values.shape[1]}.")
    if len(values) <= values.shape[1]:
        raise errors.InvalidInput(
            f"{name} needs more points than columns; given: {len(values)} points, {values.shape[1]} columns."
        )
    if len(constant := np.flatnonzero(values.min(axis=0) == values.max(axis=0))):
        raise errors.InvalidInput(
            f"{name} needs columns that vary; constant: {errors.listing(constant)}. Leave them out."
        )
    generator = check_random_state(random_state)
    with _keep_globals():
        try:
            from castle import algorithms
        except ImportError as error:
            raise errors.InvalidInput(
                f"{name} needs gcastle: pip install 'causal-disent[graphs]' ({error})."
            ) from None
        if method == "GOLEM":
            options["seed"] = int(generator.randint(2**31))
        try:
            model = getattr(algorithms, method)(**options)
            model.learn(values)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:  # of columns that are sums of others
            raise errors.InvalidInput(f"{name} cannot be fitted to these columns: {error}.") from None
    members = orient(np.asarray(model.causal_matrix), generator)
    adjacency = members[generator.randint(len(members))]
    centred = values - values.mean(axis=0)
    weights = np.zeros_like(adjacency)
    for effect in range(len(adjacency)):
        causes = np.flatnonzero(adjacency[:, effect])
        if len(causes):
            weights[causes, effect] = np.linalg.lstsq(centred[:, causes], centred[:, effect], rcond=None)[0]
    return FoundGraph(adjacency, members, weights)


@configurable("notears_discovery", supplied=("values", "random_state"))
@checked
def notears_discovery(
    values: FloatArray,
    random_state: np.random.RandomState | int = 0,
    l1: Annotated[float, number(at_least=0)] = 0.1,
    threshold: Annotated[float, number(at_least=0)] = 0.3,
    rounds: Annotated[int, whole(at_least=1)] = 100,
) -> FoundGraph:
    r"""Fit NOTEARS (Zheng et al. 2018): a linear graph without cycles, by least squares.

    .. math:: \min_W \tfrac1{2n}\|X - XW\|^2 + \lambda |W|_1 \;\text{ with }\; \operatorname{tr} e^{W \circ W} = d

    The direction of an edge is told by variances, which standardised columns do not have.

    Args:
        values: (points, columns) numbers.
        random_state: seed or generator; NOTEARS itself draws nothing.
        l1: the weight of the edges' sum.
        threshold: smaller weights are no edges.
        rounds: of the augmented Lagrangian, at most.

    Returns:
        `FoundGraph`.
    """
    return _find(
        "notears_discovery", "Notears", values, random_state, lambda1=l1, w_threshold=threshold, max_iter=rounds
    )


@configurable("golem_discovery", supplied=("values", "random_state"))
@checked
def golem_discovery(
    values: FloatArray,
    random_state: np.random.RandomState | int = 0,
    l1: Annotated[float, number(at_least=0)] = 0.02,
    acyclicity: Annotated[float, number(at_least=0)] = 5.0,
    equal_variances: bool = True,
    threshold: Annotated[float, number(at_least=0)] = 0.3,
    steps: Annotated[int, whole(at_least=1)] = 10_000,
) -> FoundGraph:
    """Fit GOLEM (Ng et al. 2020): the likelihood of a linear graph, with soft penalties; it needs torch.

    Args:
        values: (points, columns) numbers.
        random_state: seed or generator, of the first weights.
        l1: the weight of the edges' sum.
        acyclicity: the weight of the penalty of cycles.
        equal_variances: whether the noise of all columns has one variance.
        threshold: smaller weights are no edges.
        steps: of Adam; 100,000 as published.

    Returns:
        `FoundGraph`.
    """
    return _find(
        "golem_discovery", "GOLEM", values, random_state,
        lambda_1=l1, lambda_2=acyclicity, equal_variances=equal_variances, graph_thres=threshold, num_iter=steps,
        checkpoint_iter=steps,
    )  # fmt: skip


@configurable("pc_discovery", supplied=("values", "random_state"))
@checked
def pc_discovery(
    values: FloatArray,
    random_state: np.random.RandomState | int = 0,
    alpha: Annotated[float, number(above=0, below=1)] = 0.05,
) -> FoundGraph:
    """Run PC (Spirtes and Glymour 1991) with tests of partial correlations (Fisher's z).

    Args:
        values: (points, columns) numbers.
        random_state: seed or generator, of the member of the class of graphs that is taken.
        alpha: level of each test.

    Returns:
        `FoundGraph`, whose `members` are all graphs with the independences found.
    """
    return _find("pc_discovery", "PC", values, random_state, alpha=alpha, variant="stable")


@configurable("ges_discovery", supplied=("values", "random_state"))
@checked
def ges_discovery(values: FloatArray, random_state: np.random.RandomState | int = 0) -> FoundGraph:
    """Run GES (Chickering 2002), a greedy search by the BIC of linear Gaussian graphs.

    Args:
        values: (points, columns) numbers.
        random_state: seed or generator, of the member of the class of graphs that is taken.

    Returns:
        `FoundGraph`, whose `members` are all graphs with the same score.
    """
    return _find("ges_discovery", "GES", values, random_state)


#: Name -> function (values, random_state) to an object with an `adjacency`.
METHODS: dict[str, Callable[..., Any]] = {
    "notears": notears_discovery,
    "golem": golem_discovery,
    "pc": pc_discovery,
    "ges": ges_discovery,
    "gae": gae_discovery,
}


@dataclass(frozen=True)
class DiscoveryScore:
    """How near the graph that a method finds is to the true one.

    Attributes:
        method: its name.
        shd: structural Hamming distance, 0 is best.
        sid: structural intervention distance, 0 is best; None where what was found has a cycle.
        f1: of the edges, 1 is best.
        intervals: score -> the ends of its 95 % interval over halves of the points, if any were drawn.
        num_members: how many graphs the data could not tell apart; scores are means over them.
        edges: of the member that was drawn, "angle -> length".
    """

    method: str
    shd: float
    sid: float | None
    f1: float
    intervals: Mapping[str, tuple[float, float]]
    num_members: int
    edges: tuple[str, ...]


@checked
def score_discovery(
    values: Any,
    graph: Any,
    method: str = "pc",
    *,
    names: Sequence[str] | None = None,
    resamples: Annotated[int, whole(at_least=0)] = 20,
    random_state: np.random.RandomState | int = 0,
    standardise: bool = True,
    threshold: Annotated[float, number(at_least=0)] = 0.3,
    options: Mapping[str, Any] | None = None,
) -> DiscoveryScore:
    r"""Find a graph in a table, and compare it with the true one.

    .. math:: F_1 = \frac{2 |E \cap \hat E|}{|E| + |\hat E|}

    Args:
        values: (points, columns) labels or codes.
        graph: the true `CausalGraph`, or edges (cause, effect).
        method: of `METHODS`.
        names: the node of each column; by default the names of a data frame's columns, if any is a node, else
            the graph's nodes in their order.
        resamples: halves of the points for the intervals; 0 for none. A half in which a column does not vary is
            left out.
        random_state: seed or generator.
        standardise: give the method columns of mean 0 and variance 1.
        threshold: an edge is found where its weight is above; of gae, whose weights are no edges yet.
        options: of the method, such as ``{"alpha": 0.01}``.

    Returns:
        `DiscoveryScore`. F1 is in [0, 1], higher is better; SHD and SID are from 0, lower is better.

    Example:
        >>> rng = np.random.RandomState(0)                                # two causes of one effect
        >>> a, b = rng.normal(size=(2, 500))
        >>> table = np.stack([a, b, a + b + 0.5 * rng.normal(size=500)], axis=1)
        >>> found = score_discovery(table, [("a", "c"), ("b", "c")], "pc", names=list("abc"), resamples=0)
        >>> found.shd, found.sid, found.f1, found.edges
        (0.0, 0.0, 1.0, ('a -> c', 'b -> c'))
    """
    if method not in METHODS:
        raise errors.unknown("method of causal discovery", method, METHODS)
    stated = check_options(METHODS[method], options or {}, method)
    names = _columns_of(values, CausalGraph(graph).nodes) if names is None else tuple(names)
    if len(set(names)) < len(names):
        raise errors.InvalidInput(f"`names` must differ; given: {errors.listing(names)}.")
    true = CausalGraph(graph, names).among(names)
    values = check_matrix("values", values, columns="columns").astype(np.float64)
    if values.shape[1] != len(names):
        raise errors.InvalidInput(
            f"`values` needs a column for each of the {len(names)} nodes {errors.listing(names)}; given: "
            f"{values.shape[1]}."
        )
    generator = check_random_state(random_state)
    seed = int(generator.randint(2**31))

    def find(rows: np.ndarray) -> tuple[FloatArray, dict[str, float]]:
        taken = values[rows]
        if standardise:
            spread = taken.std(axis=0)
            taken = (taken - taken.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        found = METHODS[method](taken, np.random.RandomState(seed), **stated)
        own = (np.abs(found.adjacency) > threshold).astype(np.float64)
        return own, _mean_scores(true, getattr(found, "members", own[None]))

    edges, scores = find(np.arange(len(values)))
    half = max(values.shape[1] + 1, int(SHARE * len(values)))
    halves = [generator.choice(len(values), half, replace=False) for _ in range(resamples)]
    drawn = [find(rows)[1] for rows in halves if np.ptp(values[rows], axis=0).all()]
    ends = {"shd": (0.0, np.inf), "sid": (0.0, float(len(names) * (len(names) - 1))), "f1": (0.0, 1.0)}
    intervals = {}
    for name, bounds in ends.items():
        several = [one[name] for one in drawn if not np.isnan(one[name])]
        if len(several) > 1 and not np.isnan(scores[name]):
            # Halves without repetition spread as much as samples of all points do.
            intervals[name] = centred_interval(scores[name], several, bounds)
    return DiscoveryScore(
        method,
        scores["shd"],
        None if np.isnan(scores["sid"]) else scores["sid"],
        scores["f1"],
        intervals,
        int(scores["members"]),
        tuple(f"{names[i]} -> {names[j]}" for i, j in np.argwhere(edges)),
    )


def _columns_of(values: Any, nodes: Sequence[str]) -> tuple[str, ...]:
    """The nodes that the columns of a data frame are called after; without such names, all in their order."""
    columns = tuple(getattr(values, "columns", ()))
    return columns if any(name in nodes for name in columns) else tuple(nodes)


def _mean_scores(true: CausalGraph, members: FloatArray) -> dict[str, float]:
    """The scores of graphs that the data cannot tell apart, averaged."""
    each = []
    for graph in members:
        distance = sid(true, graph) if _is_acyclic(graph) else np.nan
        each.append((shd(true, graph), distance, edge_scores(true, graph, threshold=0.0).f1))
    means = np.mean(np.asarray(each, dtype=np.float64), axis=0)
    return {"shd": float(means[0]), "sid": float(means[1]), "f1": float(means[2]), "members": len(members)}
