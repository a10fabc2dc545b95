"""The light tunnel's models of a photograph (Gamella, Peters and Bühlmann 2025, arXiv:2404.11341, appendix IV)."""

from __future__ import annotations

import numpy as np

from causal_disent.checks import check_choice
from causal_disent.protocols import FloatArray

MODELS = ("F1", "F2", "F3")
#: How the camera's red, green and blue respond to those of the light source.
SENSOR = np.array(
    [
        [0.2995802, 0.06920322, 0.028159],
        [0.04017132, 0.9209918, 0.31265],
        [0.00217392, 0.2071558, 0.75763],
    ]
)
WHITE_BALANCE = np.array([2.65625, 1.0, 1.77344])
#: What each colour keeps behind two polarizers that are parallel, and crossed.
PARALLEL, CROSSED = np.array([0.29, 0.35, 0.33]), np.array([0.02, 0.08, 0.18])
EXPOSURE = {"F2": 0.8, "F3": 2.5}


def colors(values: FloatArray, model: str) -> FloatArray:
    r"""The colour of the light as the camera sees it, (n, 3) in [0, 1].

    With c the source's red, green and blue / 255 and :math:`m = \cos^2(\theta_1 - \theta_2)` (Malus's law):
    F1 is :math:`c\,m`; F2 is :math:`e\,w \odot S c\,m` with the sensor's response S, white balance w, exposure e;
    F3 is F2 with :math:`(T_p - T_c)\,m + T_c` for m, since no polarizer passes or stops all light. What is above 1
    is 1.

    Args:
        values: (n, 5) red, green, blue from 0 to 255, and the angles of two polarizers in degrees.
        model: one of `MODELS`.

    Example:
        >>> colors(np.array([[255.0, 51.0, 0.0, 60.0, 0.0]]), "F1").round(4).tolist()
        [[0.25, 0.05, 0.0]]
    """
    check_choice("model", model, MODELS)
    source = values[:, :3] / 255
    passed = np.cos(np.deg2rad(values[:, 3] - values[:, 4]))[:, None] ** 2
    if model == "F1":
        return source * passed
    if model == "F3":
        passed = (PARALLEL - CROSSED) * passed + CROSSED
    return np.minimum(EXPOSURE[model] * WHITE_BALANCE * (source @ SENSOR.T) * passed, 1)


def hexagon(size: int, radius: float) -> np.ndarray:
    """(size, size): whether a pixel is in the hexagon that the light comes through.

    Args:
        size: of the image. The hexagon's centre is half of it from the left and from the bottom.
        radius: of the circle around it, as a part of `size`. Two of its corners are level with the centre.
    """
    x = np.arange(size) - size / 2
    y = size / 2 - 1 - np.arange(size)[:, None]
    # A point is inside if it is near enough in the three directions across the sides.
    across = np.deg2rad([30, 90, 150])
    distances = np.abs(np.cos(across) * x[None, :, None] + np.sin(across) * y[..., None])
    return np.asarray((distances < radius * size * np.cos(np.pi / 6)).all(axis=-1))
