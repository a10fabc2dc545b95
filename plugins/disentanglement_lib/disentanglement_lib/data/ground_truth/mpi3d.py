"""MPI3D."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from disentanglement_lib.data.ground_truth.util import NamedData

MODES = ("mpi3d_toy", "mpi3d_realistic", "mpi3d_real")


class MPI3D(NamedData):
    """MPI3D: seven factors, of which the release says how many values they have."""

    def __init__(self, mode: str = "mpi3d_toy") -> None:
        if mode not in MODES:
            raise ValueError("Unknown mode provided.")
        sizes = [6, 6, 2, 3, 3, 40, 40] if mode == "mpi3d_real" else [4, 4, 2, 3, 3, 40, 40]
        super().__init__(mode, sizes, list(range(7)))
        self.factor_sizes = self.factors_num_values

    @cached_property
    def images(self) -> Any:
        """All images (images, 64, 64, 3), uint8."""
        return self.ours.pixels(np.arange(np.prod(self.factor_sizes)))
