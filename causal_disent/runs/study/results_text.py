"""Scores of many runs as text: a table for each data set, models down, scores across, published ones beside."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.files import check_place, write_text
from causal_disent.report.published import published, published_metrics, published_models, published_table
from causal_disent.report.table import GAP, WIDTH, markdown_table, text_table
from causal_disent.runs.study.table import summary, write_table
from causal_disent.text import shown

if TYPE_CHECKING:
    import pandas as pd


def results_text(table: pd.DataFrame, published_name: str | None = None, *, markdown: bool = False) -> str:
    """Mean and standard deviation over seeds of every headline score.

    Args:
        table: as `causal_disent.runs.study.table.results_table` gives it.
        published_name: a published table (`causal_disent.report.published`); its numbers are in brackets, where
            it has the model, the data set and the score.
        markdown: whether tables are Markdown's; others are no wider than a terminal.
    """
    draw = markdown_table if markdown else _fitting
    beside = _published(published_name) if published_name else lambda row: ""
    means = summary(table)
    parts = []
    for (dataset, confounding), block in means.groupby(["dataset", "confounding"], sort=False):
        parts.append(f"{_heading(dataset, confounding)}\n{chr(10) * markdown}{_block(block, beside, draw)}")
    fewest, most = means["seeds"].min(), means["seeds"].max()
    if most > 1:
        seeds = most if fewest == most else f"{fewest} to {most}"
        parts.append(f"mean ± standard deviation over {seeds} seeds")
    if published_name:
        described = published_table(published_name)
        found = "in brackets" if any(map(beside, means.itertuples(index=False))) else "nothing of these runs is in"
        parts.append(
            f"{found}: {described.source.citation}, table {described.number}. {described.caption} "
            f"`causal-disent published {published_name}` tells what is known against its numbers."
        )
    return "\n\n".join(parts)


def write_results(table: pd.DataFrame, path: Path, published_name: str | None = None) -> None:
    """Write every score, as `write_table` does, or the text of `results_text`, if the file is called ``.md``."""
    if path.suffix != ".md":
        write_table(table, path)
        return
    check_place(path)
    write_text(path, results_text(table, published_name, markdown=True) + "\n")


def chosen_scores(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The rows of the scores, and of the metrics' scores, that are named; all if none is."""
    known = {*table["metric"], *table["score"]}
    for name in names:
        if name not in known:
            raise errors.unknown("metric or score", name, sorted(known))
    return table[table["metric"].isin(names) | table["score"].isin(names)] if names else table


def _fitting(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """One text table, or several that have the same first column, each of them no wider than a terminal."""
    widths = [max(len(one[i]) for one in (header, *rows)) + len(GAP) for i in range(len(header))]
    room = shutil.get_terminal_size((WIDTH, 0)).columns + len(GAP)
    parts = [[0]]
    for i in range(1, len(header)):
        if len(parts[-1]) > 1 and sum(widths[j] for j in (*parts[-1], i)) > room:
            parts.append([0])
        parts[-1].append(i)
    return "\n\n".join(
        text_table([header[i] for i in one], [[row[i] for i in one] for row in rows]) for one in parts
    )


def _heading(dataset: object, confounding: object) -> str:
    confounded = "" if confounding == "none" else f", confounded by {shown(confounding)}"
    return f"data set {shown(dataset)}{confounded}"


def _block(block: pd.DataFrame, beside: Callable[[Any], str], draw: Callable[..., str]) -> str:
    """One data set: a row for each model and what is varied, a column for each score."""
    several = block["representation"].nunique() > 1
    owners = block.groupby("score")["metric"].nunique().to_dict()
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    columns: dict[str, None] = {}
    row: Any
    for row in block.itertuples(index=False):
        name = (row.model, row.varied, row.representation if several else "")
        score = row.score if owners[row.score] == 1 else f"{row.metric}:{row.score}"
        column = f"{score} {row.setting}".strip()
        columns[column] = None
        number = beside(row)
        cells.setdefault(name, {})[column] = _number(row) + (f" ({number})" if number else "")
    leading = [i for i in range(3) if any(name[i] for name in cells)]
    header = [("model", "varied", "representation")[i] for i in leading]
    rows = [[*(name[i] for i in leading), *map(lambda c: own.get(c, ""), columns)] for name, own in cells.items()]
    return draw([*header, *columns], rows)


def _number(row: Any) -> str:
    return f"{row.mean:.3f} ± {row.spread:.3f}" if row.seeds > 1 else f"{row.mean:.3f}"


def published_here(name: str | None = None) -> pd.DataFrame:
    """A published table, or all, with ``trained_as`` and ``measured_by``, what models and metrics are here."""
    rows = published(name)
    models = {model: entry.get("registered") for model, entry in published_models().items()}
    metrics = {metric: entry.get("registered") for metric, entry in published_metrics().items()}
    return rows.assign(trained_as=rows["model"].map(models), measured_by=rows["metric"].map(metrics))


def _published(name: str) -> Callable[[Any], str]:
    """What the published table has for a row of a summary; empty if it has nothing."""
    rows = published_here(name)

    def beside(row: Any) -> str:
        same_score = (rows["metric"] == row.score) | (row.first & (rows["measured_by"] == row.metric))
        same_rho = (rows["rho"] == 0) | (rows["rho"] == row.rho)
        found = rows[
            (rows["dataset"] == row.original) & (rows["trained_as"] == row.trained_as) & same_score & same_rho
        ]
        if not len(found):
            return ""
        # Ours are not in per cent: beside them, neither are those that the paper multiplied by 100.
        value, spread, printed = found[["value", "spread", "printed"]].iloc[0]
        return str(printed) if published_table(name).scale == 1 else f"{value:.3f} ± {spread:.3f}"

    return beside


def scores_text(table: pd.DataFrame) -> str:
    """Every score, one a line."""
    columns = ["representation", "metric", "score", "setting", "value"]
    return text_table(columns, table[columns].to_numpy().tolist())


def best_text(table: pd.DataFrame, metric: str) -> str:
    """All combinations, the best by a metric first, for each data set.

    Args:
        table: as `causal_disent.runs.study.table.results_table` gives it.
        metric: the name of a metric, or of a score.
    """
    by_metric = table[(table["metric"] == metric) & table["first"]]
    chosen = by_metric if len(by_metric) else table[table["score"] == metric]
    if not len(chosen):
        raise errors.unknown("metric or score", metric, sorted({*table["metric"], *table["score"]}))
    found = summary(chosen)
    lower = found["better"].iloc[0] == "lower"
    found = found.sort_values("mean", ascending=lower, kind="stable")
    columns = ("model", "varied", "representation", "setting")
    shown = [name for name in columns if found[name].nunique() > 1] or ["model"]
    parts = []
    for (dataset, confounding), block in found.groupby(["dataset", "confounding"]):
        rows = [
            [place, *(getattr(row, name) for name in shown), _number(row), row.seeds]
            for place, row in enumerate(block.itertuples(index=False), 1)
        ]
        score = f"{chosen['score'].iloc[0]} ({found['better'].iloc[0]} is better)"
        parts.append(f"{_heading(dataset, confounding)}\n{text_table(['', *shown, score, 'seeds'], rows)}")
    return "\n\n".join(parts)
