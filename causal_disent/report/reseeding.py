"""Reseed noise and discriminability: printed, as files and as a picture."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from causal_disent.figures import pixels
from causal_disent.files import new_file, write_text
from causal_disent.report.contact_sheet import save_picture
from causal_disent.report.heat_map import HeatRow, heat_map
from causal_disent.report.table import markdown_table, text_table

if TYPE_CHECKING:
    from causal_disent.runs.reseed import Reseeded

TITLE = "Right order over seeds"
NOTE = "Each column: how often codes score better than the next worse ones, over pairs of seeds; 0.5 is a coin."


def _heads(names: Sequence[str]) -> list[str]:
    pairs = [f"{good} > {bad}" for good, bad in zip(names, names[1:], strict=False)]
    return ["name", "score", "points", "noise", *pairs]


def _body(found: Sequence[Reseeded]) -> list[list[float | str]]:
    """Of each score: the largest deviation over seeds, and the shares of pairs in the right order."""
    return [[row.metric, row.score, f"{row.num_train:,}", _largest(row.noise), *row.right] for row in found]


def _largest(values: Sequence[float]) -> float:
    return max((value for value in values if not isnan(value)), default=float("nan"))


def reseeding_text(found: Sequence[Reseeded], names: Sequence[str]) -> str:
    """The table, for the terminal; `names` are of the cases, from good to bad."""
    return text_table(_heads(names), _body(found))


def write_reseeding(folder: Path, found: Sequence[Reseeded], names: Sequence[str]) -> None:
    """Write ``reseeding.csv``, ``.md`` and ``.png`` into `folder`."""
    with (
        new_file(folder / "reseeding.csv") as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        table = csv.writer(file)
        table.writerow(_heads(names))
        table.writerows(_body(found))
    write_text(folder / "reseeding.md", markdown_table(_heads(names), _body(found)) + "\n")
    rows = [
        HeatRow(
            row.metric,
            f"{row.score}, {row.num_train:,} points",
            [f"{share:.2f}" for share in row.right],
            row.right,
        )
        for row in found
    ]
    picture = heat_map(rows, [f"> {bad}" for bad in names[1:]], title=TITLE, notes=[NOTE])
    save_picture(pixels(picture), folder / "reseeding.png", colors=128)
