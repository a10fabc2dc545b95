"""A small figure of matplotlib whose artists are moved from image to image, not made anew."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon, Rectangle

#: Pixels per inch, of which the figure has one.
SIDE = 96
#: Where a subplot is unless something else is said: left, bottom, width, height.
SUBPLOT = (0.125, 0.11, 0.775, 0.77)

Drawn = TypeVar("Drawn", bound=Artist)


class Canvas:
    """96x96 pixels with one axis that is not shown, as the published programs have it.

    What a style could change is said, so that the pixels do not depend on the user's; pyplot is not used.

    Args:
        xlim: the ends of the x axis.
        ylim: the ends of the y axis.
    """

    def __init__(self, xlim: tuple[float, float], ylim: tuple[float, float]) -> None:
        self._figure = Figure(figsize=(1, 1), dpi=SIDE, facecolor="white", edgecolor="white")
        self._renderer = FigureCanvasAgg(self._figure).get_renderer()
        self._axes = self._figure.add_axes(SUBPLOT)
        self._axes.set(xlim=xlim, ylim=ylim)
        self._artists: list[Artist] = []

    def bar(self, width: float) -> Polygon:
        """A black line between two points, `width` points wide; its ends are moved by ``set_xy``."""
        return self._add(Polygon([(0, 0), (0, 0)], color="black", linewidth=width, antialiased=True))

    def disc(self, radius: float, color: str) -> Circle:
        """A disc; it is moved by its ``center``."""
        return self._add(Circle((0, 0), radius, color=color, linewidth=1, antialiased=True))

    def box(self, corner: tuple[float, float], width: float, color: str) -> Rectangle:
        """A rectangle over its lower left corner; it is moved by ``set_height``."""
        return self._add(Rectangle(corner, width, 0, color=color, linewidth=1, antialiased=True))

    def curve(self, color: str) -> Line2D:
        """A line through points, 2 points wide; it is moved by ``set_data``."""
        return self._add(
            Line2D(
                [],
                [],
                color=color,
                linewidth=2,
                linestyle="-",
                marker="None",
                antialiased=True,
                solid_capstyle="projecting",
                solid_joinstyle="round",
            )
        )

    def _add(self, artist: Drawn) -> Drawn:
        # Artists are drawn in the order in which they come.
        self._axes.add_artist(artist)
        self._artists.append(artist)
        return artist

    def pixels(self) -> np.ndarray:
        """(96, 96, 3) uint8: the artists as they are now, on white."""
        # Drawing the figure would lay out titles and ticks that are not there; the artists alone take a tenth.
        self._renderer.clear()
        self._figure.patch.draw(self._renderer)
        for artist in self._artists:
            artist.draw(self._renderer)
        return np.asarray(self._renderer.buffer_rgba())[..., :3].copy()
