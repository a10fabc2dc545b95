"""3D Shapes."""

from __future__ import annotations

from disentanglement_lib.data.ground_truth.util import NamedData


class Shapes3D(NamedData):
    """3D Shapes: floor, wall and object hue, scale, shape, orientation."""

    def __init__(self) -> None:
        super().__init__("shapes3d", [10, 10, 10, 8, 4, 15], list(range(6)))
