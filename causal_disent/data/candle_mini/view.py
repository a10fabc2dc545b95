"""What the scenes of ``candle_mini`` are painted on: which place of the world each sample looks at."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from causal_disent.data.candle_mini.camera import CAMERA_HEIGHT, ray_directions

_FARTHEST = 80.0


@dataclass(frozen=True)
class Surfaces:
    """The inside of a long box, seen from its near end: coordinates and what is seen there."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    is_floor: np.ndarray
    is_ceiling: np.ndarray
    is_side: np.ndarray
    is_back: np.ndarray


class View:
    """Rays through a grid of pixel coordinates, and where they lead in an empty world."""

    def __init__(self, columns: np.ndarray, rows: np.ndarray) -> None:
        """Look through every crossing of the given columns and rows."""
        directions = ray_directions(columns[None, :], rows[:, None])
        self.dx, self.dy, self.dz = np.broadcast_arrays(*directions)

    @cached_property
    def side(self) -> np.ndarray:
        """Slope to the right of the middle, about -0.5 to 0.5."""
        return self.dx / self.dy

    @cached_property
    def height(self) -> np.ndarray:
        """Slope above the horizon, about 0.2 at the top of the picture."""
        return self.dz / self.dy

    @cached_property
    def is_ground(self) -> np.ndarray:
        """True below the horizon."""
        return self.height < 0.0

    @cached_property
    def ground_y(self) -> np.ndarray:
        """Distance from the camera at which the ground is seen."""
        return CAMERA_HEIGHT / np.maximum(-self.height, CAMERA_HEIGHT / _FARTHEST)

    @cached_property
    def ground_x(self) -> np.ndarray:
        """Place to the right of the camera at which the ground is seen."""
        return self.side * self.ground_y

    @cached_property
    def detail(self) -> np.ndarray:
        """Weight of ground texture: 1 near by, falling where it would be finer than pixels."""
        return 1.0 / (1.0 + (self.ground_y / 14.0) ** 2)

    def wall(self, distance: float) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates x and z on an upright plane across the view."""
        return self.side * distance, CAMERA_HEIGHT + self.height * distance

    def inside(self, half_width: float, ceiling: float, depth: float) -> Surfaces:
        """The inside of a box that is open towards the camera."""
        to_floor = CAMERA_HEIGHT / np.maximum(-self.height, 1e-9)
        to_ceiling = (ceiling - CAMERA_HEIGHT) / np.maximum(self.height, 1e-9)
        to_side = half_width / np.maximum(np.abs(self.side), 1e-9)
        y = np.minimum(np.minimum(to_floor, to_ceiling), np.minimum(to_side, depth))
        return Surfaces(
            x=self.side * y,
            y=y,
            z=CAMERA_HEIGHT + self.height * y,
            is_floor=y == to_floor,
            is_ceiling=y == to_ceiling,
            is_side=y == to_side,
            is_back=y == depth,
        )
