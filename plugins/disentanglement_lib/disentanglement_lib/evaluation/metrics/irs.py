"""Interventional robustness score (Suter et al. 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics import irs
from disentanglement_lib._core import metric

compute_irs = metric("irs")


def scalable_disentanglement_score(gen_factors: Any, latents: Any, diff_quantile: float = 0.99) -> dict[str, Any]:
    """IRS of (points, factors) and (points, codes), with the matrix (codes, factors) that it is made of."""
    found = irs(np.asarray(latents), np.asarray(gen_factors), diff_quantile=diff_quantile)
    known = np.nan_to_num(found.matrix)  # a code that never varies has no parent
    return {
        "disentanglement_scores": found.matrix.max(axis=1),
        "avg_score": found.score,
        "parents": known.argmax(axis=1),
        "IRS_matrix": found.matrix,
        "max_deviations": found.max_deviations,
    }


def _drop_constant_dims(ys: Any) -> Any:
    """The rows that vary."""
    rows = np.asarray(ys)
    if rows.ndim != 2:
        raise ValueError("Expecting a matrix.")
    return rows[rows.var(axis=1) > 0]
