"""Cars3D."""

from __future__ import annotations

from disentanglement_lib.data.ground_truth.util import NamedData


class Cars3D(NamedData):
    """Cars3D: elevation, azimuth, type."""

    def __init__(self) -> None:
        super().__init__("cars3d", [4, 24, 183], [0, 1, 2])
