"""One picture of a data set: a row per factor, a column per value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.data.factor_table import value_rows
from causal_disent.files import new_file
from causal_disent.metrics.tools.sampling import factor_names, fix_factor
from causal_disent.protocols import is_finite
from causal_disent.report.labelled_grid import check_drawable, draw_grid, enlargement

#: Columns at the most; longer factors are sampled evenly.
MOST = 8


def contact_sheet(data: Any, *, scale: int = 2) -> np.ndarray:
    """The images of finite data in which one factor at a time runs through its values, with captions.

    Args:
        data: finite ground-truth data.
        scale: pixels per pixel.

    Returns:
        (height, width, 3) uint8.
    """
    check_drawable(data.observation_shape)
    table = data.factor_table
    rows = value_rows(table)
    middle = rows[len(rows) // 2]
    sheet, captions = [], []
    for factor, name in enumerate(table.columns):
        values = np.unique(rows[:, factor])
        chosen = values[np.unique(np.linspace(0, len(values) - 1, MOST).round().astype(int))]
        # Confounding may leave no image that differs in this factor alone: the most similar one stands in.
        agreement = (rows == middle).sum(axis=1)
        places = [int((agreement * (rows[:, factor] == value)).argmax()) for value in chosen]
        captions.append([f"{name} {table[name].cat.categories[value]}" for value in chosen])
        sheet.append(list(data.observations(table.index.to_numpy()[places])))
    return np.asarray(draw_grid(sheet, captions=captions, scale=scale))


def dataset_sheet(data: Any, random_state: np.random.RandomState) -> np.ndarray:
    """The same of any data set, enlarged: images are looked up where there is a table of them, otherwise drawn.

    Args:
        data: ground-truth data of images.
        random_state: for what the factors leave open.
    """
    check_drawable(data.observation_shape)
    if is_finite(data) and hasattr(data, "factor_table"):
        return contact_sheet(data, scale=enlargement(np.empty((*data.observation_shape[:2], 0))))
    start = data.sample_factors(1, random_state)
    rows, captions = [], []
    for column, (name, size) in enumerate(zip(factor_names(data), data.factors_num_values, strict=True)):
        values = np.unique(np.linspace(0, size - 1, min(size, MOST)).round().astype(int))
        factors = fix_factor(data, np.repeat(start, len(values), axis=0), column, values, random_state)
        rows.append(list(data.sample_observations_from_factors(factors, random_state)))
        names = getattr(data, "value_names", None)
        captions.append([f"{name} {value if names is None else names[column][value]}" for value in values])
    return np.asarray(draw_grid(rows, captions=captions, scale=enlargement(rows[0][0])))


def save_picture(pixels: np.ndarray, path: Path, *, colors: int | None = None) -> None:
    """Write a PNG, whole or not at all; one of few `colors` (256 at the most) is much smaller."""
    from PIL import Image

    picture = Image.fromarray(pixels)
    if colors is not None:
        # The usual method gives no color to what is small, such as the only purple object of a sheet.
        method = Image.Quantize.MAXCOVERAGE
        picture = picture.quantize(colors, method=method, kmeans=3, dither=Image.Dither.NONE)
    with new_file(path) as temporary:
        picture.save(temporary, format="PNG", optimize=True)
