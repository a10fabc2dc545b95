"""What a report is made of, before it is a page: sections with words, tables, charts and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from causal_disent.text import number_of

#: Text, or a number, which is sorted as one and shown with three digits.
Cell = str | int | float
#: Rows of a table, and points of a chart, that a page has at the most.
MOST_ROWS, MOST_POINTS = 3000, 1000


@dataclass(frozen=True)
class Table:
    """Rows that a reader can sort and filter.

    Attributes:
        title: what it shows.
        header: a title for each column.
        rows: a cell for each column.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows that the page has."""
        return self.rows[:MOST_ROWS]

    @property
    def count(self) -> str:
        """How many rows there are."""
        more = f"the first {MOST_ROWS:,} of " if len(self.rows) > MOST_ROWS else ""
        return f"{more}{number_of(len(self.rows), 'row')}"

    @property
    def numeric(self) -> list[bool]:
        """Of each column, whether it holds numbers alone."""
        return [
            bool(self.rows) and all(isinstance(row[i], int | float) or row[i] == "" for row in self.rows)
            for i in range(len(self.header))
        ]


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification, what it shows in words, for those who cannot see it, and a note on its title."""

    title: str
    spec: dict[str, Any]
    description: str
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A thumbnail as a ``data:`` address, with its size in pixels."""

    caption: str
    address: str
    width: int
    height: int


@dataclass(frozen=True)
class Fold:
    """Text under a heading that is opened by a click: a config, a log."""

    title: str
    text: str


@dataclass(frozen=True)
class Section:
    """A question and its answer.

    Attributes:
        name: in addresses within the page; letters alone.
        title: the question.
        words: paragraphs, the answer first.
    """

    name: str
    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    pictures: Sequence[Picture] = ()
    folds: Sequence[Fold] = ()


@dataclass(frozen=True)
class Page:
    """A report: its title, what it is of in a line each, and its sections."""

    title: str
    about: Sequence[str]
    sections: Sequence[Section] = field(default_factory=tuple)
