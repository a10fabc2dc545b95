"""A table of numbers as a picture: the better, the bluer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from causal_disent.figures import empty_figure, plain, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

#: From the worst to the best; orange and blue differ for the color-blind too.
SCALE = ("#eea370", "#f8f4ec", "#4894c4")
EMPTY, INK, FAINT, RULE = "#e8e8e8", "#20242a", "#70767e", "#c4c8cc"
#: In points.
CELL_WIDTH, CELL_HEIGHT, MARGIN, GAP = 46.0, 14.0, 12.0, 6.0
FONT_SIZE, TITLE_SIZE, NOTE_SIZE, NOTE_HEIGHT = 7, 10, 6, 9.0
#: The width of a letter of the notes, of the wider ones.
LETTER = 0.65 * NOTE_SIZE


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


def heat_map(rows: Sequence[HeatRow], columns: Sequence[str], *, title: str, notes: Sequence[str] = ()) -> Figure:
    """The picture.

    Args:
        rows: from the top; a line separates rows with different labels.
        columns: the heads, a word or two each.
        title: above the table.
        notes: below it.

    Example:
        >>> figure = heat_map([HeatRow("dci", "disentanglement", ["0.91"], [0.91])], ["mixed"], title="Scores")
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['Scores', 'worst', 'best', 'mixed', 'dci', 'disentanglement', '0.91']
    """
    from matplotlib.colors import LinearSegmentedColormap

    middle = MARGIN + max((text_width(row.label, FONT_SIZE) for row in rows), default=0) + GAP
    left = middle + max((text_width(row.detail, FONT_SIZE) for row in rows), default=0) + GAP
    right = left + CELL_WIDTH * len(columns)
    letters = int((right - MARGIN) / LETTER)
    lines = [line for note in notes for line in wrap(note, letters, subsequent_indent="     ")]
    below = MARGIN + NOTE_HEIGHT * len(lines)
    top = below + CELL_HEIGHT * len(rows)
    height = top + CELL_HEIGHT + MARGIN + TITLE_SIZE + GAP
    figure, axes = empty_figure(right + MARGIN, height)
    colors = LinearSegmentedColormap.from_list("worst to best", SCALE).with_extremes(bad=EMPTY)
    axes.text(MARGIN, height - MARGIN, plain(title), color=INK, fontsize=TITLE_SIZE, va="top")
    _draw_legend(axes, colors, right, height - MARGIN - TITLE_SIZE / 2)
    for j, name in enumerate(columns):
        place = (left + (j + 0.5) * CELL_WIDTH, top + GAP)
        axes.text(*place, plain(name), color=INK, fontsize=FONT_SIZE, ha="center", va="baseline")
    x = left + CELL_WIDTH * np.arange(len(columns) + 1)
    y = top - CELL_HEIGHT * np.arange(len(rows) + 1)
    shades = np.ma.masked_invalid([row.shades for row in rows])
    axes.pcolormesh(x, y, shades, cmap=colors, vmin=0, vmax=1, edgecolors="white", linewidth=1)
    for i, row in enumerate(rows):
        level = y[i] - CELL_HEIGHT / 2
        if i == 0 or row.label != rows[i - 1].label:
            axes.text(MARGIN, level, plain(row.label), color=INK, fontsize=FONT_SIZE, va="center")
            axes.plot([MARGIN, left - GAP], [y[i], y[i]], color=RULE, linewidth=0.5)
        axes.text(middle, level, plain(row.detail), color=FAINT, fontsize=FONT_SIZE, va="center")
        for j, text in enumerate(row.texts):
            place = (x[j] + CELL_WIDTH / 2, level)
            axes.text(*place, plain(text), color=INK, fontsize=FONT_SIZE, ha="center", va="center")
    for k, line in enumerate(lines):
        place = (MARGIN, below - GAP - k * NOTE_HEIGHT)
        axes.text(*place, plain(line), color=FAINT, fontsize=NOTE_SIZE, va="top")
    return figure


def _draw_legend(axes: Axes, colors: Colormap, right: float, level: float) -> None:
    """The scale from the worst to the best, with its ends named."""
    start, stop = right - 2.6 * CELL_WIDTH, right - 0.6 * CELL_WIDTH
    extent = (start, stop, level - 3, level + 3)
    axes.imshow(np.linspace(0, 1, 256)[None], cmap=colors, extent=extent, aspect="auto")
    for place, text, side in ((start - GAP / 2, "worst", "right"), (stop + GAP / 2, "best", "left")):
        axes.text(place, level, text, color=FAINT, fontsize=NOTE_SIZE, va="center", ha=side)
