"""Separated attribute predictability (Kumar et al. 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics import sap_score
from disentanglement_lib._core import metric, part
from disentanglement_lib.evaluation.metrics.mig import gaps

compute_sap = metric("sap_score")
compute_sap_on_fixed_data = part("sap_score_validation")


def compute_score_matrix(mus: Any, ys: Any, mus_test: Any, ys_test: Any, continuous_factors: bool) -> Any:
    """(codes, factors): how well a code alone predicts a factor. All arrays have a column per point."""
    codes, factors, test, test_factors = (np.asarray(rows).T for rows in (mus, ys, mus_test, ys_test))
    found = sap_score(codes, factors, test=(test, test_factors), continuous_factors=continuous_factors)
    return np.nan_to_num(found.matrix)


def compute_avg_diff_top_two(matrix: Any) -> float:
    """The mean difference of the two best codes of each factor."""
    return float(np.mean(gaps(matrix)))


def _compute_sap(mus: Any, ys: Any, mus_test: Any, ys_test: Any, continuous_factors: bool) -> dict[str, float]:
    """SAP of codes (codes, points) and factors (factors, points)."""
    matrix = compute_score_matrix(mus, ys, mus_test, ys_test, continuous_factors)
    return {"SAP_score": compute_avg_diff_top_two(matrix)}
