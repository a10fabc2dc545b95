"""A table of numbers as a picture: the better, the bluer."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from causal_disent.figures import empty_figure, pixels, plain, text_width
from causal_disent.files import new_file, write_text
from causal_disent.report.pictures import save_picture
from causal_disent.report.table import markdown_table, text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from causal_disent.runs.calibrate import Case, Reseeded, Row, Sure


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


#: What `update_page` replaces comes after this line of the page.
MARK = "<!-- The rest is made by `causal-disent calibrate`. -->"
TITLE = "What each metric says where the truth is known"
LONGEST_NOTE = 240
#: Beside a score that codes which say nothing might well have, too.
CHANCE_MARK = "*"
WITHIN_CHANCE = "within its chance level: codes that say nothing of the factors might well score as much"


class _Notes:
    """Numbers the reasons why scores are missing; the same reason has the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, metric: str, reason: str) -> str:
        """What a cell shows in place of its score."""
        first_line = reason.strip().split("\n")[0]
        if len(first_line) > LONGEST_NOTE:
            first_line = first_line[: LONGEST_NOTE - 3] + "..."
        return f"[{self._numbers.setdefault(f'{metric}: {first_line}', len(self._numbers) + 1)}]"

    def lines(self) -> list[str]:
        return [f"[{number}] {text}" for text, number in self._numbers.items()]


def _body(rows: Sequence[Row]) -> tuple[list[list[float | str]], list[str]]:
    """The cells of each row, with marks for the scores that are missing, and the notes that explain them."""
    notes = _Notes()
    body = [
        [cell if isinstance(cell, float) else notes.mark(row.metric, cell) for cell in row.cells] for row in rows
    ]
    return body, notes.lines()


def calibration_text(rows: Sequence[Row], cases: Sequence[Case]) -> str:
    """The table and its notes, for the terminal."""
    body, notes = _body(rows)
    named = [[row.metric, _score(row), *_marked(row, cells, 3)] for row, cells in zip(rows, body, strict=True)]
    return "\n".join(
        [text_table(["metric", "score", *(case.name for case in cases)], named), *notes, *_legend(rows)]
    )


def _marked(row: Row, cells: Sequence[float | str], digits: int) -> list[str]:
    """The cells in print, with a mark beside a score that is within its chance level."""
    by_chance = [bool(sure and sure.within_chance) for sure in row.sure] or [False] * len(cells)
    shown = [f"{cell:.{digits}f}" if isinstance(cell, float) else cell for cell in cells]
    return [text + CHANCE_MARK * mark for text, mark in zip(shown, by_chance, strict=True)]


def _legend(rows: Sequence[Row]) -> list[str]:
    marked = any(sure and sure.within_chance for row in rows for sure in row.sure)
    return [f"{CHANCE_MARK} {WITHIN_CHANCE}"] * marked


def _score(row: Row) -> str:
    return f"{row.score} (lower is better)" if row.lower_is_better else row.score


def _markdown(rows: Sequence[Row], cases: Sequence[Case]) -> str:
    body, notes = _body(rows)
    named = [[f"`{row.metric}`", _score(row), *cells] for row, cells in zip(rows, body, strict=True)]
    parts = [
        "\n".join(f"- **{case.name}**: {case.truth}" for case in cases),
        markdown_table(["metric", "score", *(case.name for case in cases)], named),
        "\n".join(f"- {note}" for note in notes),
        _certainty_table(rows, cases),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _certainty_table(rows: Sequence[Row], cases: Sequence[Case]) -> str:
    """Interval and chance level of each score that has them, in Markdown; nothing if none has."""
    body = [[f"`{row.metric}`", row.score, *map(_certain, row.sure)] for row in rows if any(row.sure)]
    if not body:
        return ""
    table = markdown_table(["metric", "score", *(case.name for case in cases)], body)
    return (
        "How sure the scores are: the 95 % interval over resampled points, and after the semicolon what the same "
        f"codes score with their rows permuted. A star marks a score within its chance level.\n\n{table}"
    )


def _certain(sure: Sure | None) -> str:
    if sure is None:
        return ""
    low, high, chance = (f"{round(one, 2) + 0.0:.2f}" for one in (sure.low, sure.high, sure.chance))  # no -0.00
    interval = [] if math.isnan(sure.low) else [f"{low} to {high}"]
    return "; ".join(interval + [chance + CHANCE_MARK * sure.within_chance] * (not math.isnan(sure.chance)))


def calibration_picture(rows: Sequence[Row], cases: Sequence[Case]) -> Figure:
    """The table as a heat map."""
    body, notes = _body(rows)
    heat_rows = [
        HeatRow(row.metric, _score(row), _marked(row, cells, 2), _shades(row))
        for row, cells in zip(rows, body, strict=True)
    ]
    return heat_map(heat_rows, [case.name for case in cases], title=TITLE, notes=[*notes, *_legend(rows)])


def _shades(row: Row) -> list[float]:
    """0 for the worst score and 1 for the best.

    Scores that may go beyond 1, by the range that their metric declares, are taken relative to the largest.
    """
    scores = np.array([cell if isinstance(cell, float) else np.nan for cell in row.cells])
    ends_at_one = row.range is not None and row.range[1] == 1
    largest = 1.0 if ends_at_one else max(scores[np.isfinite(scores)].max(initial=0.0), 1.0)
    shades = np.clip(scores / largest, 0.0, 1.0)
    return (1.0 - shades if row.lower_is_better else shades).tolist()


def write_calibration(
    folder: Path, rows: Sequence[Row], cases: Sequence[Case], *, num_train: int, random_seed: int
) -> None:
    """Write ``calibration.csv``, ``.json``, ``.md`` and ``.png`` into `folder`."""
    with (
        new_file(folder / "calibration.csv") as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        table = csv.writer(file)
        table.writerow(["metric", "score", *(case.name for case in cases)])
        table.writerows([row.metric, row.score, *row.cells] for row in rows)
    content = {
        "num_train": num_train,
        "random_seed": random_seed,
        "cases": {case.name: case.truth for case in cases},
        "scores": [_record(row, cases) for row in rows],
    }
    write_text(folder / "calibration.json", json.dumps(content, indent=2, allow_nan=False) + "\n")
    write_text(folder / "calibration.md", _markdown(rows, cases))
    save_picture(pixels(calibration_picture(rows, cases)), folder / "calibration.png", colors=128)


def _record(row: Row, cases: Sequence[Case]) -> dict[str, object]:
    """One row as JSON holds it, which knows no infinity."""
    cells = [str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row.cells]
    sure = {
        case.name: {name: value for name, value in asdict(one).items() if math.isfinite(value)}
        for case, one in zip(cases, row.sure or [None] * len(cases), strict=True)
        if one
    }
    return {
        "metric": row.metric,
        "score": row.score,
        "cells": {case.name: cell for case, cell in zip(cases, cells, strict=True)},
        "sure": sure,
    }


def update_page(results: Path, docs: Path) -> None:
    """Put the table and the picture of a `results` folder into ``calibration.md`` of the `docs` folder."""
    page = docs / "calibration.md"
    kept = page.read_text(encoding="utf-8").split(MARK)[0]
    write_text(page, f"{kept}{MARK}\n\n{(results / 'calibration.md').read_text(encoding='utf-8')}")
    with new_file(docs / "images" / "calibration.png") as temporary:
        temporary.write_bytes((results / "calibration.png").read_bytes())


if __name__ == "__main__":
    update_page(Path(sys.argv[1]), Path(sys.argv[2]))


RESEEDING_TITLE = "Right order over seeds"
RESEEDING_NOTE = (
    "Each column: how often codes score better than the next worse ones, over pairs of seeds; 0.5 is a coin."
)


def _heads(names: Sequence[str]) -> list[str]:
    pairs = [f"{good} > {bad}" for good, bad in zip(names, names[1:], strict=False)]
    return ["name", "score", "points", "noise", *pairs]


def _reseeding_body(found: Sequence[Reseeded]) -> list[list[float | str]]:
    """Of each score: the largest deviation over seeds, and the shares of pairs in the right order."""
    return [[row.metric, row.score, f"{row.num_train:,}", _largest(row.noise), *row.right] for row in found]


def _largest(values: Sequence[float]) -> float:
    return max((value for value in values if not isnan(value)), default=float("nan"))


def reseeding_text(found: Sequence[Reseeded], names: Sequence[str]) -> str:
    """The table, for the terminal; `names` are of the cases, from good to bad."""
    return text_table(_heads(names), _reseeding_body(found))


def write_reseeding(folder: Path, found: Sequence[Reseeded], names: Sequence[str]) -> None:
    """Write ``reseeding.csv``, ``.md`` and ``.png`` into `folder`."""
    with (
        new_file(folder / "reseeding.csv") as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        table = csv.writer(file)
        table.writerow(_heads(names))
        table.writerows(_reseeding_body(found))
    write_text(folder / "reseeding.md", markdown_table(_heads(names), _reseeding_body(found)) + "\n")
    rows = [
        HeatRow(
            row.metric,
            f"{row.score}, {row.num_train:,} points",
            [f"{share:.2f}" for share in row.right],
            row.right,
        )
        for row in found
    ]
    picture = heat_map(rows, [f"> {bad}" for bad in names[1:]], title=RESEEDING_TITLE, notes=[RESEEDING_NOTE])
    save_picture(pixels(picture), folder / "reseeding.png", colors=128)
