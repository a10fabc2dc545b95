"""The pictures of the pendulum and of the vessel, drawn by a small figure of matplotlib."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon, Rectangle

from causal_disent.protocols import FloatArray

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
        """Return a black line between two points, `width` points wide; its ends are moved by ``set_xy``."""
        return self._add(Polygon([(0, 0), (0, 0)], color="black", linewidth=width, antialiased=True))

    def disc(self, radius: float, color: str) -> Circle:
        """Return a disc; it is moved by its ``center``."""
        return self._add(Circle((0, 0), radius, color=color, linewidth=1, antialiased=True))

    def box(self, corner: tuple[float, float], width: float, color: str) -> Rectangle:
        """Return a rectangle over its lower left corner; it is moved by ``set_height``."""
        return self._add(Rectangle(corner, width, 0, color=color, linewidth=1, antialiased=True))

    def curve(self, color: str) -> Line2D:
        """Return a line through points, 2 points wide; it is moved by ``set_data``."""
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


def draw_pendulums(
    balls: FloatArray,
    suns: FloatArray,
    lengths: FloatArray,
    positions: FloatArray,
    *,
    pivot: tuple[float, float],
    sun_y: float,
    ground_y: float,
) -> np.ndarray:
    """(n, 96, 96, 3) uint8.

    Args:
        balls: (n, 2) x and y of the ball's centre.
        suns: (n,) x of the sun's centre.
        lengths: (n,) of the shadow.
        positions: (n,) x of its middle.
        pivot: x and y.
        sun_y: y of the sun's centre.
        ground_y: y of the shadow.
    """
    canvas = Canvas(xlim=(0, 20), ylim=(-1, 21))
    rod, ball = canvas.bar(width=3), canvas.disc(1.5, "firebrick")
    sun, shadow = canvas.disc(3, "orange"), canvas.bar(width=3)
    images = np.empty((len(balls), *canvas.pixels().shape), dtype=np.uint8)
    for image, centre, sun_x, length, position in zip(images, balls, suns, lengths, positions, strict=True):
        rod.set_xy([pivot, centre])
        ball.center = tuple(centre)
        sun.center = (sun_x, sun_y)
        shadow.set_xy([(position - length / 2, ground_y), (position + length / 2, ground_y)])
        image[:] = canvas.pixels()
    return images


LEFT, RIGHT, TOP = 3.0, 8.0, 19.0
WATER = "lightskyblue"
#: Points of the jet's line.
POINTS = 50


def draw_flows(
    radii: FloatArray,
    heights: FloatArray,
    flows: FloatArray,
    holes: FloatArray,
    stretch: FloatArray,
    floor: float,
) -> np.ndarray:
    """(n, 96, 96, 3) uint8.

    Args:
        radii: (n,) of the ball.
        heights: (n,) of the water, above 5.
        flows: (n,) how far the jet reaches where gravity has no noise.
        holes: (n,) the height of the hole's lower edge.
        stretch: (n,) gravity with its noise, as a part of gravity.
        floor: how high the jet ends.
    """
    canvas = Canvas(xlim=(0, 20), ylim=(0, 20))
    water = canvas.box((LEFT, 0), RIGHT - LEFT, WATER)
    left, below, above = (canvas.bar(width=2) for _ in range(3))
    left.set_xy([(LEFT, 0), (LEFT, TOP)])
    ball = canvas.disc(1, "firebrick")
    jet, ground = canvas.curve(WATER), canvas.curve("black")
    ground.set_data([0, 20], [0.2, 0.2])
    images = np.empty((len(radii), *canvas.pixels().shape), dtype=np.uint8)
    for image, radius, height, flow, hole, part in zip(images, radii, heights, flows, holes, stretch, strict=True):
        water.set_height(5 + height)
        below.set_xy([(RIGHT, 0), (RIGHT, hole)])
        above.set_xy([(RIGHT, hole + 0.4), (RIGHT, TOP)])
        ball.set(center=(5.5, radius + 0.5), radius=radius)
        y = np.linspace(hole, floor, POINTS)
        jet.set_data(RIGHT + flow * np.sqrt(part * (hole - y) / (hole - floor)), y)
        image[:] = canvas.pixels()
    return images
