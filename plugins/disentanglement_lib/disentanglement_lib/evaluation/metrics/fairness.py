"""Fairness of predictions from codes (Locatello et al. 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics.others import total_variation
from disentanglement_lib._core import metric

compute_fairness = metric("fairness")
inter_group_fairness = total_variation


def compute_scores_dict(metric: Any, prefix: str) -> dict[str, float]:
    """Entries and summaries of (predicted factors, sensitive factors), the diagonal left out."""
    scores = np.array(metric, dtype=np.float64)
    np.fill_diagonal(scores, np.nan)
    found = {f"{prefix}:pred{i}:sens{j}": value for (i, j), value in np.ndenumerate(scores) if i != j}
    for own, other, rows in (("pred", "sens", scores), ("sens", "pred", scores.T)):
        for name, summarise in (("mean", np.nanmean), ("max", np.nanmax)):
            values = summarise(rows, axis=1)
            found |= {f"{prefix}:{own}{number}:{name}_{other}": value for number, value in enumerate(values)}
            found[f"{prefix}:mean_{own}:{name}_{other}"] = values.mean()
            found[f"{prefix}:max_{own}:{name}_{other}"] = values.max()
    return {key: float(value) for key, value in found.items()}
