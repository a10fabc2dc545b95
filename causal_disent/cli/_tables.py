"""The scores of a tree of result folders, for commands: what is not among them is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from causal_disent.text import say, shown

if TYPE_CHECKING:
    import pandas as pd


def told_table(folder: Path) -> pd.DataFrame:
    """As `causal_disent.runs.study_table.results_table` gives it; the files that it leaves out are named."""
    from causal_disent.runs.study_table import results_table

    table = results_table(folder)
    for path, reason in table.attrs["left_out"]:
        say(f"left out {shown(path)}: {reason}", error=True)
    return table
