"""Causal discovery: known graphs are found, classes of graphs are complete, and misuse is refused."""

import itertools
import json
import logging
import random

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from causal_disent import errors, get_metric
from causal_disent.cli.main import main
from causal_disent.config import gin_config
from causal_disent.registry import registry

pytest.importorskip("castle")

from causal_disent.metrics.discovery import METHODS, orient, pc_discovery, score_discovery

CHAIN = [("a", "b"), ("b", "c")]
COLLIDER = [("a", "c"), ("b", "c")]


def linear(edges, names, points=1000, seed=0, scale=1.5):
    """Draw columns that obey the linear graph, with Gaussian noise of one variance."""
    generator, columns = np.random.RandomState(seed), {}
    for node in nx.topological_sort(nx.DiGraph([*edges, *((name, "end") for name in names)])):
        if node != "end":
            causes = [columns[cause] for cause, effect in edges if effect == node]
            columns[node] = scale * sum(causes, np.zeros(points)) + generator.normal(size=points)
    return np.stack([columns[name] for name in names], axis=1)


@pytest.mark.parametrize("method", ["pc", "ges"])
def test_a_collider_is_found_by_what_tests_independence(method):
    found = score_discovery(linear(COLLIDER, "abc"), COLLIDER, method, names=["a", "b", "c"], resamples=0)
    assert (found.shd, found.sid, found.f1, found.num_members) == (0, 0, 1, 1)
    assert set(found.edges) == {"a -> c", "b -> c"}


@pytest.mark.parametrize("method", ["notears", "golem"])
def test_a_chain_of_equal_variances_is_found_by_what_looks_at_variances(method):
    options = {"steps": 3000} if method == "golem" else {}
    found = score_discovery(linear(CHAIN, "abc"), CHAIN, method, resamples=0, standardise=False, options=options)
    assert (found.shd, found.sid, found.f1) == (0, 0, 1)


@pytest.mark.parametrize("method", ["pc", "ges"])
def test_scores_are_means_over_the_graphs_that_fit_alike(method):
    found = score_discovery(linear(CHAIN, "abc"), CHAIN, method, resamples=4)
    assert found.num_members == 3  # a -> b -> c, a <- b <- c, a <- b -> c
    assert found.shd == pytest.approx((0 + 2 + 1) / 3) and found.f1 == pytest.approx((1 + 0 + 0.5) / 3)
    assert all(low <= getattr(found, name) <= high for name, (low, high) in found.intervals.items())


@pytest.mark.parametrize("nodes", [3, 4])
def test_members_are_those_of_the_equivalence_class(nodes):
    """Graphs with the same edges and colliders are equivalent (Verma and Pearl 1990): compare with all of them."""
    classes = {}
    pairs = list(itertools.combinations(range(nodes), 2))
    for ways in itertools.product((0, 1, 2), repeat=len(pairs)):
        graph = np.zeros((nodes, nodes), dtype=int)
        for (i, j), way in zip(pairs, ways, strict=True):
            graph[i, j], graph[j, i] = way == 1, way == 2
        if nx.is_directed_acyclic_graph(nx.from_numpy_array(graph, create_using=nx.DiGraph)):
            linked = graph | graph.T
            colliders = [
                (i, k, j)
                for k in range(nodes)
                for i, j in itertools.combinations(np.flatnonzero(graph[:, k]), 2)
                if not linked[i, j]
            ]
            classes.setdefault((linked.tobytes(), tuple(colliders)), []).append(graph)
    assert len(classes) == {3: 11, 4: 185}[nodes]  # Gillispie and Perlman 2002
    for members in classes.values():
        found = orient(np.any(members, axis=0), np.random.RandomState(0))
        assert {graph.astype(int).tobytes() for graph in found} == {graph.tobytes() for graph in members}


@pytest.mark.parametrize("method", ["pc", "golem"])
def test_nothing_of_the_whole_program_changes(method):
    """gcastle sets torch's default type to float64, seeds global generators and configures the log."""
    torch = pytest.importorskip("torch")
    options = {"steps": 10} if method == "golem" else {}

    def state():
        words = np.random.get_state()[1].tolist(), torch.get_rng_state().tolist(), random.getstate()  # noqa: NPY002
        return torch.get_default_dtype(), logging.root.level, list(logging.root.handlers), words

    before = state()
    METHODS[method](linear(CHAIN, "abc", points=100), 3, **options)
    assert state() == before


def test_the_same_seed_finds_the_same():
    values = linear(CHAIN, "abc")
    one, two = (pc_discovery(values, 3) for _ in range(2))
    assert np.array_equal(one.adjacency, two.adjacency) and np.array_equal(one.weights, two.weights)
    effect = int(np.flatnonzero(one.adjacency.any(axis=0))[0])
    predicted = one.causal_layer(values - values.mean(axis=0))[:, effect]
    assert np.corrcoef(predicted, values[:, effect])[0, 1] > 0.5


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (np.ones((50, 3)) * np.arange(50)[:, None] * [1, 0, 2], "constant"),
        (np.random.RandomState(0).normal(size=(3, 3)), "points"),
        (np.random.RandomState(0).normal(size=(50, 1)), "columns"),
        (np.full((50, 3), np.nan), "finite"),
        ([["a", "b"]] * 50, "numbers"),
    ],
)
@pytest.mark.parametrize("method", ["notears", "pc"])
def test_what_cannot_be_used_is_refused(values, word, method):
    with pytest.raises(errors.InvalidInput, match=word):
        METHODS[method](values)


def test_a_wrong_method_or_graph_is_refused():
    with pytest.raises(errors.UnknownName, match="ges"):
        score_discovery(linear(CHAIN, "abc"), CHAIN, "gess")
    with pytest.raises(errors.InvalidInput, match="3 nodes"):
        score_discovery(linear(CHAIN, "abc")[:, :2], CHAIN, "pc")


def test_columns_of_a_data_frame_are_known_by_their_names():
    values = linear(COLLIDER, "abc")
    named = pd.DataFrame(values, columns=list("abc"))
    assert score_discovery(named, COLLIDER, "pc", resamples=0).shd == 0
    assert score_discovery(named[["c", "b", "a"]], COLLIDER, "pc", resamples=0).shd == 0
    assert score_discovery(pd.DataFrame(values[:, [0, 2, 1]]), COLLIDER, "pc", resamples=0).shd == 0  # by order


def test_a_half_in_which_a_column_is_constant_is_left_out():
    values = linear(COLLIDER, "abc", points=100)
    values[:, 0] = np.arange(100) == 7
    assert set(score_discovery(values, COLLIDER, "pc", names=list("abc")).intervals) == {"shd", "sid", "f1"}


@pytest.mark.parametrize("options", [{"options": {"alfa": 0.1}}, {"names": list("aac")}])
def test_wrong_options_and_names_are_refused(options):
    with pytest.raises(errors.CausalDisentError):
        score_discovery(linear(CHAIN, "abc"), CHAIN, "pc", **options)


def test_metrics_take_a_method_for_models_without_a_graph():
    pytest.importorskip("causal_disent_crl")
    from causal_disent_crl.pendulum import Pendulum

    from causal_disent.representation.oracles import perfect_oracle

    data = Pendulum(split="test", size=64)
    assert "pc_discovery" in registry.names("parts")
    with gin_config(bindings=["graph_recovery.discovery = 'pc_discovery'", "pc_discovery.alpha = 0.01"]):
        scores = get_metric("graph_recovery")(data, perfect_oracle(data), np.random.RandomState(0), num_points=300)
    assert 0 < scores["edge_F1"] <= 1 and scores["SHD"] <= 4


def test_the_command_prints_a_table_or_json(capsys):
    pytest.importorskip("causal_disent_crl")
    words = [
        "datasets",
        "discover",
        "pendulum",
        "--num_points",
        "200",
        "--resamples",
        "3",
        "--options",
        "split=test",
        "size=64",
    ]
    assert main([*words, "--methods", "pc", "ges"]) == 0
    out = capsys.readouterr().out
    assert "the true graph: angle -> length" in out
    assert main([*words, "--methods", "pc", "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)
    assert score["method"] == "pc" and 0 <= score["f1"] <= 1 and set(score["intervals"]) >= {"shd", "f1"}
    assert main(["datasets", "discover", "dummy_data"]) == 2
    assert main([*words, "--methods", "lingam"]) == 2
