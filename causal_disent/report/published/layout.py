"""Published tables as text: the list of them, and one as the paper prints it."""

from __future__ import annotations

import textwrap

from causal_disent.report.published.tables import Block, blocks, published_table, published_tables
from causal_disent.report.table import WIDTH as LISTING
from causal_disent.report.table import text_table
from causal_disent.typed import checked

WIDTH = 115


def published_list() -> str:
    """The tables, and under them the papers."""
    tables = published_tables()
    rows = [
        [table.name, table.number, table.num_values, _metrics(table.metrics), table.caption] for table in tables
    ]
    papers = dict.fromkeys(f"{table.name.rpartition('_')[0]}: {table.source.citation}" for table in tables)
    told = [textwrap.fill(paper, LISTING, subsequent_indent="  ") for paper in papers]
    return "\n".join([text_table(["table", "number", "values", "metrics", "shows"], rows, LISTING), "", *told])


def _metrics(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) < 5 else f"{names[0]}, ..., {names[-1]}"


@checked
def published_text(name: str) -> str:
    """One table with its source, its numbers as they are printed, and its notes.

    Example:
        >>> print(published_text("aaai_7")[:79])
        On Causally Disentangled Representations (AAAI 2022, arXiv:2112.05746), table 7
    """
    table = published_table(name)
    notes = [textwrap.fill(f"- {note}", WIDTH, subsequent_indent="  ") for note in table.notes]
    parts = [
        f"{table.source.citation}, table {table.number}\n{table.caption}",
        *(_block_text(block) for block in blocks(name)),
        "\n".join(notes),
    ]
    return "\n\n".join(parts)


def _block_text(block: Block) -> str:
    common = block.common
    heading = f"data set {common['dataset']}"
    if common["confounding"] != "none":
        heading += f", confounded by {common['confounding']}"
    if "factor" in common:
        heading += f": {common['factor']} and {common['other_factor']}"
    if "metric" in common:
        heading += f": {common['metric']}"
    rows = [[row, *("" if cell is None else cell for cell in cells)] for row, cells in block.rows.items()]
    return f"{heading}\n{text_table([block.rows_are, *block.columns], rows)}"
