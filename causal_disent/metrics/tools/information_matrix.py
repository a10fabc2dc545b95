"""What the gaps between mutual informations start from: binned codes against the factors that vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_pairs
from causal_disent.metrics.tools.code_groups import CodeGroups, all_groups, combined, summed
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.metrics.tools.information import entropies, mutual_information_matrix
from causal_disent.metrics.tools.per_factor import several_varying
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class Information:
    """In nats, of the factors that vary.

    Attributes:
        matrix: (codes, varying factors) mutual information.
        code_entropies: (codes,) entropy of the binned codes.
        factor_entropies: (varying factors,).
        factors: indices of the factors that vary.
        num_factors: how many factors were given.
        num_values: (varying factors,) how many values each has.
        code_variances: (codes,) of the codes as they are; 0 for one that never varies.
        most_entropy: that a code can have: the logarithm of the number of bins.
    """

    matrix: FloatArray
    code_entropies: FloatArray
    factor_entropies: FloatArray
    factors: IntArray
    num_factors: int
    num_values: IntArray
    code_variances: FloatArray
    most_entropy: float


def binned_information(
    codes: Any,
    factors: Any,
    num_bins: int,
    metric: str,
    *,
    min_codes: int = 1,
    min_factors: int = 1,
    code_groups: CodeGroups | None = None,
) -> Information:
    """Check the arguments of `metric`, put the codes in `num_bins` equally wide bins, and count."""
    codes, factors = check_pairs(codes, factors, min_codes=min_codes, min_factors=min_factors)
    check_at_least(2, num_bins=num_bins)
    columns = several_varying(factors, metric, min_factors)
    # Edges of bins are as exact as the codes: the numbers alone decide, not what holds them.
    codes = np.asarray(codes, dtype=np.float64)
    groups = all_groups(code_groups, codes.shape[1])
    most = float(np.log(num_bins))
    return information_of(codes, histogram_discretizer(codes, num_bins), factors, columns, most, groups)


def variances_of(codes: FloatArray) -> FloatArray:
    """(codes,): exactly 0 for one that never varies, whose mean may be off by a rounding error."""
    return np.where(codes.min(axis=0) == codes.max(axis=0), 0.0, codes.var(axis=0, dtype=np.float64))


def information_of(
    codes: FloatArray,
    binned: IntArray,
    factors: Any,
    columns: IntArray,
    most_entropy: float = nan,
    groups: Sequence[Sequence[int]] | None = None,
) -> Information:
    """Of `binned` codes, the bins of a group together, and the factors in `columns`."""
    varying = factors[:, columns]
    variances = variances_of(codes)
    if groups is not None and len(groups) < codes.shape[1]:
        binned, variances = combined(binned, groups), summed(variances, groups)
    return Information(
        mutual_information_matrix(binned, varying),
        entropies(binned),
        entropies(varying),
        columns,
        factors.shape[1],
        np.array([len(np.unique(values)) for values in varying.T]),
        variances,
        most_entropy,
    )
