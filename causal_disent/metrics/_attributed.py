"""Sampled points with the attribution of their codes: where `uc`, `cg` and their union begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.metrics._checks import check_pairs
from causal_disent.metrics.attribution import attribute
from causal_disent.metrics.discretize import discretizer
from causal_disent.metrics.sampling import factor_names, sample_codes
from causal_disent.protocols import Attribution, FloatArray, GroundTruthData, IntArray, Representation

__all__ = ["AttributedSample", "attributed_sample"]


@dataclass(frozen=True)
class AttributedSample:
    """Codes and factors of points, the factors as gin's discretizer leaves them, and the scores."""

    codes: FloatArray
    factors: IntArray
    discrete: IntArray
    scores: FloatArray
    names: list[str]


def attributed_sample(
    data: GroundTruthData,
    representation: Representation,
    random_state: np.random.RandomState,
    num_train: int,
    batch_size: int,
    attribution: str | Attribution,
) -> AttributedSample:
    """Draw points, encode them, and attribute their codes."""
    codes, factors = sample_codes(data, representation, num_train, random_state, batch_size)
    codes, discrete = check_pairs(codes, discretizer(factors))
    scores = attribute(codes, discrete, attribution, random_state)
    return AttributedSample(codes, factors, discrete, scores, factor_names(data))
