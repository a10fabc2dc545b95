"""How far an estimated causal graph is from the true one: by edges, and by what interventions it predicts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import as_numbers, check_not_negative, checked
from causal_disent.graphs.causal_graph import CausalGraph


class EdgeScores(NamedTuple):
    """Of the edges of an estimate, all in [0, 1], higher is better: F1, how many are true, how many it has."""

    f1: float
    precision: float
    recall: float


@checked
def shd(truth: Any, estimate: Any, *, reversal: int = 1) -> int:
    """Structural Hamming distance: pairs of nodes whose edge is not as in the true graph.

    Args:
        truth: a `CausalGraph`, or what one is made of.
        estimate: the same over the same nodes; or an adjacency matrix (nodes, nodes) in the order of the true
            graph's nodes, whose entry (i, j) is not 0 where i causes j. It may have cycles; its diagonal counts
            for nothing.
        reversal: what an edge in the wrong direction counts, 1 or 2.

    Returns:
        From 0, lower is better.

    Example:
        >>> shd([("a", "b"), ("b", "c")], [("b", "a"), ("b", "c"), ("a", "c")])
        2
    """
    if reversal not in (1, 2):
        raise errors.InvalidInput(f"`reversal` is 1 or 2; given: {reversal}.")
    _, true, found = _matrices(truth, estimate)
    wrong = true != found
    # Each pair of nodes once; a reversed edge is wrong in both places.
    return int(wrong.sum()) if reversal == 2 else int((wrong | wrong.T)[np.triu_indices(len(true), 1)].sum())


def sid(truth: Any, estimate: Any) -> int:
    """Structural intervention distance (Peters and Buehlmann 2015, arXiv:1306.1043).

    The number of ordered pairs (i, j) for which the estimate predicts a wrong effect of setting i on j: its
    parents of i are no valid adjustment set in the true graph.

    Args:
        truth: a `CausalGraph`, or what one is made of.
        estimate: the same, or an adjacency matrix as `shd` takes it, without cycles.

    Returns:
        From 0 to nodes * (nodes - 1), lower is better. It is not symmetric: edges too many cost nothing if their
        direction agrees with an order of the true graph.

    Example:
        >>> sid([("a", "b")], [("a", "b")]), sid([("a", "b")], [("b", "a")])
        (0, 2)
    """
    try:
        from gadjid import parent_aid
    except ImportError:
        raise errors.InvalidInput(
            "The structural intervention distance needs the package gadjid: pip install 'causal-disent[graphs]'."
        ) from None

    nodes, true, found = _matrices(truth, estimate)
    CausalGraph([(nodes[i], nodes[j]) for i, j in np.argwhere(found)])  # a cycle is an error
    return int(parent_aid(true, found, edge_direction="from row to column")[1]) if len(nodes) > 1 else 0


@checked
def edge_scores(truth: Any, estimate: Any, *, threshold: float = 0.3) -> EdgeScores:
    r"""Precision, recall and F1 of the edges whose weight is large.

    .. math:: F_1 = \frac{2 |E \cap \hat E|}{|E| + |\hat E|}

    Args:
        truth: a `CausalGraph`, or what one is made of.
        estimate: the same, or a matrix (nodes, nodes) of weights, row i causes column j; its diagonal is ignored.
        threshold: an edge is found where its weight is above, positive or negative.

    Returns:
        `EdgeScores`. Where both graphs have no edge, all three are 1; precision is 1 where none is found.

    Example:
        >>> edge_scores([("a", "b")], np.array([[0, 0.9], [0.2, 0]]))
        EdgeScores(f1=1.0, precision=1.0, recall=1.0)
    """
    check_not_negative(threshold=threshold)
    _, true, found = _matrices(truth, estimate, threshold)
    right, found_edges, true_edges = int((true & found).sum()), int(found.sum()), int(true.sum())
    return EdgeScores(
        2 * right / (true_edges + found_edges) if true_edges + found_edges else 1.0,
        right / found_edges if found_edges else 1.0,
        right / true_edges if true_edges else 1.0,
    )


def _matrices(
    truth: Any, estimate: Any, threshold: float = 0.0
) -> tuple[tuple[str, ...], NDArray[np.int8], NDArray[np.int8]]:
    """The nodes, and the adjacency of both graphs in their order, 0 or 1."""
    true = CausalGraph(truth)
    nodes, total = true.nodes, len(true.nodes)
    if not hasattr(estimate, "shape"):
        found = CausalGraph(estimate, nodes)
        for node in found.nodes:
            if node not in nodes:
                raise errors.unknown("node of the estimated graph:", node, nodes)
        return nodes, true.adjacency(), found.adjacency()
    weights = as_numbers("The matrix of an estimated graph", estimate).astype(np.float64)
    if weights.shape != (total, total) or not np.isfinite(weights).all():
        raise errors.InvalidInput(
            f"The matrix of an estimated graph has a finite weight for each pair of the {total} nodes "
            f"{errors.listing(nodes)}; given: shape {weights.shape}."
        )
    np.fill_diagonal(weights, 0.0)
    return nodes, true.adjacency(), (np.abs(weights) > threshold).astype(np.int8)
