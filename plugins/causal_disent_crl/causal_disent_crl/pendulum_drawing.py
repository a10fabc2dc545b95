"""The picture of a pendulum and its shadow."""

from __future__ import annotations

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent_crl.canvas import Canvas
from causal_disent_crl.pendulum import GROUND_Y, PIVOT, SUN_Y

__all__ = ["draw_pendulums"]


def draw_pendulums(balls: FloatArray, suns: FloatArray, lengths: FloatArray, positions: FloatArray) -> np.ndarray:
    """(n, 96, 96, 3) uint8.

    Args:
        balls: (n, 2) x and y of the ball's centre.
        suns: (n,) x of the sun's centre.
        lengths: (n,) of the shadow.
        positions: (n,) x of its middle.
    """
    canvas = Canvas(xlim=(0, 20), ylim=(-1, 21))
    rod, ball = canvas.bar(width=3), canvas.disc(1.5, "firebrick")
    sun, shadow = canvas.disc(3, "orange"), canvas.bar(width=3)
    images = np.empty((len(balls), *canvas.pixels().shape), dtype=np.uint8)
    for image, centre, sun_x, length, position in zip(images, balls, suns, lengths, positions, strict=True):
        rod.set_xy([PIVOT, centre])
        ball.center = tuple(centre)
        sun.center = (sun_x, SUN_Y)
        shadow.set_xy([(position - length / 2, GROUND_Y), (position + length / 2, GROUND_Y)])
        image[:] = canvas.pixels()
    return images
