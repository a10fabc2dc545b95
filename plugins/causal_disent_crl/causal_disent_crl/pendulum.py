"""`pendulum` (Yang et al. 2021, CausalVAE, arXiv:2004.08697): a pendulum, a light, and the shadow."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent_crl.mechanism_data import Draws, MechanismData

#: The angles of a half turn: angle and light count in units of pi / 200, 0.9 degrees.
UNIT = np.pi / 200
PIVOT = (10.0, 10.5)
#: From the pivot to the centre of the ball, and to its end.
ROD, REACH = 8.0, 9.5
SUN_Y, GROUND_Y = 20.5, -0.5
SHORTEST = 3.0


class Pendulum(MechanismData):
    r"""7,308 images of a pendulum and its shadow, pixel for pixel as published.

    With :math:`\theta` the angle, :math:`\phi` the slope of the light, and
    :math:`P(x, y, b) = x + (b - y) / \tan\phi` the place where the ray through (x, y) has the height b: the
    shadow reaches from P of the pivot to P of the pendulum's end, on the ground. Its position is the middle of the
    two, its length their distance, and never less than 3. No image has noise.

    Args:
        folder: with the published ``train`` and ``test``; images are drawn if not given.
        split: ``train`` (5,482 images), ``test`` (1,826) or ``all``.
        labels: ``exact``, or ``published``: cut to whole numbers, as in the names of the files.
        scaling: of `factor_values`: ``causalvae`` (what is trained on), ``causalvae_generator`` (in the published
            generator, where it is not used), ``causaldiffae``, ``min_max``, ``z_score``; none if not given.
        size: 96 pixels, or 64.
        channels: ``rgba``, alpha 1 throughout, or ``rgb``.
        cache: a folder for the images; in the user's cache folder if not given.

    Example:
        >>> data = Pendulum(labels="published", split="test")
        >>> data.factor_names, data.factors_num_values
        (('angle', 'light', 'length', 'position'), [84, 87, 10, 18])
        >>> data.factor_values(np.array([4]))
        array([[-40.,  64.,   3.,   2.]])
        >>> sorted(data.graph.predecessors("length"))
        ['angle', 'light']
        >>> data.counterfactual_values(np.array([4]), {"light": 120}).tolist()
        [[-40.0, 120.0, 8.0, 9.0]]
    """

    name = "pendulum"
    factors = ("angle", "light", "length", "position")
    edges = (("angle", "length"), ("light", "length"), ("angle", "position"), ("light", "position"))
    scalings = {
        "causalvae": ((0, 44), (100, 40), (6.5, 3.5), (10, 5)),
        "causalvae_generator": ((0, 44), (100, 40), (7, 7.5), (10, 10)),
        "causaldiffae": ((2, 42), (104, 44), (7.5, 4.5), (11, 8)),
    }
    # A light at 0 or 200 would be level with the ground, and have no shadow that ends.
    limits = {"angle": (-100, 100), "light": (20, 180), "length": (0, 40), "position": (-20, 40)}
    form = "a_<angle>_<light>_<length>_<position>.png"

    def all_draws(self) -> Draws:
        """Return what the published program draws, in its order."""
        # It leaves out 100, a light straight above, where the tangent has a pole.
        lights = [light for light in range(60, 148) if light != 100]
        angle, light = (grid.ravel().astype(float) for grid in np.meshgrid(range(-40, 44), lights, indexing="ij"))
        number = np.arange(len(angle))
        # Its counter starts at 0 and is reset to 0 by a test image, before it is raised: 4, 8, 12, ...
        is_test = (number % 4 == 0) & (number > 0)
        values = np.stack([angle, light, *_shadow(angle, light)], axis=1)
        return Draws.numbered(values, np.zeros(len(values)), is_test)

    @classmethod
    def mechanism(cls, factual: FloatArray, given: Mapping[str, FloatArray]) -> FloatArray:
        """Angle and light make the shadow; nothing is left open that would have to be abducted."""
        angle, light = (given.get(factor, factual[:, column]) for column, factor in enumerate(("angle", "light")))
        length, position = _shadow(angle, light)
        return np.stack([angle, light, given.get("length", length), given.get("position", position)], axis=1)

    @classmethod
    def draw(cls, values: FloatArray, noise: FloatArray) -> np.ndarray:
        """Return the images (n, 96, 96, 3), uint8, of exact factors (n, 4)."""
        from causal_disent_crl.drawing import draw_pendulums

        angle, light, length, position = values.T
        suns = _ray(*PIVOT, SUN_Y, light)
        balls = np.stack(_along(ROD, angle), axis=1)
        return draw_pendulums(balls, suns, length, position, pivot=PIVOT, sun_y=SUN_Y, ground_y=GROUND_Y)


def _along(distance: float, angle: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the point of the pendulum at this distance from the pivot."""
    return PIVOT[0] + distance * np.sin(angle * UNIT), PIVOT[1] - distance * np.cos(angle * UNIT)


def _ray(x: FloatArray | float, y: FloatArray | float, height: float, light: FloatArray) -> FloatArray:
    """Return where the ray through (x, y) has this height."""
    slope = np.tan(light * UNIT)
    return (height - (y - x * slope)) / slope


def _shadow(angle: FloatArray, light: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Length and position."""
    ends = _ray(*PIVOT, GROUND_Y, light), _ray(*_along(REACH, angle), GROUND_Y, light)
    return np.maximum(SHORTEST, np.abs(ends[0] - ends[1])), (ends[0] + ends[1]) / 2
