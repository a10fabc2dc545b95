"""A causal graph as a picture in a file: causes above effects, what nobody can see grey and dashed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import new_file
from causal_disent.report.contact_sheet import save_picture
from causal_disent.report.graph_png import graph_png
from causal_disent.report.graph_svg import graph_svg

__all__ = ["check_picture_name", "save_graph"]


def save_graph(graph: Any, path: Path, *, factors: Sequence[str] = (), title: str = "") -> None:
    """Write the picture, whole or not at all.

    Args:
        graph: a ``networkx.DiGraph`` without cycles; nodes with ``observed=False`` are drawn as unobserved.
        path: of a .svg or .png file.
        factors: the nodes that are factors of the data set.
        title: above the graph.
    """
    check_picture_name(path)
    if path.suffix.lower() == ".png":
        save_picture(graph_png(graph, factors=factors, title=title), path)
        return
    with new_file(path) as temporary:
        temporary.write_text(graph_svg(graph, factors=factors, title=title), encoding="utf-8")


def check_picture_name(path: Path) -> None:
    """Raise if the name does not say which kind of picture is meant."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise errors.InvalidInput(f"The picture of a graph is a .svg or a .png file; given: {path}.")
