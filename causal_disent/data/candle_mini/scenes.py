"""The sixteen scenes of ``candle_mini`` in their order, and the cached pictures of them."""

from collections.abc import Callable
from functools import cache

import numpy as np

from causal_disent.data.candle_mini import indoor_scenes as indoors
from causal_disent.data.candle_mini import nature_scenes as nature
from causal_disent.data.candle_mini import town_scenes as town
from causal_disent.data.candle_mini.camera import IMAGE_SIDE
from causal_disent.data.candle_mini.view import View

# The largest camera jitter, in half pixels to either side.
MOST_JITTER = 3

SCENES: dict[str, Callable[[View], np.ndarray]] = {
    "indoor": indoors.indoor,
    "playground": town.playground,
    "outdoor": nature.outdoor,
    "bridge": town.bridge,
    "city square": town.city_square,
    "hall": indoors.hall,
    "grassland": nature.grassland,
    "garage": indoors.garage,
    "street": town.street,
    "beach": nature.beach,
    "station": indoors.station,
    "tunnel": indoors.tunnel,
    "moonlit grass": nature.moonlit_grass,
    "dusk city": town.dusk_city,
    "skywalk": indoors.skywalk,
    "garden": nature.garden,
}

_SAMPLES = 4
_MARGIN = 2


def backdrop(scene: str, light: int, jitter: tuple[int, int]) -> np.ndarray:
    """The scene (read only), lit from the left (-1), above (0) or the right (1).

    The jitter moves it to the right and down, in half pixels.
    """
    first_column, column_phase = divmod(2 * _MARGIN - jitter[0], 2)
    first_row, row_phase = divmod(2 * _MARGIN - jitter[1], 2)
    picture = _pictures(scene)[light + 1, row_phase, column_phase]
    return picture[first_row : first_row + IMAGE_SIDE, first_column : first_column + IMAGE_SIDE]


@cache
def _pictures(scene: str) -> np.ndarray:
    """The scene with a margin: for each light, at both half-pixel phases of rows and of columns."""
    side = IMAGE_SIDE + 2 * _MARGIN
    samples = (np.arange(side * _SAMPLES) + 0.5) / _SAMPLES - _MARGIN
    view = View(samples, samples)
    painting = SCENES[scene](view)
    phases = np.arange(2) * _SAMPLES // 2
    pictures = np.empty((3, 2, 2, side - 1, side - 1, 3), dtype=np.uint8)
    for light in (-1, 0, 1):
        lit = painting * _light_gain(view, light)[..., None]
        for row, column in np.ndindex(2, 2):
            pictures[light + 1, row, column] = _shrink(lit[phases[row] :, phases[column] :], side - 1)
    pictures.setflags(write=False)
    return pictures


def _light_gain(view: View, light: int) -> np.ndarray:
    """Brighter towards the side of the light; around the middle of the stage for a light overhead."""
    off_middle = view.side * view.side + (view.height + 0.35) ** 2
    pool = 0.10 - 0.55 * np.minimum(off_middle, 0.35)
    return 0.98 + 0.36 * light * view.side + (1.0 - abs(light)) * pool


def _shrink(fine: np.ndarray, side: int) -> np.ndarray:
    total = np.zeros((side, side, 3))
    for row in range(_SAMPLES):
        for column in range(_SAMPLES):
            total += fine[row::_SAMPLES, column::_SAMPLES][:side, :side]
    return np.rint(np.clip(total / _SAMPLES**2, 0.0, 1.0) * 255.0).astype(np.uint8)
