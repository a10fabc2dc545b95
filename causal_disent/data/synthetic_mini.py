"""`synthetic_mini`: the small set of the AAAI paper's appendix, on which shape and color can be made one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_disent.data.candle_mini.drawing import IMAGE_SHAPE, scramble, tight_box
from causal_disent.data.candle_mini.objects import Pose, draw_object
from causal_disent.data.drawn import DrawnData, confounded_graph
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import IntArray

if TYPE_CHECKING:
    import networkx as nx

_COLORS = {"red": (0.88, 0.12, 0.12), "green": (0.10, 0.62, 0.20), "blue": (0.12, 0.33, 0.92)}
_ROTATIONS = {str(degrees): float(degrees) for degrees in (0, 15, 30, 45, 60, 90)}
_SIZES = {"small": 1.8, "medium": 2.3, "large": 2.9}
_POSITIONS = {
    "back left": (-1.1, 0.7),
    "back right": (1.1, 0.7),
    "front left": (-1.1, -0.7),
    "front right": (1.1, -0.7),
}
# Directions towards the light: to the right, away from the camera, up.
_LIGHTS = {"left": (-1.2, -0.25, 1.0), "right": (1.2, -0.25, 1.0)}
_SPACE = StateSpace(
    {
        "object": ("cylinder", "cone", "cube"),
        "color": tuple(_COLORS),
        "rotation": tuple(_ROTATIONS),
        "size": tuple(_SIZES),
        "position": tuple(_POSITIONS),
        "light": tuple(_LIGHTS),
    }
)
_FLOOR = 190
#: The camera moves by at most this many half pixels to either side.
_MOST_JITTER = 2


class SyntheticMini(DrawnData):
    """Three objects in three colors on a bare floor, 64x64x3: 1,296 images.

    ``confounding="synthetic_full"`` leaves the 432 of the paper, where cylinders are red, cones green and cubes
    blue; ``factors=("object", "color")`` makes these two the ground truth, and the others nuisance.

    Example:
        >>> from causal_disent import get_dataset
        >>> data = get_dataset("synthetic_mini", factors=("object", "color"), confounding="synthetic_full")
        >>> len(data.factor_table), data.factors_num_values
        (432, [3, 3])
    """

    def __init__(self) -> None:
        super().__init__("synthetic_mini", _SPACE, IMAGE_SHAPE, _draw, draw_in_place=_draw)

    @cached_property
    def graph(self) -> nx.DiGraph:
        """A confounder of object and color; all factors make the image."""
        return confounded_graph(_SPACE.factor_names, {"C": ("object", "color")})


def _draw(factors: IntArray, moved_as: IntArray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw images and boxes; the camera moves as for the factors `moved_as`, if they are given."""
    images = np.full((len(factors), *IMAGE_SHAPE), _FLOOR, dtype=np.uint8)
    boxes = np.empty((len(factors), 4), dtype=np.int64)
    movements = _SPACE.to_index(factors if moved_as is None else moved_as)
    for point, (index, row) in enumerate(zip(movements, factors, strict=True)):
        names = (values[value] for values, value in zip(_SPACE.value_names.values(), row, strict=True))
        kind, color, rotation, size, position, light = names
        pose = Pose(*_POSITIONS[position], size=_SIZES[size], rotation=_ROTATIONS[rotation])
        bits, steps = scramble(int(index)), 2 * _MOST_JITTER + 1
        jitter = bits % steps - _MOST_JITTER, (bits >> 32) % steps - _MOST_JITTER
        boxes[point] = tight_box(*draw_object(images[point], kind, _COLORS[color], pose, _LIGHTS[light], jitter))
    return images, boxes
