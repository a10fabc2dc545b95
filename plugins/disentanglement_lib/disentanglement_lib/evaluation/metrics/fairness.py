"""Fairness of predictions from codes (Locatello et al. 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics.fairness import _summaries, total_variation
from disentanglement_lib._core import metric

compute_fairness = metric("fairness")
inter_group_fairness = total_variation


def compute_scores_dict(metric: Any, prefix: str) -> dict[str, float]:
    """Entries and summaries of (predicted factors, sensitive factors), the diagonal left out."""
    scores = np.array(metric, dtype=np.float64)
    np.fill_diagonal(scores, np.nan)
    return _summaries(scores, prefix)
