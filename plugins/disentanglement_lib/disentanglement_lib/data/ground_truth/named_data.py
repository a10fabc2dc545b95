"""Data sets by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gin

from causal_disent.config import DATASET_NAME
from disentanglement_lib._core import bound, part
from disentanglement_lib.data.ground_truth import cars3d, dsprites, dummy_data, mpi3d, norb, shapes3d

#: Names whose data sets have classes here; causal_disent's others are as it makes them.
CLASSES: dict[str, Callable[[], Any]] = {
    "dsprites_full": lambda: dsprites.DSprites([1, 2, 3, 4, 5]),
    "dsprites_noshape": lambda: dsprites.DSprites([2, 3, 4, 5]),
    "color_dsprites": lambda: dsprites.ColorDSprites([1, 2, 3, 4, 5]),
    "noisy_dsprites": lambda: dsprites.NoisyDSprites([1, 2, 3, 4, 5]),
    "scream_dsprites": lambda: dsprites.ScreamDSprites([1, 2, 3, 4, 5]),
    "smallnorb": norb.SmallNORB,
    "cars3d": cars3d.Cars3D,
    **{mode: lambda mode=mode: mpi3d.MPI3D(mode) for mode in mpi3d.MODES},  # type: ignore[misc]
    "shapes3d": shapes3d.Shapes3D,
    "dummy_data": dummy_data.DummyData,
}


def get_named_ground_truth_data(name: str = gin.REQUIRED) -> Any:
    """The data set of that name, or the one that gin binds to ``dataset.name``."""
    name = bound(DATASET_NAME, name)
    return CLASSES[name]() if name in CLASSES else part("dataset")(name=name)
