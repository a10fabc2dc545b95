"""How far the graph that a model learnt is from the true one: SHD, SID and F1 of edges over thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_not_negative
from causal_disent.graphs import CausalGraph, edge_scores, shd, sid
from causal_disent.metrics.tools.causal_points import CausalPoints
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.result import Result
from causal_disent.protocols import FloatArray

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class GraphRecovery(Result, score="f1"):
    """What `graph_recovery` returns.

    Attributes:
        f1: of the edges above the threshold, in [0, 1], higher is better.
        precision: part of the found edges that are true.
        recall: part of the true edges that are found.
        shd: pairs of factors whose edge is wrong, lower is better.
        sid: pairs of factors for which the found graph predicts a wrong effect, lower is better; None where the
            found graph has a cycle, or gadjid is not installed.
        cycle: "a -> b -> a" in the found graph, empty if it has none.
        over_thresholds: threshold -> F1 and SHD of the edges above it.
        best_f1: the largest F1 that any threshold gives: what the weights' order is worth.
        best_threshold: the largest threshold that gives it; edges above it are kept.
        edges: above the threshold, "angle -> length".
        how: how concepts got their factors, and where the graph comes from.
    """

    f1: float
    precision: float
    recall: float
    shd: int
    sid: int | None
    cycle: str
    over_thresholds: dict[float, tuple[float, int]]
    best_f1: float
    best_threshold: float
    edges: tuple[str, ...]
    how: str


def _reported(result: GraphRecovery, names: Sequence[str]) -> dict[str, Any]:
    keys: dict[str, Any] = {"edge_F1": result.f1, "SHD": result.shd}
    keys |= {} if result.sid is None else {"SID": result.sid}
    keys |= {"edge_precision": result.precision, "edge_recall": result.recall}
    keys |= {"best_edge_F1": result.best_f1, "best_threshold": result.best_threshold}
    for threshold, (f1, distance) in result.over_thresholds.items():
        keys |= {f"edge_F1_at_{threshold:g}": f1, f"SHD_at_{threshold:g}": distance}
    keys |= {"cycle": result.cycle} if result.cycle else {}
    return keys | {"edges": list(result.edges), "concepts": result.how}


@metric(
    "graph_recovery",
    needs=CausalPoints("graph_recovery", discovery="gae_discovery", graph=True),
    reports=_reported,
    headline="edge_F1",
    also=("SHD (lower)", "SID (lower)", "best_edge_F1"),
    range=(0, 1),
    by_chance="edges at random have the precision of the graph's own share of edges; no edges 0",
    compared=(
        "distances of the graphs of Pendulum and Flow from others, counted by hand, and all matchings tried out"
    ),
    summary="does the model have the true causal graph?",
    assumes="a known graph; a concept for each factor",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "codes alone have no graph, and one that is found may point backwards"},
)
def graph_recovery(
    concepts: Any,
    graph: Any,
    *,
    names: Sequence[str] | None = None,
    threshold: float = 0.3,
    thresholds: Sequence[float] = THRESHOLDS,
) -> GraphRecovery:
    r"""Compare the edges between a model's concepts with those between the factors.

    .. math:: F_1 = \frac{2 |E \cap \hat E|}{|E| + |\hat E|}

    and the structural Hamming and intervention distances (`causal_disent.graphs.shd`, `causal_disent.graphs.sid`).
    Where a model has no names for its concepts, each factor is given one by the assignment of the largest sum of
    correlations, or of MIC (``matching``); a representation without concepts has the graph that ``discovery``
    finds between its codes, and the result says so.

    Assumes: a concept for each factor; weights whose size tells how sure an edge is.

    Args:
        concepts: the model's, from `find_concepts`; or a matrix (factors, factors) of weights, row i causes j.
        graph: a `CausalGraph` over the factors, or edges (cause, effect).
        names: of the factors, in the order of the weights; by default the graph's nodes in their order.
        threshold: an edge is found where its weight is above, positive or negative.
        thresholds: others, for a series.

    Returns:
        `GraphRecovery`. The score, F1 of the edges, is in [0, 1], higher is better.

    Example:
        >>> found = graph_recovery(np.array([[0, 0.9], [0.2, 0]]), [("a", "b")])
        >>> found.f1, found.shd, found.over_thresholds[0.1][0].__round__(3), found.best_f1
        (1.0, 0, 0.667, 1.0)
    """
    true = CausalGraph(graph)
    weights = np.asarray(getattr(concepts, "adjacency", concepts), dtype=np.float64)
    names = list(true.nodes) if names is None else list(names)
    if set(names) != set(true.nodes) or weights.shape != (len(names),) * 2 or not np.isfinite(weights).all():
        raise errors.InvalidInput(
            f"graph_recovery needs a finite weight for each pair of the factors {errors.listing(names)}, and a "
            f"graph with these nodes; given: weights of shape {weights.shape}, nodes {errors.listing(true.nodes)}."
        )
    check_not_negative(threshold=threshold)
    true = CausalGraph(true, names).among(names)
    found = _above(weights, threshold)
    f1, precision, recall = edge_scores(true, weights, threshold=threshold)
    cycle = _cycle(found, names)
    series = {
        float(at): (edge_scores(true, weights, threshold=at).f1, shd(true, _above(weights, at)))
        for at in thresholds
    }
    best_f1, best_threshold = _best(true, weights)
    return GraphRecovery(
        f1,
        precision,
        recall,
        shd(true, found),
        None if cycle else _sid(true, found),
        cycle,
        series,
        best_f1,
        best_threshold,
        tuple(f"{names[i]} -> {names[j]}" for i, j in np.argwhere(found)),
        getattr(concepts, "how", "weights given"),
    )


def _above(weights: FloatArray, threshold: float) -> FloatArray:
    found = (np.abs(weights) > threshold).astype(np.float64)
    np.fill_diagonal(found, 0.0)
    return found


def _cycle(found: FloatArray, names: Sequence[str]) -> str:
    import networkx as nx

    try:
        edges = nx.find_cycle(nx.from_numpy_array(found, create_using=nx.DiGraph))
    except nx.NetworkXNoCycle:
        return ""
    return " -> ".join(names[edge[0]] for edge in [*edges, edges[0]])


def _sid(true: CausalGraph, found: FloatArray) -> int | None:
    try:
        import gadjid  # noqa: F401
    except ImportError:
        return None
    return sid(true, found)


def _best(true: CausalGraph, weights: FloatArray) -> tuple[float, float]:
    """The largest F1, and the largest threshold at which it is reached: below a weight that there is, or 0."""
    sizes = np.abs(weights[~np.eye(len(weights), dtype=bool)])
    steps = [float(step) for step in np.unique(np.concatenate([[0.0], sizes]))]
    scored = [(edge_scores(true, weights, threshold=at).f1, at) for at in steps]
    return max(scored)
