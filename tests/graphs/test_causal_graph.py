from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_paths import open_paths

from causal_disent import errors
from causal_disent.data import ArrayDataset
from causal_disent.graphs.causal_graph import CausalGraph

FLOW = [("ball", "height"), ("height", "flow"), ("hole", "flow")]


@st.composite
def graphs(draw, most=6):
    """Directed acyclic graphs over a, b, c, ..., whose nodes are in any order."""
    num = draw(st.integers(1, most))
    order = draw(st.permutations("abcdefgh"[:num]))
    edges = [pair for pair in combinations(order, 2) if draw(st.booleans())]
    return CausalGraph(edges, draw(st.permutations(order)))


def test_who_causes_whom():
    graph = CausalGraph(FLOW)
    assert graph.nodes == ("ball", "height", "flow", "hole") and graph.edges == tuple(FLOW)
    assert graph.roots == ("ball", "hole") and graph.effects == ("height", "flow")
    assert graph.causes == ("ball", "height", "hole")
    assert graph.parents("flow") == ("height", "hole") and graph.parents("hole") == ()
    assert graph.children("height") == ("flow",) and graph.descendants("ball") == ("height", "flow")
    np.testing.assert_array_equal(
        graph.adjacency(["hole", "flow", "height", "ball"]),
        [[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
    )


def test_it_is_made_of_graphs_and_keeps_what_they_say_of_nodes():
    given_as = nx.DiGraph(FLOW)
    given_as.add_node("U", observed=False)
    graph = CausalGraph(CausalGraph(given_as), ["hole"])
    assert graph.nodes == ("hole", "ball", "height", "flow", "U") and graph.digraph.nodes["U"] == {
        "observed": False
    }
    given_as.add_edge("flow", "ball")  # what it was made of may change, it does not
    assert graph.edges == (("hole", "flow"), ("ball", "height"), ("height", "flow"))
    with pytest.raises(nx.NetworkXError, match="Frozen"):
        graph.digraph.add_edge("flow", "ball")


def test_text():
    assert repr(CausalGraph(FLOW, ["U"])) == "CausalGraph(ball -> height; height -> flow; hole -> flow; U)"
    assert repr(CausalGraph([])) == "CausalGraph()"


def test_do_cuts_what_leads_to_the_nodes_that_are_set():
    graph = CausalGraph(FLOW)
    assert graph.do("flow").edges == (("ball", "height"),)
    assert graph.do("ball").edges == graph.edges and graph.do("height", "flow").edges == ()
    assert graph.do("flow").nodes == graph.nodes and graph.edges == tuple(FLOW)


def test_among_has_the_edges_between():
    graph = CausalGraph([*FLOW, *((factor, "image") for factor in ("ball", "height", "flow", "hole"))])
    part = graph.among(["hole", "flow", "ball"])
    assert part.nodes == ("hole", "flow", "ball") and part.edges == (("hole", "flow"),)


def test_data_sets_take_it_as_their_graph():
    graph = CausalGraph([("a", "image")])
    assert ArrayDataset(np.zeros((2, 1, 1)), [[0], [1]], graph=graph).graph is graph.digraph


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CausalGraph([("a", "b"), ("b", "c"), ("c", "a")]), "no cycles; this one has a -> b -> c -> a.$"),
        (lambda: CausalGraph(nx.DiGraph([("a", "a")])), "no cycles; this one has a -> a.$"),
        (lambda: CausalGraph("a -> b"), "as edges: pairs .*; given: str"),
        (lambda: CausalGraph(["ab"]), r"given: \['ab'\]"),
        (lambda: CausalGraph([("a", "b", "c")]), r"given: \[\('a', 'b', 'c'\)\]"),
        (lambda: CausalGraph(None), "given: NoneType"),
        (lambda: CausalGraph(nx.Graph([("a", "b")])), "as a networkx.DiGraph, or as edges.*; given"),
        (lambda: CausalGraph(FLOW).parents("hight"), "Unknown node 'hight'. Did you mean 'height'?"),
        (lambda: CausalGraph(FLOW).do("bal"), "Did you mean 'ball'?"),
        (lambda: CausalGraph(FLOW).among(["x"]), "Unknown node 'x'"),
        (lambda: CausalGraph(FLOW).independences(["x"]), "Unknown node 'x'"),
        (lambda: CausalGraph(FLOW).draw("flow.pdf"), "a .svg or a .png file; given: flow.pdf"),
    ],
)
def test_wrong_graphs_are_explained(make, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        make()


def test_it_is_drawn(tmp_path):
    CausalGraph(FLOW).draw(tmp_path / "flow.svg", factors=["ball"], title="Flow")
    text = (tmp_path / "flow.svg").read_text()
    assert all(f">{word}<" in text for word in ("Flow", "ball", "height", "flow", "hole", "factor"))


# Independences.


def separated(graph, first, second, known):
    return not any(True for _ in open_paths(graph.digraph, first, second, known))


def subsets(nodes):
    return [set(chosen) for size in range(len(nodes) + 1) for chosen in combinations(nodes, size)]


@settings(deadline=None, max_examples=60)
@given(graphs(most=5), st.data())
def test_listed_independences_are_separations_by_smallest_sets(graph, data):
    factors = data.draw(st.lists(st.sampled_from(graph.nodes), unique=True))
    found = graph.independences(factors)
    assert len(set(found)) == len(found)
    for first, second in combinations(factors, 2):
        listed = [set(one.given) for one in found if (one.first, one.second) == (first, second)]
        others = [node for node in factors if node not in (first, second)]
        everything = [node for node in graph.nodes if node not in (first, second)]
        separators = [chosen for chosen in subsets(others) if separated(graph, first, second, chosen)]
        if not separators:  # by hidden nodes, or by nothing
            separators = [chosen for chosen in subsets(everything) if separated(graph, first, second, chosen)]
        assert bool(listed) == bool(separators)
        assert all(chosen in separators for chosen in listed)
        if listed:  # none of its parts separates
            assert not any(part < listed[0] and part in separators for part in subsets(listed[0]))


def closure(statements):
    """What follows from independences (x, y, given) by the rules of all, and by composition."""
    known = {(frozenset((x, y)), frozenset(given)) for x, y, given in statements}
    names = set().union(*(pair | given for pair, given in known)) if known else set()
    while True:
        added = set()
        for pair, condition in known:
            for x, y in (tuple(pair), tuple(pair)[::-1]):
                for z in names - pair - condition:
                    one, more = frozenset((x, z)), condition | {y}
                    if (one, more) in known:  # x: y given G, x: z given G, y
                        added |= {(one, condition), (pair, condition | {z})}
                    if (one, condition) in known:  # composition: x: y given G, x: z given G
                        added |= {(one, more), (pair, condition | {z})}
        if added <= known:
            return known
        known |= added


@settings(deadline=None, max_examples=80)
@given(graphs(most=4))
def test_the_basis_implies_all_independences_and_nothing_else(graph):
    basis = graph.basis()
    num = len(graph.nodes)
    assert len(basis) == num * (num - 1) // 2 - len(graph.edges)
    expected = {
        (frozenset(pair), frozenset(chosen))
        for pair in combinations(graph.nodes, 2)
        for chosen in subsets([node for node in graph.nodes if node not in pair])
        if separated(graph, *pair, chosen)
    }
    assert closure([(one.first, one.second, one.given) for one in basis]) == expected
    # Where everything can be seen, the basis is among the independences that are tested.
    assert set(basis) <= set(graph.independences())
    for one in basis:  # and none of it follows from the rest
        rest = [(other.first, other.second, other.given) for other in basis if other != one]
        assert (frozenset((one.first, one.second)), frozenset(one.given)) not in closure(rest)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.data())
def test_an_intervention_leaves_descendants_alone_dependent(graph, data):
    node = data.draw(st.sampled_from(graph.nodes))
    cut = graph.do(node)
    assert cut.parents(node) == () and cut.descendants(node) == graph.descendants(node)
    for other in graph.nodes:
        if other != node and other not in graph.descendants(node):
            assert nx.is_d_separator(cut.digraph, {node}, {other}, set())
