"""A causal graph as pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent.report import graph_drawing as look
from causal_disent.report.graph_drawing import Color, Curve, GraphDrawing, Role

__all__ = ["graph_png"]

#: Pixels per unit of the drawing, and how many times larger it is painted, for smooth lines.
SCALE, SMOOTH = 2, 3
#: Straight pieces of a curve.
PIECES = 48


def graph_png(graph: Any, *, factors: Sequence[str] = (), title: str = "") -> np.ndarray:
    """The picture as pixels (height, width, 3), uint8.

    Args:
        graph: a ``networkx.DiGraph`` without cycles; nodes with ``observed=False`` are drawn as unobserved.
        factors: the nodes that are factors of the data set.
        title: above the graph.
    """
    from PIL import Image

    drawing = GraphDrawing(graph, factors, title)
    size = (round(drawing.width * SCALE), round(drawing.height * SCALE))
    canvas = Image.new("RGB", (size[0] * SMOOTH, size[1] * SMOOTH), "white")
    pen = _Pen(canvas, SCALE * SMOOTH)
    if title:
        pen.text(title, drawing.width / 2, look.MARGIN + look.TITLE_SIZE / 2, look.TITLE_SIZE, look.INK)
    corner = np.array([drawing.left, drawing.top])
    for edge in drawing.layout.edges:
        role = drawing.roles[edge.source]
        way = np.concatenate([_along(curve) for curve in look.edge_curves(edge)])
        pen.line(way + corner, role.edge, role.dashed)
        pen.area(np.array(look.arrow_head(edge)) + corner, role.edge)
    for node in drawing.layout.nodes:
        x, y = node.x + drawing.left, node.y + drawing.top
        role = drawing.roles[node.name]
        pen.box(role, x - node.width / 2, y - node.height / 2, node.width, node.height, look.CORNER)
        pen.text(node.name, x, y, look.FONT_SIZE, role.text)
    for role, x, y in drawing.legend():
        pen.box(role, x, y, look.SWATCH, look.SWATCH, look.SWATCH_CORNER)
        place = (x + look.SWATCH + look.SWATCH_GAP, y + look.SWATCH / 2)
        pen.text(role.label, *place, look.LEGEND_SIZE, look.FAINT, anchor="lm")
    return np.asarray(canvas.resize(size, Image.Resampling.LANCZOS))


class _Pen:
    """Draws on a large canvas in units of the drawing."""

    def __init__(self, canvas: Any, scale: int) -> None:
        from PIL import ImageDraw

        self._draw = ImageDraw.Draw(canvas)
        self._scale = scale

    def line(self, points: FloatArray, color: Color, dashed: bool) -> None:
        """Through points (n, 2)."""
        width = round(look.LINE * self._scale)
        for part in _dashes(points) if dashed else (points,):
            self._draw.line(self._pixels(part), fill=color, width=width, joint="curve")

    def area(self, corners: FloatArray, color: Color) -> None:
        """Inside corners (n, 2)."""
        self._draw.polygon(self._pixels(corners), fill=color)

    def box(self, role: Role, x: float, y: float, width: float, height: float, corner: float) -> None:
        """A rectangle with round corners, filled and outlined."""
        outline = _rounded(x, y, width, height, corner)
        self.area(outline, role.fill)
        self.line(outline, role.line, role.dashed)

    def text(self, text: str, x: float, y: float, size: int, color: Color, anchor: str = "mm") -> None:
        """Around, or from, a place."""
        font = look.default_font(size * self._scale)
        self._draw.text((x * self._scale, y * self._scale), text, fill=color, font=font, anchor=anchor)

    def _pixels(self, points: FloatArray) -> list[tuple[float, float]]:
        return [(float(x), float(y)) for x, y in points * self._scale]


def _along(curve: Curve) -> FloatArray:
    """Points (n, 2) on a curve, both ends among them."""
    t = np.linspace(0, 1, PIECES + 1)[:, None]
    a, b, c, d = (np.array(point) for point in curve)
    return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d


def _rounded(x: float, y: float, width: float, height: float, corner: float) -> FloatArray:
    """The outline (n, 2) of a rectangle with round corners, closed."""
    quarter = np.linspace(0, np.pi / 2, 9)
    middles = [
        (x + width - corner, y + height - corner, 0),
        (x + corner, y + height - corner, 1),
        (x + corner, y + corner, 2),
        (x + width - corner, y + corner, 3),
    ]
    arcs = [
        np.stack([mx + corner * np.cos(quarter + turn), my + corner * np.sin(quarter + turn)], axis=1)
        for mx, my, turns in middles
        for turn in [turns * np.pi / 2]
    ]
    outline = np.concatenate(arcs)
    return np.concatenate([outline, outline[:1]])


def _dashes(points: FloatArray) -> Iterator[FloatArray]:
    """The parts of a line (n, 2) that are drawn."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    far = np.concatenate([[0.0], np.cumsum(steps)])
    for start in np.arange(0.0, far[-1], look.DASH + look.SPACE):
        stop = min(start + look.DASH, far[-1])
        places = np.concatenate([[start], far[(far > start) & (far < stop)], [stop]])
        yield np.stack([np.interp(places, far, points[:, axis]) for axis in (0, 1)], axis=1)
