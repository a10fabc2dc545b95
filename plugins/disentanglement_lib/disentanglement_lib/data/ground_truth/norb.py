"""Small NORB."""

from __future__ import annotations

from disentanglement_lib.data.ground_truth.util import NamedData


class SmallNORB(NamedData):
    """Small NORB: category, elevation, azimuth, lighting; the instance is a nuisance."""

    def __init__(self) -> None:
        super().__init__("smallnorb", [5, 10, 9, 18, 6], [0, 2, 3, 4])
