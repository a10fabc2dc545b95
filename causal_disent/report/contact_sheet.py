"""One picture of a data set: a row per factor, a column per value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.data.factor_table import value_rows
from causal_disent.evaluation.results import new_file
from causal_disent.protocols import FloatArray

__all__ = ["contact_sheet", "save_picture"]

#: Columns at the most; longer factors are sampled evenly.
MOST = 8
#: Pixels between images, and below each for its caption.
GAP = 6
CAPTION = 16
FONT_SIZE = 11


def contact_sheet(data: Any, *, scale: int = 2) -> np.ndarray:
    """The images of finite data in which one factor at a time runs through its values, with captions.

    Args:
        data: finite ground-truth data.
        scale: pixels per pixel.

    Returns:
        (height, width, 3) uint8.
    """
    table = data.factor_table
    rows = value_rows(table)
    middle = rows[len(rows) // 2]
    sheet = []
    for factor, name in enumerate(table.columns):
        values = np.unique(rows[:, factor])
        chosen = values[np.unique(np.linspace(0, len(values) - 1, MOST).round().astype(int))]
        # Confounding may leave no image that differs in this factor alone: the most similar one stands in.
        agreement = (rows == middle).sum(axis=1)
        places = [int((agreement * (rows[:, factor] == value)).argmax()) for value in chosen]
        captions = [f"{name} {table[name].cat.categories[value]}" for value in chosen]
        sheet.append(list(zip(data.observations(table.index.to_numpy()[places]), captions, strict=True)))
    return _paste(sheet, scale)


def _paste(rows: list[list[tuple[FloatArray, str]]], scale: int) -> np.ndarray:
    from PIL import Image, ImageDraw, ImageFont

    height, width = (scale * size for size in rows[0][0][0].shape[:2])
    step_y, step_x = height + CAPTION + GAP, width + GAP
    size = (step_x * max(map(len, rows)) + GAP, step_y * len(rows) + GAP)
    canvas = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(FONT_SIZE)
    for i, row in enumerate(rows):
        for j, (image, caption) in enumerate(row):
            pixels = np.clip(np.rint(image * 255), 0, 255).astype(np.uint8)
            picture = Image.fromarray(np.ascontiguousarray(np.broadcast_to(pixels, (*pixels.shape[:2], 3))))
            corner = (GAP + j * step_x, GAP + i * step_y)
            canvas.paste(picture.resize((width, height), Image.Resampling.NEAREST), corner)
            draw.text((corner[0] + 1, corner[1] + height + 1), caption, fill="black", font=font)
    return np.asarray(canvas)


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
