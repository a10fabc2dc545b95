import sys
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_paths import open_paths

from causal_disent import errors
from causal_disent.graphs.causal_graph import CausalGraph
from causal_disent.graphs.distances import edge_scores, shd, sid

PENDULUM = CausalGraph(
    [("angle", "length"), ("light", "length"), ("angle", "position"), ("light", "position")],
    ["angle", "light", "length", "position"],
)
FLOW = CausalGraph([("ball", "height"), ("height", "flow"), ("hole", "flow")], ["ball", "height", "flow", "hole"])
#: What CausalVAE's published program begins with, whatever the data set.
INITIAL = np.array([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]])


@st.composite
def pairs_of_graphs(draw, most=5):
    num = draw(st.integers(1, most))
    made = []
    for _ in range(2):
        order = draw(st.permutations("abcdef"[:num]))
        made.append(CausalGraph([pair for pair in combinations(order, 2) if draw(st.booleans())], "abcdef"[:num]))
    return made


@pytest.mark.parametrize(
    ("truth", "estimate", "expected"),
    [
        (PENDULUM, INITIAL, (1, 0)),
        (PENDULUM, np.zeros((4, 4)), (4, 6)),
        (PENDULUM, PENDULUM.adjacency().T, (4, 12)),
        (FLOW, INITIAL, (4, 1)),
        (FLOW, np.zeros((4, 4)), (3, 4)),
        (FLOW, FLOW.adjacency().T, (3, 11)),
    ],
)
def test_published_graphs(truth, estimate, expected):
    pytest.importorskip("gadjid")
    assert (shd(truth, estimate), sid(truth, estimate)) == expected


def wrong_effects(truth, estimate):
    """SID by the definition: for each ordered pair, whether the estimate's parents adjust for it."""
    graph, wrong = truth.digraph, 0
    for i, j in permutations(truth.nodes, 2):
        parents = set(estimate.parents(i))
        if j in parents:
            wrong += j in nx.descendants(graph, i)
            continue
        causal = {n for path in nx.all_simple_paths(graph, i, j) for n in path[1:]}
        forbidden = causal.union(*(nx.descendants(graph, node) for node in causal))
        others = (path for path in open_paths(graph, i, j, parents) if not nx.is_path(graph, path))
        wrong += bool(parents & forbidden) or any(True for _ in others)
    return wrong


@settings(deadline=None, max_examples=150)
@given(pairs_of_graphs())
def test_sid_counts_wrong_effects(pair):
    pytest.importorskip("gadjid")
    truth, estimate = pair
    assert sid(truth, estimate) == wrong_effects(truth, estimate)
    assert sid(truth, truth) == 0


@settings(deadline=None)
@given(pairs_of_graphs(most=6))
def test_shd_is_a_distance_that_counts_edits(pair):
    truth, estimate = pair
    states = [
        [graph.digraph.has_edge(a, b) - graph.digraph.has_edge(b, a) for a, b in combinations(truth.nodes, 2)]
        for graph in pair
    ]
    assert shd(truth, estimate) == sum(one != other for one, other in zip(*states, strict=True))
    assert shd(truth, estimate, reversal=2) == sum(abs(a - b) for a, b in zip(*states, strict=True))
    assert shd(truth, estimate) == shd(estimate, truth) and shd(truth, truth) == 0
    assert shd(truth, estimate) == shd(truth, estimate.adjacency(truth.nodes))
    assert shd(truth, estimate) == shd(truth, estimate.digraph)


@settings(deadline=None)
@given(pairs_of_graphs(most=6))
def test_edge_scores_are_those_of_sets(pair):
    truth, estimate = pair
    true, found = set(truth.edges), set(estimate.edges)
    scores = edge_scores(truth, estimate)
    right = len(true & found)
    assert scores.precision == (right / len(found) if found else 1)
    assert scores.recall == (right / len(true) if true else 1)
    total = len(true) + len(found)
    assert scores.f1 == pytest.approx(2 * right / total if total else 1)
    if right:
        mean = 2 / (1 / scores.precision + 1 / scores.recall)
        assert scores.f1 == pytest.approx(mean)


def test_weights_are_compared_with_a_threshold():
    weights = np.array([[5.0, -0.4], [0.3, 9.0]])  # the diagonal counts for nothing
    assert edge_scores([("a", "b")], weights) == (1, 1, 1)
    assert edge_scores([("a", "b")], weights, threshold=0.2) == (pytest.approx(2 / 3), 0.5, 1)
    assert edge_scores([("a", "b")], weights, threshold=0.5) == (0, 1, 0)
    assert weights[0, 0] == 5
    assert shd([("a", "b")], weights) == 1  # an edge in both directions is another state
    assert shd([("a", "b")], weights, reversal=2) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shd(FLOW, np.zeros((3, 3))), r"each pair of the 4 nodes ball, .*; given: shape \(3, 3\)"),
        (lambda: shd(FLOW, np.full((4, 4), np.nan)), "finite weight"),
        (lambda: shd(FLOW, [("ball", "hight")]), "Unknown node of the estimated graph: 'hight'. Did you mean"),
        (lambda: shd(FLOW, FLOW, reversal=3), "`reversal` is 1 or 2; given: 3"),
        (lambda: sid(FLOW, np.ones((4, 4))), "no cycles; this one has ball -> height -> ball"),
        (lambda: shd(FLOW, [("hole", "flow"), ("flow", "hole")]), "no cycles"),
        (
            lambda: edge_scores(FLOW, FLOW, threshold=-1),
            "`threshold` must be a finite number, at least 0; given: -1",
        ),
    ],
)
def test_wrong_calls_are_explained(call, message):
    pytest.importorskip("gadjid")
    with pytest.raises(errors.CausalDisentError, match=message):
        call()


def test_without_gadjid_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gadjid", None)
    with pytest.raises(errors.InvalidInput, match=r"pip install 'causal-disent\[graphs\]'"):
        sid(FLOW, FLOW)
