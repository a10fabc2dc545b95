from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from PIL import Image

from causal_disent import errors
from causal_disent.data.candle_mini.data_set import candle_graph
from causal_disent.figures import pixels
from causal_disent.graphs.picture import FACTOR, MARGIN, UNOBSERVED, draw_graph, save_graph

FACTORS = ("object", "color", "size", "rotation", "scene", "light")
SVG = "{http://www.w3.org/2000/svg}"


def boxes(figure):
    """Name -> the box (x0, y0, x1, y1) around it, in points from the bottom left."""
    axes = figure.axes[0]
    drawn = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    found = {}
    for text, box in zip(axes.texts, drawn, strict=True):
        x, y = text.get_position()
        x0, y0 = box.get_x(), box.get_y()
        x1, y1 = x0 + box.get_width(), y0 + box.get_height()
        assert x0 < x < x1 and y0 < y < y1
        found[text.get_text()] = x0, y0, x1, y1
    return found


def edges(figure):
    """The corners (n, 2) of each edge's line, in the order of the graph's edges."""
    # `get_path` has the arrow head in it, and less of the line.
    return [p._path_original.vertices for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_causes_are_above_and_nothing_overlaps(seed, num):
    random_state = np.random.RandomState(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(f"node {i}" * (1 + i % 3) for i in random_state.permutation(num))
    names = sorted(graph)
    for i, name in enumerate(names):
        graph.add_edges_from((name, other) for other in names[i + 1 :] if random_state.rand() < 0.4)
    figure = draw_graph(graph, title="a title")
    placed = boxes(figure)
    assert list(placed) == list(graph)
    (_, width), (_, height) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    for name, (x0, y0, x1, y1) in placed.items():
        assert x0 >= MARGIN - 1e-6 and x1 <= width - MARGIN + 1e-6 and y0 > MARGIN and y1 < height - MARGIN
        for other, (left, low, right, _) in placed.items():
            assert other == name or low != y0 or left > x1 or right < x0
    for (a, b), way in zip(graph.edges, edges(figure), strict=True):
        # From the lower side of the cause down to the upper side of the effect.
        assert way[0][1] == pytest.approx(placed[a][1]) and way[-1][1] == pytest.approx(placed[b][3])
        assert placed[a][0] < way[0][0] < placed[a][2] and placed[b][0] < way[-1][0] < placed[b][2]
        assert (np.diff(way[:, 1]) <= 1e-9).all()
        for x, y in way[3:-3]:  # the bends keep off the nodes that they pass
            assert not any(x0 < x < x1 and y0 - 1 < y < y1 + 1 for x0, y0, x1, y1 in placed.values())


def test_candle_has_three_layers():
    height = {name: box[1] for name, box in boxes(draw_graph(candle_graph())).items()}
    assert height["U"] == height["C"] > max(height[factor] for factor in FACTORS)
    assert len({height[factor] for factor in FACTORS}) == 1 and min(height.values()) == height["image"]


def test_crossings_are_avoided():
    graph = nx.DiGraph()
    graph.add_nodes_from("abcdef")
    graph.add_edges_from([("a", "f"), ("b", "e"), ("c", "d")])
    x = {name: box[0] for name, box in boxes(draw_graph(graph)).items()}
    pairs = sorted((x[a], x[b]) for a, b in graph.edges)
    assert [b for _, b in pairs] == sorted(b for _, b in pairs)


def test_svg_has_its_text_as_text(tmp_path):
    graph = nx.DiGraph([('<script>"', "a & b"), ("a & b", "$x$"), ("$x$", "$\\foo")])
    save_graph(graph, tmp_path / "graph.svg", title="a <b> & c")
    texts = [text.text for text in ElementTree.parse(tmp_path / "graph.svg").iter(f"{SVG}text")]
    assert set(texts) == {"a <b> & c", *graph, "other, observed"}


def test_what_nobody_sees_is_dashed_and_named_in_the_legend():
    figure = draw_graph(candle_graph(), factors=FACTORS)
    patches = figure.axes[0].patches
    assert [patch.get_linestyle() for patch in patches].count("--") == 3  # U and its two edges
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["factor", "other, observed", "unobserved"]
    (legend,) = draw_graph(nx.DiGraph([("a", "image")]), factors=["a"]).legends
    assert [text.get_text() for text in legend.get_texts()] == ["factor", "other, observed"]


def test_pixels():
    figure = draw_graph(candle_graph(), factors=FACTORS, title="candle_mini")
    picture = pixels(figure)
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    for name, (x0, _, _, y1) in boxes(figure).items():  # inside the upper left corner of each box is its color
        color = picture[round(len(picture) - 2 * (y1 - 5)), round(2 * (x0 + 5))]
        expected = {"U": UNOBSERVED.fill, "C": "#ffffff", "image": "#ffffff"}.get(name, FACTOR.fill)
        assert "#{:02x}{:02x}{:02x}".format(*color) == expected, name
    assert (picture[:10] == 255).all() and (picture[-10:] == 255).all()  # the margins are free


@pytest.mark.parametrize("graph", [nx.DiGraph(), nx.empty_graph(["alone"], create_using=nx.DiGraph)])
def test_graphs_without_edges(graph):
    assert list(boxes(draw_graph(graph))) == list(graph) and pixels(draw_graph(graph)).ndim == 3


@pytest.mark.parametrize("name", ["graph.PNG", "graph.svg"])
def test_equal_graphs_are_equal_files(tmp_path, name):
    for folder in ("one", "other"):
        save_graph(candle_graph(), tmp_path / folder / name, factors=FACTORS)
    content = (tmp_path / "one" / name).read_bytes()
    assert content == (tmp_path / "other" / name).read_bytes()
    assert b"<dc:date>" not in content and b"Software" not in content
    assert [path.name for path in (tmp_path / "one").iterdir()] == [name]
    if name == "graph.PNG":
        assert Image.open(tmp_path / "one" / name).format == "PNG"


def test_other_names_are_refused(tmp_path):
    with pytest.raises(errors.InvalidInput, match="A picture is a .svg or a .png file; given: .*graph.pdf"):
        save_graph(candle_graph(), tmp_path / "graph.pdf")
    assert not list(tmp_path.iterdir())
