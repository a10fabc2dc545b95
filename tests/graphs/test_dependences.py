"""Dependences: all pairs, and pairs given their common effects."""

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chi2_contingency

from causal_disent.data.array_data import ArrayDataset
from causal_disent.graphs.check_graph import check_graph
from causal_disent.report.graph_check import graph_check_text, pairs_text

GRAPH = nx.DiGraph([("rain", "wet"), ("hose", "wet"), ("wet", "slip"), ("rain", "cloud")])
NAMES = ["rain", "hose", "wet", "slip", "cloud"]


@pytest.fixture(scope="module")
def check():
    random = np.random.RandomState(0)
    rain, hose = random.randint(2, size=(2, 2000))
    wet = (rain | hose) ^ (random.rand(2000) < 0.05)
    slip, cloud = wet ^ (random.rand(2000) < 0.2), rain ^ (random.rand(2000) < 0.1)
    rows = np.stack([rain, hose, wet, slip, cloud], axis=1).astype(int)
    data = ArrayDataset(np.zeros((2000, 4, 4), np.uint8), rows, factor_names=NAMES, graph=GRAPH)
    return check_graph(data), dict(zip(NAMES, rows.T, strict=True))


def test_all_pairs_are_tested_given_nothing(check):
    found, column = check
    assert len(found.pairs) == 10
    for pair in found.pairs:
        table = np.histogram2d(column[pair.first], column[pair.second], bins=2)[0]
        assert pair.test.statistic == pytest.approx(chi2_contingency(table, correction=False).statistic)
        expected = {pair.first, pair.second} in ({"rain", "hose"}, {"hose", "cloud"})
        assert pair.separated == expected == pair.looks_independent and pair.agrees


def test_common_effects_open_pairs(check):
    found, column = check
    given = {(pair.first, pair.second, pair.given, pair.value) for pair in found.opened}
    for pair in (("rain", "hose"), ("hose", "cloud")):
        assert {(*pair, ("wet",), ""), (*pair, ("wet",), "0"), (*pair, ("wet",), "1")} <= given
        assert (*pair, ("slip",), "") in given  # a descendant opens it too
    # `cloud` says nothing more of hose once rain is known, and opens nothing by itself.
    assert ("rain", "hose", ("wet", "slip"), "") in given and not any("cloud" in pair[2] for pair in given)
    opened = {(pair.first, pair.second, pair.given, pair.value): pair for pair in found.opened}
    whole = opened["rain", "hose", ("wet",), ""]
    assert not whole.separated and not whole.looks_independent and whole.agrees
    parts = [opened["rain", "hose", ("wet",), value].test for value in "01"]
    assert whole.test.statistic == pytest.approx(sum(part.statistic for part in parts))
    chosen = column["wet"] == 1
    table = np.histogram2d(column["rain"][chosen], column["hose"][chosen], bins=2)[0]
    assert parts[1].statistic == pytest.approx(chi2_contingency(table, correction=False).statistic)


def test_a_stratum_in_which_nothing_varies():
    rows = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)] * 5
    graph = nx.DiGraph([("a", "c"), ("b", "c")])
    data = ArrayDataset(np.zeros((20, 4, 4), np.uint8), rows, factor_names=list("abc"), graph=graph)
    text = pairs_text(check_graph(data))
    lines = [line.split() for line in text.splitlines()]
    assert ["a,", "b", "c=0", "0.000", "0", "1.000", "cannot", "tell:", "no", "variation"] in lines


def test_the_text(check):
    found, _ = check
    lines = pairs_text(found).splitlines()
    assert lines[0].startswith("p given nothing (*")
    assert lines[2].split() == NAMES
    assert sum(line.startswith("rain, hose") for line in lines) == 7
    assert not any(mark in line for mark in "*~" for line in lines[3:9])


def test_marks_where_graph_and_data_disagree():
    rows = np.random.RandomState(0).randint(2, size=(500, 1)) * [1, 1, 0] + np.arange(500)[:, None] % 2 * [0, 0, 1]
    graph = nx.DiGraph([("b", "c")])
    graph.add_node("a")
    data = ArrayDataset(np.zeros((500, 4, 4), np.uint8), rows, factor_names=list("abc"), graph=graph)
    found = check_graph(data)
    cells = {line.split()[0]: line.split()[1:] for line in pairs_text(found).splitlines()[4:7]}
    assert cells["a"][0].endswith("*") and cells["c"][1].endswith("~") and not cells["a"][1].endswith(("*", "~"))
    assert "\nBroken: a, b; a, b given " not in graph_check_text(found)
    assert "Broken: a, b" in graph_check_text(found)
