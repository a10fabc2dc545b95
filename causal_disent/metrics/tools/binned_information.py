"""What the gaps between mutual informations start from: binned codes against the factors that vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.arguments import check_at_least, check_pairs
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.metrics.tools.information import entropies, mutual_information_matrix
from causal_disent.metrics.tools.per_factor import several_varying
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class BinnedInformation:
    """In nats, of the factors that vary.

    Attributes:
        matrix: (codes, varying factors) mutual information.
        code_entropies: (codes,) entropy of the binned codes.
        factor_entropies: (varying factors,).
        factors: indices of the factors that vary.
        num_factors: how many factors were given.
    """

    matrix: FloatArray
    code_entropies: FloatArray
    factor_entropies: FloatArray
    factors: IntArray
    num_factors: int


def binned_information(
    codes: Any, factors: Any, num_bins: int, metric: str, *, min_codes: int = 1, min_factors: int = 1
) -> BinnedInformation:
    """Check the arguments of `metric`, put the codes in `num_bins` equally wide bins, and count."""
    codes, factors = check_pairs(codes, factors, min_codes=min_codes, min_factors=min_factors)
    check_at_least(2, num_bins=num_bins)
    columns = several_varying(factors, metric, min_factors)
    # Edges of bins are as exact as the codes: the numbers alone decide, not what holds them.
    binned, varying = histogram_discretizer(np.asarray(codes, dtype=np.float64), num_bins), factors[:, columns]
    return BinnedInformation(
        mutual_information_matrix(binned, varying),
        entropies(binned),
        entropies(varying),
        columns,
        factors.shape[1],
    )
