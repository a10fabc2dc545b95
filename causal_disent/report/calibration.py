"""The calibration table: printed, as files, as a picture, and in the documentation.

causal-disent calibrate && python -m causal_disent.report.calibration output/calibrate docs
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from causal_disent.figures import pixels
from causal_disent.files import new_file, write_text
from causal_disent.report.contact_sheet import save_picture
from causal_disent.report.heat_map import HeatRow, heat_map
from causal_disent.report.table import markdown_table, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from causal_disent.runs.calibrate import Case, Row, Sure

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
