"""One picture of any data set: a row per factor, a column per value."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.metrics.tools.sampling import factor_names, fix_factor
from causal_disent.protocols import is_finite
from causal_disent.report.contact_sheet import MOST, contact_sheet
from causal_disent.report.labelled_grid import check_drawable, draw_grid, enlargement


def dataset_sheet(data: Any, random_state: np.random.RandomState) -> np.ndarray:
    """Images in which one factor at a time runs through its values, with captions.

    Args:
        data: ground-truth data of images; with a table of its images they are looked up, otherwise drawn.
        random_state: for what the factors leave open.

    Returns:
        (height, width, 3) uint8.
    """
    check_drawable(data.observation_shape)
    if is_finite(data) and hasattr(data, "factor_table"):
        return contact_sheet(data, scale=enlargement(np.empty((*data.observation_shape[:2], 0))))
    return np.asarray(_drawn(data, random_state))


def _drawn(data: Any, random_state: np.random.RandomState) -> Any:
    start = data.sample_factors(1, random_state)
    rows, captions = [], []
    for column, (name, size) in enumerate(zip(factor_names(data), data.factors_num_values, strict=True)):
        values = np.unique(np.linspace(0, size - 1, min(size, MOST)).round().astype(int))
        factors = fix_factor(data, np.repeat(start, len(values), axis=0), column, values, random_state)
        rows.append(list(data.sample_observations_from_factors(factors, random_state)))
        names = getattr(data, "value_names", None)
        captions.append([f"{name} {value if names is None else names[column][value]}" for value in values])
    return draw_grid(rows, captions=captions, scale=enlargement(rows[0][0]))
