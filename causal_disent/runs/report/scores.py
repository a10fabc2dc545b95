"""The scores of a tree of result folders, with names for what is compared: models, data sets, scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.registry import registry
from causal_disent.runs.report.comparison import Ranking, interval, ranking
from causal_disent.runs.study.table import setting_text
from causal_disent.text import shown

if TYPE_CHECKING:
    import pandas as pd

#: Characters of a value in a name.
WORD = 80


Ends = tuple[float, float]


@dataclass(frozen=True)
class Mean:
    """A score of a model on a data set, over seeds.

    Attributes:
        what: the score.
        data: the data set.
        who: the model.
        value: the mean; NaN if there is no number.
        over_seeds: its 95 % interval, within the score's range; None for fewer than two seeds.
        seeds: how many numbers there are.
        over_points: the interval that the metric reports, averaged; None if it reports none.
        chance: what codes that say nothing get; NaN if the metric does not tell.
        within_chance: in which part of the runs they might well get as much; NaN if the metric does not tell.
        row: the first of the rows of the table.
    """

    what: str
    data: str
    who: str
    value: float
    over_seeds: Ends | None
    seeds: int
    over_points: Ends | None
    chance: float
    within_chance: float
    row: Mapping[Any, Any]


@dataclass(frozen=True)
class Scores:
    """The scores of a tree of result folders, with names for what is compared.

    Attributes:
        table: as `causal_disent.runs.study.table.results_table` gives it, with the columns ``who`` (the model with
            what is varied of it), ``data`` (the data set, its confounding and what is varied of it) and ``what``
            (the score, after its metric, and before the setting where one metric has several).
    """

    table: pd.DataFrame

    @classmethod
    def of(cls, table: pd.DataFrame) -> Scores:
        """Name what is compared."""
        table = table.copy()
        several = table["representation"].nunique() > 1
        varied = table.attrs["varied"]
        owners = table.groupby("score")["metric"].nunique()
        # IRS, UC and CG are known by their names, whichever metric reports them, if it is one.
        plain = {score for score in owners.index[owners == 1] if score.lower() in registry.names("metrics")}
        names = [_names(row, varied, several, plain) for row in table.to_dict("records")]
        for column, values in zip(("who", "data", "what"), zip(*names, strict=True), strict=True):
            table[column] = values
        return cls(table)

    @cached_property
    def whats(self) -> list[str]:
        """The scores, those that stand for their metric first."""
        firsts = self.table[self.table["first"]]["what"]
        return list(dict.fromkeys([*firsts, *self.table["what"]]))

    def lower(self, what: str) -> bool:
        """Whether lower is better."""
        return bool((self.table.loc[self.table["what"] == what, "better"] == "lower").any())

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """By each score, models over all data sets and seeds."""
        found = {}
        for what in self.whats:
            own = self.table[self.table["what"] == what]
            scores = own.pivot_table("value", ["data", "seed"], "who", sort=False)
            if scores.size:
                found[what] = ranking(scores, np.random.RandomState(0), lower=self.lower(what))
        return found

    @cached_property
    def means(self) -> list[Mean]:
        """Each score of each model on each data set."""
        found = []
        for (what, data, who), own in self.table.groupby(["what", "data", "who"], sort=False):
            values = own["value"].dropna()
            low, high, chance, within = own[["low", "high", "chance", "within_chance"]].mean().tolist()
            first = own.iloc[0].to_dict()
            over_seeds = interval_of(values, first)
            points = None if np.isnan(low) or np.isnan(high) else (low, high)
            names, mean = (str(what), str(data), str(who)), float(values.mean())
            found.append(Mean(*names, mean, over_seeds, len(values), points, chance, within, first))
        return found

    @property
    def tell_chance(self) -> bool:
        """Whether any of them has a chance level."""
        return any(not np.isnan(mean.chance) for mean in self.means)

    def best_first(self, what: str) -> dict[str, list[Mean]]:
        """Of each data set, the models with such a score, the best first."""
        found: dict[str, list[Mean]] = {}
        for mean in self.means:
            if mean.what == what and mean.seeds:
                found.setdefault(mean.data, []).append(mean)
        sign = 1 if self.lower(what) else -1
        return {data: sorted(own, key=lambda mean: sign * mean.value) for data, own in found.items()}


def _names(row: Mapping[Any, Any], varied: list[str], several: bool, plain: set[str]) -> tuple[str, str, str]:
    of_data = ("dataset.", f"{row['dataset']}.")
    own = {key: setting_text(row[key]) for key in varied if f"{key}=" in row["varied"]}
    who = [row["model"], *(f"{key}={text}" for key, text in own.items() if not key.startswith(of_data))]
    who += [row["representation"]] if several else []
    data = [row["dataset"]]
    data += [f"confounded by {shown(row['confounding'], WORD)}"] if row["confounding"] != "none" else []
    data += [f"{key}={shown(text, WORD)}" for key, text in own.items() if key.startswith(of_data)]
    known = row["score"] in plain or row["score"].lower() == row["metric"]  # UC, say, which is the score of uc
    what = row["score"] if known else f"{row['metric']}: {row['score']}"
    return " ".join(map(str, who)), ", ".join(map(str, data)), f"{what} {row['setting']}".strip()


def interval_of(values: pd.Series, row: Mapping[Any, Any]) -> Ends | None:
    """The 95 % interval of a mean, within the range of the score that `row` is of, if its metric says one."""
    found = interval(values.to_numpy(float))
    if found is None or not row["first"] or row["metric"] not in registry.names("metrics"):
        return found
    least, most = registry.get("metrics", row["metric"]).facts.get("range") or (-np.inf, np.inf)
    return float(np.clip(found[0], least, most)), float(np.clip(found[1], least, most))


def ends(found: Ends | None) -> str:
    """An interval as it stands in a table; empty if there is none."""
    return f"{found[0]:.3f} to {found[1]:.3f}" if found else ""
