"""Data sets for tests."""

from __future__ import annotations

from typing import Any

from causal_disent.data.dummy import DummyData as _DummyData
from causal_disent.data.dummy import IdentityData
from disentanglement_lib.data.ground_truth.ground_truth_data import GroundTruthData


class IdentityObservationsData(IdentityData, GroundTruthData):
    """Ten factors of ten values, which are the observations too."""

    observation_shape: Any = 10


class DummyData(_DummyData, GroundTruthData):
    """Ten factors of five values; the images are noise, 64x64x1."""

    observation_shape: Any = [64, 64, 1]  # a list: programs write [None] + observation_shape
