"""A table of numbers as a picture: the better, the bluer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

__all__ = ["HeatRow", "heat_map"]

#: From the worst to the best; orange and blue differ for the color-blind too.
SCALE = ((238, 163, 112), (248, 244, 236), (72, 148, 196))
EMPTY = (232, 232, 232)
INK, FAINT, RULE = (32, 36, 42), (112, 118, 126), (196, 200, 204)
CELL_WIDTH, CELL_HEIGHT, GAP = 86, 26, 2
MARGIN, LABEL_GAP, NOTE_HEIGHT = 18, 10, 18
FONT_SIZE, TITLE_SIZE, NOTE_SIZE = 14, 19, 12
LEGEND_WIDTH, LEGEND_HEIGHT = 140, 12


@dataclass(frozen=True)
class HeatRow:
    """One row.

    Attributes:
        label: what the row is; written once for neighbours that share it.
        detail: which part of it.
        texts: what the cells say.
        shades: from 0 (worst) to 1 (best); NaN leaves a cell grey.
    """

    label: str
    detail: str
    texts: Sequence[str]
    shades: Sequence[float]


def heat_map(
    rows: Sequence[HeatRow], columns: Sequence[str], *, title: str, notes: Sequence[str] = ()
) -> np.ndarray:
    """The picture.

    Args:
        rows: from the top; a line separates rows with different labels.
        columns: the heads, a word or two each.
        title: above the table.
        notes: below it.

    Returns:
        (height, width, 3) uint8.
    """
    from PIL import Image, ImageDraw

    lines = [line for note in notes for line in wrap(note, 160, subsequent_indent="     ")]
    left = [MARGIN, MARGIN + _widest([row.label for row in rows]) + LABEL_GAP]
    left.append(left[1] + _widest([row.detail for row in rows]) + LABEL_GAP)
    top = MARGIN + TITLE_SIZE + CELL_HEIGHT + 2 * LABEL_GAP
    bottom = top + len(rows) * (CELL_HEIGHT + GAP)
    size = (
        left[2] + len(columns) * (CELL_WIDTH + GAP) + MARGIN,
        bottom + MARGIN + NOTE_HEIGHT * len(lines) + (LABEL_GAP if lines else 0),
    )
    canvas = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(canvas)
    draw.text((MARGIN, MARGIN), title, fill=INK, font=_font(TITLE_SIZE))
    _draw_legend(draw, size[0] - MARGIN)
    for j, name in enumerate(columns):
        middle = left[2] + j * (CELL_WIDTH + GAP) + CELL_WIDTH // 2
        draw.text((middle, top - LABEL_GAP), name, fill=INK, font=_font(FONT_SIZE), anchor="ms")
    for i, row in enumerate(rows):
        above = rows[i - 1].label if i else None
        _draw_row(draw, row, above, left, top + i * (CELL_HEIGHT + GAP))
    for k, line in enumerate(lines):
        place = (MARGIN, bottom + LABEL_GAP + k * NOTE_HEIGHT)
        draw.text(place, line, fill=FAINT, font=_font(NOTE_SIZE))
    return np.asarray(canvas)


def _draw_row(draw: Any, row: HeatRow, above: str | None, left: Sequence[int], y: int) -> None:
    middle = y + CELL_HEIGHT // 2
    if row.label != above:
        draw.text((left[0], middle), row.label, fill=INK, font=_font(FONT_SIZE), anchor="lm")
        draw.line([(left[0], y - GAP // 2), (left[2] - LABEL_GAP, y - GAP // 2)], fill=RULE)
    draw.text((left[1], middle), row.detail, fill=FAINT, font=_font(FONT_SIZE), anchor="lm")
    for j, (text, shade) in enumerate(zip(row.texts, row.shades, strict=True)):
        x = left[2] + j * (CELL_WIDTH + GAP)
        draw.rectangle([x, y, x + CELL_WIDTH - 1, y + CELL_HEIGHT - 1], fill=_color(shade))
        draw.text((x + CELL_WIDTH // 2, middle), text, fill=INK, font=_font(FONT_SIZE), anchor="mm")


def _draw_legend(draw: Any, right: int) -> None:
    """The scale from the worst to the best, with its ends named."""
    font = _font(NOTE_SIZE)
    y = MARGIN + 4
    start = right - LEGEND_WIDTH - _widest(["best"], NOTE_SIZE) - 6
    for step in range(LEGEND_WIDTH):
        color = _color(step / (LEGEND_WIDTH - 1))
        draw.line([(start + step, y), (start + step, y + LEGEND_HEIGHT)], fill=color)
    middle = y + LEGEND_HEIGHT // 2
    draw.text((start - 6, middle), "worst", fill=FAINT, font=font, anchor="rm")
    draw.text((right, middle), "best", fill=FAINT, font=font, anchor="rm")


def _color(shade: float) -> tuple[int, ...]:
    if np.isnan(shade):
        return EMPTY
    places = np.linspace(0, 1, len(SCALE))
    return tuple(int(np.interp(shade, places, channel).round()) for channel in zip(*SCALE, strict=True))


def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _widest(texts: Sequence[str], size: int = FONT_SIZE) -> int:
    return max((int(_font(size).getlength(text)) + 1 for text in texts), default=0)
