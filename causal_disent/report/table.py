"""Plain tables for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["markdown_table", "text_table"]


def _cells(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    return [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns aligned by spaces; numbers to the right.

    Example:
        >>> print(text_table(["model", "UC"], [["perfect", 1.0]]))
        model       UC
        -------  -----
        perfect  1.000
    """
    lines = [list(header), *_cells(rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    numeric = [bool(rows) and all(isinstance(row[i], (int, float)) for row in rows) for i in range(len(header))]
    shown = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([shown[0], "  ".join("-" * width for width in widths), *shown[1:]])


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table.

    Example:
        >>> print(markdown_table(["model", "UC"], [["perfect", 1.0]]))
        | model | UC |
        |---|---|
        | perfect | 1.000 |
    """
    lines = [list(header), ["---"] * len(header), *_cells(rows)]
    shown = ["| " + " | ".join(line) + " |" for line in lines]
    shown[1] = shown[1].replace(" ", "")
    return "\n".join(shown)
