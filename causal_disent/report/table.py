"""Plain tables for the terminal and for Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import chain

from causal_disent.text import shown

#: Columns of a terminal that listings fit into.
WIDTH = 100
#: Columns that a cell keeps, however narrow the table has to be.
NARROWEST = 8
#: Columns that the cells between the first and the last may take where there are too few for all.
MIDDLE = 18
GAP = "  "
#: Of a cell, so many are shown.
MOST_CHARACTERS = 1000


def _cells(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    return [
        [f"{cell:.3f}" if isinstance(cell, float) else shown(cell, MOST_CHARACTERS) for cell in row]
        for row in rows
    ]


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]], width: int | None = None) -> str:
    """Columns aligned by spaces; numbers to the right.

    Args:
        header: a title for each column.
        rows: a cell for each column.
        width: cells are wrapped, those of wide columns first, for lines not to be longer.

    Example:
        >>> print(text_table(["model", "UC"], [["perfect", 1.0]]))
        model       UC
        -------  -----
        perfect  1.000
    """
    lines = [list(header), *_cells(rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    if width is not None:
        _narrow(widths, width - len(GAP) * (len(widths) - 1), list(zip(*lines, strict=True)))
    numeric = [bool(rows) and all(isinstance(row[i], (int, float)) for row in rows) for i in range(len(header))]
    title, *drawn = [_drawn(line, widths, numeric) for line in lines]
    return "\n".join([*title, GAP.join("-" * width for width in widths), *chain.from_iterable(drawn)])


def _narrow(widths: list[int], room: int, columns: Sequence[Sequence[str]]) -> None:
    """Take from the widths until they fit: first from the middle, down to its longest words, then from the widest.

    The names in the first column stay whole, to be copied, and the last column has most to say.
    """
    words = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    while sum(widths) > room and max(widths) > NARROWEST:
        spare = [i for i in range(1, len(widths) - 1) if widths[i] > max(MIDDLE, words[i])]
        widths[max(spare or range(len(widths)), key=widths.__getitem__)] -= 1


def _drawn(line: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    """The lines that a row takes."""
    cells = [
        textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
        for cell, width in zip(line, widths, strict=True)
    ]
    return [
        GAP.join(
            part.rjust(width) if number else part.ljust(width)
            for part, width, number in zip(
                (cell[i] if i < len(cell) else "" for cell in cells), widths, numeric, strict=True
            )
        ).rstrip()
        for i in range(max(map(len, cells)))
    ]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table.

    Example:
        >>> print(markdown_table(["model", "UC"], [["perfect", 1.0]]))
        | model | UC |
        |---|---|
        | perfect | 1.000 |
    """
    cells = [[cell.replace("|", r"\|") for cell in row] for row in [list(header), *_cells(rows)]]
    lines = [cells[0], ["---"] * len(header), *cells[1:]]
    shown_lines = ["| " + " | ".join(line) + " |" for line in lines]
    shown_lines[1] = shown_lines[1].replace(" ", "")
    return "\n".join(shown_lines)


#: What LaTeX would read as a command -> what shows it.
IN_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        **{character: f"\\{character}" for character in "_&%#${}"},
    }
)


def latex_text(text: object) -> str:
    r"""Text as LaTeX shows it: nothing in it is a command.

    Example:
        >>> print(latex_text("mig_sup & 5 %"))
        mig\_sup \& 5 \%
    """
    return " ".join(str(text).translate(IN_LATEX).split())


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A table for LaTeX, with booktabs; cells are LaTeX.

    Example:
        >>> print(latex_table(["model", "UC"], [["vae", "1.000"]]))
        \begin{tabular}{lr}
        \toprule
        model & UC \\
        \midrule
        vae & 1.000 \\
        \bottomrule
        \end{tabular}
    """
    first, *lines = [" & ".join(cells) + r" \\" for cells in [header, *rows]]
    columns = "l" + "r" * (len(header) - 1)
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", first, r"\midrule"]
    return "\n".join([*begin, *lines, r"\bottomrule", r"\end{tabular}"])
