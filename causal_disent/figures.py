"""Pictures by matplotlib, without pyplot and its global state; equal figures are equal files, byte for byte."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.files import new_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches.
POINT = 1 / 72
#: Pixels per inch of a picture of pixels: two per point.
RESOLUTION = 144
#: What would make two pictures of the same thing differ: when, and by which version, they were drawn.
METADATA = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}


def empty_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A white figure of this size in points, on which (x, y) counts points from the bottom left."""
    figure = _picture_class()(figsize=(width * POINT, height * POINT), dpi=RESOLUTION)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


@cache
def _picture_class() -> type[Figure]:
    """A figure that notebooks show whether or not pyplot is in use."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", metadata=METADATA[".png"])
            return buffer.getvalue()

    return Picture


def plain(text: str) -> str:
    """`text` for matplotlib, which would read formulas between two dollar signs."""
    return text.replace("$", r"\$")


def text_width(text: str, size: float) -> float:
    """In points.

    Example:
        >>> text_width("scene", 10) < text_width("illumination", 10) < text_width("illumination", 20)
        True
    """
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), plain(text), size=size).get_extents().width) if text.strip() else 0.0


def pixels(figure: Figure) -> np.ndarray:
    """The figure as (height, width, 3) uint8."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def check_picture_name(path: Path) -> None:
    """Raise if the name does not say which kind of picture is meant."""
    if path.suffix.lower() not in METADATA:
        raise errors.InvalidInput(f"A picture is a .svg or a .png file; given: {path}.")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a .svg or .png file, whole or not at all."""
    import matplotlib

    check_picture_name(path)
    kind = path.suffix.lower()
    # Text stays text, and the names of parts inside the file are not drawn at random.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "causal_disent"}
    with matplotlib.rc_context(settings), new_file(path) as temporary:
        figure.savefig(temporary, format=kind[1:], metadata=METADATA[kind])
