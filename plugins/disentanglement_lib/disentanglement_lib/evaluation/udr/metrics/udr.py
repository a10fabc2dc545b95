"""Unsupervised disentanglement ranking (Duan et al. 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics import udr_sklearn
from causal_disent.metrics.udr import relative_strength as relative_strength_disentanglement
from disentanglement_lib._core import part

__all__ = [
    "compute_udr_sklearn",
    "lasso_correlation_matrix",
    "relative_strength_disentanglement",
    "spearman_correlation_conv",
]

compute_udr_sklearn = part("udr_sklearn")


def spearman_correlation_conv(vec1: Any, vec2: Any) -> Any:
    """Rank correlations (codes, codes), absolute, of two representations of the same points."""
    return _correlations(vec1, vec2, "spearman")


def lasso_correlation_matrix(vec1: Any, vec2: Any, random_state: Any = None) -> Any:
    """Weights (codes, codes), absolute, with which the codes of one predict those of the other."""
    return _correlations(vec1, vec2, "lasso")


def _correlations(vec1: Any, vec2: Any, kind: str) -> Any:
    found = udr_sklearn([np.asarray(vec1), np.asarray(vec2)], correlation=kind)
    return np.asarray((found.correlations or [])[0][1])
