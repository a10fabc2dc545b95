"""The picture of a pendulum and its shadow."""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent_crl.canvas import Canvas


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
