"""Mutual information gap (Chen et al. 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from disentanglement_lib._core import metric, part
from disentanglement_lib.evaluation.metrics import utils

compute_mig = metric("mig")
compute_mig_on_fixed_data = part("mig_validation")


def _compute_mig(mus_train: Any, ys_train: Any) -> dict[str, float]:
    """MIG of codes (codes, points) and factors (factors, points), in the bins of gin's ``discretizer``."""
    information = utils.discrete_mutual_info(utils.make_discretizer(mus_train), ys_train)
    return {"discrete_mig": float(np.mean(gaps(information) / utils.discrete_entropy(ys_train)))}


def gaps(matrix: Any) -> Any:
    """Of each column of (codes, factors), the largest entry less the second."""
    second, first = np.sort(matrix, axis=0)[-2:]
    return first - second
