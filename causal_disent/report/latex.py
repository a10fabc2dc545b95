"""Scores of result folders as tables for LaTeX, the best in bold where the difference is real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_disent.report.ranking import Mean, Scores, ranking
from causal_disent.report.table import latex_table, latex_text

if TYPE_CHECKING:
    import pandas as pd


def results_latex(table: pd.DataFrame) -> str:
    r"""Mean and standard deviation over seeds, a table with booktabs for each data set.

    The best model of a column is bold only if it is better than each other model on that data set: by a sign-flip
    test over runs of the same seeds, corrected for all pairs of models (Holm), at the 5 % level.

    Args:
        table: as `causal_disent.runs.study_table.results_table` gives it.

    Returns:
        LaTeX, for a document with ``\usepackage{booktabs}``.
    """
    scores = Scores.of(table)
    parts = []
    for data, own in scores.table.groupby("data", sort=False):
        block = Scores(own.assign())
        whats, models = block.whats, list(dict.fromkeys(own["who"]))
        bold = {what: _find_best(block, what) for what in whats}
        cells = {(mean.who, mean.what): mean for mean in block.means if mean.seeds}
        rows = [
            [latex_text(who), *(_cell(cells.get((who, what)), bold[what] == who, own) for what in whats)]
            for who in models
        ]
        # A name may hold anything; in a comment it must stay on its line.
        parts.append(f"% {' '.join(str(data).split())}\n{latex_table(['model', *map(latex_text, whats)], rows)}")
    return "\n\n".join(parts)


def _find_best(block: Scores, what: str) -> str | None:
    """The model that is better than every other by a score, if one is."""
    own = block.table[block.table["what"] == what]
    runs = own.pivot_table("value", "seed", "who", sort=False)
    if not runs.size:
        return None
    found = ranking(runs, np.random.RandomState(0), lower=block.lower(what))
    return found.best if found.decisive else None


def _cell(mean: Mean | None, is_best: bool, table: pd.DataFrame) -> str:
    if mean is None:
        return ""
    own = table[(table["what"] == mean.what) & (table["who"] == mean.who)]["value"].dropna()
    spread = rf" $\pm$ {own.std():.3f}" if mean.seeds > 1 else ""
    text = f"{mean.value:.3f}{spread}"
    return rf"\textbf{{{text}}}" if is_best else text
