"""The picture of a vessel with water, a ball in it and a jet that leaves it."""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent_crl.canvas import Canvas

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
