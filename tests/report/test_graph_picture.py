from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from causal_disent import errors
from causal_disent.data.candle_mini.data_set import candle_graph
from causal_disent.report import graph_drawing as look
from causal_disent.report.graph_layout import GAP, NODE_HEIGHT, layered_layout
from causal_disent.report.graph_picture import save_graph
from causal_disent.report.graph_png import SCALE, graph_png
from causal_disent.report.graph_svg import graph_svg

FACTORS = ("object", "color", "size", "rotation", "scene", "light")
SVG = "{http://www.w3.org/2000/svg}"


def layout(graph):
    return layered_layout(graph, lambda text: 8.0 * len(text))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_causes_are_above_and_nothing_overlaps(seed, num):
    random_state = np.random.RandomState(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(f"node {i}" for i in random_state.permutation(num))
    for i in range(num):
        graph.add_edges_from((f"node {i}", f"node {j}") for j in range(i + 1, num) if random_state.rand() < 0.4)
    placed = layout(graph)
    nodes = {node.name: node for node in placed.nodes}
    assert set(nodes) == set(graph) and {(e.source, e.target) for e in placed.edges} == set(graph.edges)
    for node in placed.nodes:
        assert node.x - node.width / 2 >= -1e-6 and node.x + node.width / 2 <= placed.width + 1e-6
        assert node.y - node.height / 2 >= 0 and node.y + node.height / 2 <= placed.height
        for other in placed.nodes:
            if other is not node and other.y == node.y:
                assert abs(other.x - node.x) >= (node.width + other.width) / 2 + GAP - 1e-6
    for edge in placed.edges:
        source, target = nodes[edge.source], nodes[edge.target]
        assert source.y < target.y
        assert edge.points[0][1] == source.y + NODE_HEIGHT / 2 and edge.points[-1][1] == target.y - NODE_HEIGHT / 2
        assert abs(edge.points[0][0] - source.x) < source.width / 2
        assert abs(edge.points[-1][0] - target.x) < target.width / 2
        for x, y in edge.points[1:-1]:  # bends keep off the nodes they pass
            for node in placed.nodes:
                assert abs(y - node.y) > NODE_HEIGHT / 2 + 1 or abs(x - node.x) >= node.width / 2


def test_candle_has_three_layers():
    y = {node.name: node.y for node in layout(candle_graph()).nodes}
    assert y["U"] == y["C"] < min(y[factor] for factor in FACTORS)
    assert len({y[factor] for factor in FACTORS}) == 1 and max(y.values()) == y["image"]


def test_crossings_are_avoided():
    graph = nx.DiGraph()
    graph.add_nodes_from("abcdef")
    graph.add_edges_from([("a", "f"), ("b", "e"), ("c", "d")])
    x = {node.name: node.x for node in layout(graph).nodes}
    pairs = sorted((x[a], x[b]) for a, b in graph.edges)
    assert [b for _, b in pairs] == sorted(b for _, b in pairs)


def test_svg():
    root = ElementTree.fromstring(graph_svg(candle_graph(), factors=FACTORS, title="a <b> & c"))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[0] == "a <b> & c" and set(texts) > {"U", "C", "image", *FACTORS, "unobserved"}
    paths = list(root.iter(f"{SVG}path"))
    assert len(paths) == len(list(root.iter(f"{SVG}polygon"))) == candle_graph().number_of_edges()
    assert sum("stroke-dasharray" in path.attrib for path in paths) == 2  # those of U
    boxes = list(root.iter(f"{SVG}rect"))
    assert sum("stroke-dasharray" in box.attrib for box in boxes) == 2  # U, and its place in the legend


def test_names_are_escaped():
    graph = nx.DiGraph([('<script>"', "a & b")])
    texts = [text.text for text in ElementTree.fromstring(graph_svg(graph)).iter(f"{SVG}text")]
    assert '<script>"' in texts and "a & b" in texts


def test_png():
    picture = graph_png(candle_graph(), factors=FACTORS, title="candle_mini")
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    drawing = look.GraphDrawing(candle_graph(), FACTORS, "candle_mini")
    assert picture.shape[:2] == (round(drawing.height * SCALE), round(drawing.width * SCALE))
    for node in drawing.layout.nodes:  # inside the upper left corner of each box is its color
        x, y = node.x + drawing.left - node.width / 2 + 7, node.y + drawing.top - node.height / 2 + 7
        color = picture[round(y * SCALE), round(x * SCALE)]
        assert abs(color.astype(int) - drawing.roles[node.name].fill).max() <= 2, node.name
    assert (picture[:10] == 255).all() and (picture[-10:] == 255).all()  # the margins are free


def test_the_legend_names_what_occurs():
    plain = graph_svg(nx.DiGraph([("a", "image")]), factors=["a"])
    assert "other, observed" in plain and "unobserved" not in plain


@pytest.mark.parametrize("graph", [nx.DiGraph(), nx.empty_graph(["alone"], create_using=nx.DiGraph)])
def test_graphs_without_edges(graph):
    assert graph_svg(graph).startswith("<svg") and graph_png(graph).ndim == 3


def test_files(tmp_path):
    save_graph(candle_graph(), tmp_path / "graph.PNG", factors=FACTORS)
    save_graph(candle_graph(), tmp_path / "graph.svg", factors=FACTORS)
    assert Image.open(tmp_path / "graph.PNG").format == "PNG"
    assert ElementTree.parse(tmp_path / "graph.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(errors.InvalidInput, match="is a .svg or a .png file; given: .*graph.pdf"):
        save_graph(candle_graph(), tmp_path / "graph.pdf")
    assert {path.name for path in tmp_path.iterdir()} == {"graph.PNG", "graph.svg"}
