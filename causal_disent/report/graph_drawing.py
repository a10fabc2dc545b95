"""What a picture of a causal graph shows, whatever it is painted with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from causal_disent.report.graph_layout import PlacedEdge, layered_layout

__all__ = ["Color", "Curve", "GraphDrawing", "Role", "default_font"]

Color = tuple[int, int, int]
Point = tuple[float, float]
#: The ends of a cubic Bezier curve, and between them its two control points.
Curve = tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class Role:
    """What a node is, as the legend says it, and how it looks."""

    label: str
    fill: Color
    line: Color
    text: Color
    edge: Color
    dashed: bool = False


FACTOR = Role("factor", (222, 236, 247), (58, 118, 168), (24, 52, 78), (92, 98, 106))
OBSERVED = Role("other, observed", (255, 255, 255), (70, 76, 84), (32, 36, 42), (92, 98, 106))
UNOBSERVED = Role("unobserved", (245, 245, 245), (150, 154, 160), (112, 118, 126), (150, 154, 160), dashed=True)

INK, FAINT = OBSERVED.text, UNOBSERVED.text
MARGIN, FONT_SIZE, TITLE_SIZE, LEGEND_SIZE = 24.0, 15, 18, 12
TITLE_HEIGHT, LEGEND_HEIGHT = 40.0, 46.0
SWATCH, SWATCH_GAP, LEGEND_GAP = 16.0, 8.0, 24.0
CORNER, SWATCH_CORNER = 9.0, 4.0
LINE, DASH, SPACE = 1.6, 5.0, 4.0
ARROW_LENGTH, ARROW_WIDTH = 9.0, 7.0


class GraphDrawing:
    """A graph with its places, colors, title and legend.

    Args:
        graph: a ``networkx.DiGraph`` without cycles; nodes with ``observed=False`` are unobserved.
        factors: the nodes that are factors of the data set.
        title: above the graph.
    """

    def __init__(self, graph: Any, factors: Sequence[str], title: str) -> None:
        self.title = title
        self.layout = layered_layout(graph, lambda text: text_width(text, FONT_SIZE))
        self.roles = {str(node): _role(graph, node, factors) for node in graph}
        self._legend = [role for role in (FACTOR, OBSERVED, UNOBSERVED) if role in self.roles.values()]
        self._legend_width = sum(map(_legend_step, self._legend)) - LEGEND_GAP
        inner = max(self.layout.width, self._legend_width, text_width(title, TITLE_SIZE))
        self.left = MARGIN + (inner - self.layout.width) / 2
        self.top = MARGIN + (TITLE_HEIGHT if title else 0.0)
        self.width = inner + 2 * MARGIN
        self.height = self.top + self.layout.height + LEGEND_HEIGHT + MARGIN

    def legend(self) -> Iterator[tuple[Role, float, float]]:
        """Each role that occurs, with the top left corner of its swatch."""
        x = (self.width - self._legend_width) / 2
        for role in self._legend:
            yield role, x, self.height - MARGIN - SWATCH
            x += _legend_step(role)


def _role(graph: Any, node: Any, factors: Sequence[str]) -> Role:
    if not graph.nodes[node].get("observed", True):
        return UNOBSERVED
    return FACTOR if node in factors else OBSERVED


def _legend_step(role: Role) -> float:
    return SWATCH + SWATCH_GAP + text_width(role.label, LEGEND_SIZE) + LEGEND_GAP


def edge_curves(edge: PlacedEdge) -> list[Curve]:
    """The edge up to its arrow head; it leaves, bends and arrives upright."""
    points = [*edge.points[:-1], (edge.points[-1][0], edge.points[-1][1] - ARROW_LENGTH)]
    curves = []
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        middle = (y0 + y1) / 2
        curves.append(((x0, y0), (x0, middle), (x1, middle), (x1, y1)))
    return curves


def arrow_head(edge: PlacedEdge) -> list[Point]:
    """The corners of a triangle that touches the target."""
    x, y = edge.points[-1]
    base = y - ARROW_LENGTH - 1  # one into the line, so that no gap shows
    return [(x, y), (x - ARROW_WIDTH / 2, base), (x + ARROW_WIDTH / 2, base)]


@lru_cache
def default_font(size: int) -> Any:
    """Pillow's own font, so that pictures look alike everywhere."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def text_width(text: str, size: int) -> float:
    """In units of the drawing."""
    return float(default_font(size).getlength(text))
