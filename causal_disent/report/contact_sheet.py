"""One picture of a data set: a row per factor, a column per value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.evaluation.results import new_file
from causal_disent.protocols import FloatArray

__all__ = ["contact_sheet", "save_picture"]

#: Columns at the most; longer factors are sampled evenly.
MOST = 8


def contact_sheet(data: Any, *, scale: int = 2, gap: int = 4) -> np.ndarray:
    """The images of finite data in which one factor at a time runs through its values.

    Args:
        data: finite ground-truth data.
        scale: pixels per pixel.
        gap: white pixels between images.

    Returns:
        (height, width, 3) uint8.
    """
    table = data.factor_table
    rows = np.stack([table[name].cat.codes.to_numpy() for name in table.columns], axis=1)
    middle = rows[len(rows) // 2]
    sheet_rows = []
    for factor in range(rows.shape[1]):
        values = np.unique(rows[:, factor])
        chosen = values[np.unique(np.linspace(0, len(values) - 1, MOST).round().astype(int))]
        images = [_nearest(data, rows, table.index.to_numpy(), middle, factor, value) for value in chosen]
        sheet_rows.append(images)
    return _paste(sheet_rows, scale, gap)


def _nearest(
    data: Any, rows: np.ndarray, indices: np.ndarray, middle: np.ndarray, factor: int, value: int
) -> FloatArray:
    """The image with this value of the factor that agrees with `middle` in most others."""
    agreement = (rows == middle).sum(axis=1) * (rows[:, factor] == value)
    return data.observations(indices[[int(agreement.argmax())]])[0]


def _paste(rows: list[list[FloatArray]], scale: int, gap: int) -> np.ndarray:
    height, width = rows[0][0].shape[:2]
    step_y, step_x = height * scale + gap, width * scale + gap
    sheet = np.full((step_y * len(rows) + gap, step_x * max(map(len, rows)) + gap, 3), 255, dtype=np.uint8)
    for i, images in enumerate(rows):
        for j, image in enumerate(images):
            pixels = np.clip(np.rint(image * 255), 0, 255).astype(np.uint8)
            large = np.broadcast_to(pixels, (height, width, 3)).repeat(scale, axis=0).repeat(scale, axis=1)
            top, left = gap + i * step_y, gap + j * step_x
            sheet[top : top + height * scale, left : left + width * scale] = large
    return sheet


def save_picture(pixels: np.ndarray, path: Path) -> None:
    """Write a PNG, whole or not at all."""
    from PIL import Image

    with new_file(path) as temporary:
        Image.fromarray(pixels).save(temporary, format="PNG")
