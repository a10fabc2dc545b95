"""A causal graph as SVG text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from causal_disent.report import graph_drawing as look
from causal_disent.report.graph_drawing import Color, GraphDrawing, Role
from causal_disent.report.graph_layout import PlacedEdge, PlacedNode

__all__ = ["graph_svg"]


def graph_svg(graph: Any, *, factors: Sequence[str] = (), title: str = "") -> str:
    """The picture as SVG text.

    Args:
        graph: a ``networkx.DiGraph`` without cycles; nodes with ``observed=False`` are drawn as unobserved.
        factors: the nodes that are factors of the data set.
        title: above the graph.

    Example:
        >>> import networkx as nx
        >>> graph_svg(nx.DiGraph([("light", "shadow")])).splitlines()[-1]
        '</svg>'
    """
    drawing = GraphDrawing(graph, factors, title)
    width, height = round(drawing.width), round(drawing.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title or 'Causal graph')}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if title:
        lines.append(_text(title, drawing.width / 2, look.MARGIN + look.TITLE_SIZE / 2, look.TITLE_SIZE, look.INK))
    lines.append(f'<g transform="translate({drawing.left:.1f} {drawing.top:.1f})">')
    for edge in drawing.layout.edges:
        lines += _edge(edge, drawing.roles[edge.source])
    for node in drawing.layout.nodes:
        lines += _node(node, drawing.roles[node.name])
    lines.append("</g>")
    for role, x, y in drawing.legend():
        place = (x + look.SWATCH + look.SWATCH_GAP, y + look.SWATCH / 2)
        lines.append(_box(role, x, y, look.SWATCH, look.SWATCH, look.SWATCH_CORNER))
        lines.append(_text(role.label, *place, look.LEGEND_SIZE, look.FAINT, anchor="start"))
    return "\n".join([*lines, "</svg>", ""])


def _edge(edge: PlacedEdge, role: Role) -> list[str]:
    x, y = edge.points[0]
    curves = " ".join(
        "C " + ", ".join(f"{x:.1f} {y:.1f}" for x, y in curve[1:]) for curve in look.edge_curves(edge)
    )
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in look.arrow_head(edge))
    return [
        f'<path d="M {x:.1f} {y:.1f} {curves}" fill="none" {_stroke(role.edge, role.dashed)}/>',
        f'<polygon points="{corners}" fill="{_hex(role.edge)}"/>',
    ]


def _node(node: PlacedNode, role: Role) -> list[str]:
    corner = (node.x - node.width / 2, node.y - node.height / 2)
    return [
        _box(role, *corner, node.width, node.height, look.CORNER),
        _text(node.name, node.x, node.y, look.FONT_SIZE, role.text),
    ]


def _box(role: Role, x: float, y: float, width: float, height: float, corner: float) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner}"'
    return f'<rect {place} fill="{_hex(role.fill)}" {_stroke(role.line, role.dashed)}/>'


def _text(text: str, x: float, y: float, size: int, color: Color, anchor: str = "middle") -> str:
    style = f'font-size="{size}" fill="{_hex(color)}" text-anchor="{anchor}" dominant-baseline="central"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


def _stroke(color: Color, dashed: bool) -> str:
    dash = f' stroke-dasharray="{look.DASH} {look.SPACE}"' if dashed else ""
    return f'stroke="{_hex(color)}" stroke-width="{look.LINE}"{dash}'


def _hex(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
