"""What is known beforehand: what each metric assumes and whether the data meet it, and what papers published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import is_whole
from causal_disent.data.factor_table import value_rows
from causal_disent.data.state_space import StateSpace
from causal_disent.files import read_bounded, within
from causal_disent.isolation import isolated
from causal_disent.registry import registry
from causal_disent.report.page.parts import Cell, Picture, Section, Table
from causal_disent.report.page.pictures import Thumbnails
from causal_disent.report.published import published_table
from causal_disent.runs.dataset import get_dataset
from causal_disent.runs.report.scores import Scores, ends
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study.results_text import published_here
from causal_disent.runs.study.table import plain_value

if TYPE_CHECKING:
    import pandas as pd


class Data:
    """One of the data sets that the scores are of, looked at as far as that is possible here.

    Attributes:
        label: as the scores call it.
        problem: why it cannot be looked at; empty if it can.
    """

    def __init__(self, label: str, root: Path, config: Path) -> None:
        self.label, self.name, self.problem = label, "", ""
        self.data: Any = None
        try:
            recorded = parse_object(read_bounded(within(root, config), MOST_BYTES))
            self.name = str(plain_value(recorded.get("dataset.name", "")))
            with isolated():  # a plugin's data set, or files that are not here: anything may come out of it
                self.data = _load(self.name, recorded)
        except errors.CausalDisentError as error:
            self.problem = error.message

    @cached_property
    def independent(self) -> bool | None:
        """Whether all combinations of the factors' values occur equally often; None if it cannot be said."""
        try:
            with isolated():
                table = self.data.factor_table
                combinations = np.prod([table[name].nunique() for name in table.columns], dtype=float)
                if len(table) < combinations:
                    return False
                # Not `table.value_counts`, which goes through every combination that the categories have.
                counts = np.unique(value_rows(table), axis=0, return_counts=True)[1]
        except errors.CausalDisentError:  # data without a table, or a stranger's
            return None
        return bool(len(counts) == combinations and np.ptp(counts) == 0)

    @cached_property
    def continuous(self) -> list[str]:
        """The factors that are real numbers."""
        try:
            with isolated():
                space = StateSpace.of(self.data)
                return [name for name in space.factor_names if space.is_continuous(name)]
        except errors.CausalDisentError:  # a stranger's
            return []

    def pictures(self, thumbnails: Thumbnails) -> Iterator[Picture]:
        """The data set's causal graph, where it has one."""
        import io

        from causal_disent.graphs.picture import draw_graph

        file = io.BytesIO()
        try:
            with isolated():
                graph = getattr(getattr(self.data, "base", self.data), "graph", None)
                if graph is None:
                    return
                draw_graph(graph, factors=list(self.data.factor_names)).savefig(file, format="png")
        except errors.CausalDisentError:  # a stranger's
            return
        made = thumbnails.add(file.getvalue(), f"causal graph of {self.name}")
        if made:
            yield made


def _load(name: str, recorded: dict[str, Any]) -> Any:
    """The data set with its rules; of its own options whole numbers alone, as a stranger must not choose files."""
    own = {
        key.removeprefix(f"{name}."): plain_value(text)
        for key, text in recorded.items()
        if key.startswith(f"{name}.")
    }
    options = {key: value for key, value in own.items() if is_whole(value)}
    rules = {key: plain_value(recorded.get(f"dataset.{key}")) for key in ("factors", "confounding")}
    return get_dataset(name, **rules, **options)


def data_sets(scores: Scores, root: Path) -> list[Data]:
    """Each data set once, by the record of the first evaluation on it."""
    firsts = scores.table.drop_duplicates("data")
    return [
        Data(label, root, root / path / RESULTS / "json" / "evaluation_config.json")
        for label, path in zip(firsts["data"], firsts["path"], strict=True)
    ]


def assumptions_section(scores: Scores, data: list[Data]) -> Section:
    """What each metric assumes, and whether each data set meets it."""
    rows: list[list[Cell]] = []
    broken = []
    used = scores.table[["metric", "data"]].drop_duplicates()
    by_label = {one.label: one for one in data}
    for metric, label in used.itertuples(index=False):
        if metric not in registry.names("metrics"):
            rows.append([metric, "", "not known here", label, "cannot be said", ""])
            continue
        entry = registry.get("metrics", metric)
        assumes = str(entry.facts.get("assumes", ""))
        met = _met(assumes, entry.facts.get("takes", {}), by_label[label])
        if met.startswith("no"):
            broken.append(f"{metric} on {label}")
        rows.append([metric, entry.summary, assumes, label, met, str(entry.facts.get("by_chance", ""))])
    words = [
        "Scores mean what their authors meant where what they assume holds. What chance gets is the score of "
        "codes that say nothing of the factors: a model with no better one has learned nothing by that metric."
    ]
    if broken:
        words.append(f"What is assumed does not hold for {'; '.join(broken)}: take these scores with care.")
    words += [f"{one.label} cannot be looked at here: {one.problem}" for one in data if one.problem]
    header = ["metric", "what it asks", "what it assumes", "data set", "met?", "what chance gets"]
    return Section("assumptions", "What do the metrics assume?", words, [Table("Assumptions", header, rows)])


def _met(assumes: str, takes: Mapping[str, Any], data: Data) -> str:
    """Whether a data set meets what a metric says that it assumes; of codes and decoders nothing is said."""
    if data.problem:
        return "cannot be said"
    if data.continuous and "discrete" in takes and "continuous" not in takes:
        return f"no: {', '.join(data.continuous)} are real numbers, and every different one is taken for a class"
    if "independent" in assumes:
        if data.independent is None:
            return "cannot be said: the data set does not list its images"
        if not data.independent:
            return "no: the factors of this data set are confounded"
        return "yes: all combinations of the factors' values are there"
    return "yes" if "factors" in assumes else "nothing to meet"


def published_section(scores: Scores) -> Section | None:
    """Ours beside each published table that has the data set, the model and the score."""
    theirs = published_here()
    rows: list[list[Cell]] = []
    used: dict[str, None] = {}
    notes: dict[str, None] = {}
    for mean in scores.means:
        for other in _same(theirs, mean.row).to_dict("records"):
            rows.append([other["table"], mean.data, mean.who, mean.what, mean.value, ends(mean.over_seeds),
                         other["value"], other["model"]])  # fmt: skip
            used[other["table"]] = None
            notes[other["note"]] = None
    if not rows:
        return None
    words = ["Published numbers are of other images and another length of training: look at the order of models."]
    for name in used:
        table = published_table(name)
        words.append(f"{name}: {table.source.citation}, table {table.number}. {table.caption}")
    words += [note for note in notes if note]
    header = ["table", "our data set", "our model", "score", "ours", "95 % over seeds", "published", "as"]
    return Section("published", "Ours beside published numbers", words, [Table("Beside", header, rows)])


def _same(theirs: pd.DataFrame, own: Mapping[Any, Any]) -> pd.DataFrame:
    """The published numbers of the same model, score and data set; a miniature stands for its original."""
    same = theirs["metric"] == own["score"]
    if own["first"]:
        same |= theirs["measured_by"] == own["metric"]
    same &= theirs["dataset"] == own["original"]
    same &= theirs["confounding"] == own["confounding"]
    same &= (theirs["rho"] == 0) | (theirs["rho"] == own["rho"])
    return theirs[same & (theirs["trained_as"] == own["trained_as"])]
