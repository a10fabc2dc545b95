"""Sampled points with the attribution of their codes, as `uc` and `cg` have it: for pictures of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_disent.checks import check_pairs, check_rho
from causal_disent.metrics.tools.attribution import attribute
from causal_disent.metrics.tools.dead_codes import dead_codes
from causal_disent.metrics.tools.discretize import discretizer
from causal_disent.metrics.tools.sampling import factor_names, sample_codes
from causal_disent.metrics.tools.takes import BINS, equally_filled
from causal_disent.protocols import Attribution, FloatArray, GroundTruthData, IntArray, Representation


@dataclass(frozen=True)
class AttributedSample:
    """Codes and factors of points, the factors as gin's discretizer leaves them too, and the scores.

    `names` and `image_shape` are those of the data set; `dead` are the codes that change nothing that one sees.
    """

    codes: FloatArray
    factors: IntArray
    discrete: IntArray
    scores: FloatArray
    names: list[str]
    image_shape: tuple[int, ...]
    dead: tuple[int, ...]

    def code_title(self, code: int) -> str:
        """What pictures call a code."""
        return f"code {code}: dead" if code in self.dead else f"code {code}"


def attributed_sample(
    data: GroundTruthData,
    representation: Representation,
    random_state: np.random.RandomState,
    num_train: int,
    batch_size: int,
    attribution: str | Attribution,
    rho: int,
) -> AttributedSample:
    """Draw points, encode them, and attribute their codes; a `rho` above their number is an error.

    The representation has a decoder.
    """
    codes, factors = sample_codes(data, representation, num_train, random_state, batch_size)
    # Continuous factors in bins, as `irs` and `uc` have them in a suite.
    codes, discrete = check_pairs(codes, equally_filled(discretizer(factors), BINS))
    check_rho(rho, codes.shape[1])
    scores = attribute(codes, discrete, attribution, random_state)
    shape, decode = tuple(data.observation_shape), representation.decode  # type: ignore[attr-defined]
    return AttributedSample(codes, factors, discrete, scores, factor_names(data), shape, dead_codes(codes, decode))
